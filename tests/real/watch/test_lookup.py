# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker's answer by time bounds where a record can be from below, whatever order the times are in."""

from __future__ import annotations

import random

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.sides import KafkaSide
from tests.real.proof.support import Record, create

from .watching import Watching, side

pytestmark = pytest.mark.real

START, MOMENTS, COUNT, SIZE = 1_700_000_000_000, 200, 4000, 1000


def test_no_record_lies_before_the_offset_of_its_time(pair):
    """Several segments, whose times are in no order and many of them equal."""
    topic, chance = "w.lookup", random.Random(7)
    create(pair["source"], {topic: (1, {"segment.bytes": "1048576", "retention.ms": "-1"})})
    times = [START + chance.randrange(MOMENTS) for dummy in range(COUNT)]
    Watching(pair, topic).write(
        "source", [Record(b"k", bytes(SIZE - 8) + b"%8d" % at, moment, (), 0) for at, moment in enumerate(times)]
    )
    source = KafkaSide(side(pair["source"], "america"))
    assert source.ends([(topic, 0)]) == {(topic, 0): COUNT}
    bounds = {moment: source.offset_at((topic, 0), moment - 1) for moment in sorted(set(times))}
    before = [(at, moment) for at, moment in enumerate(times) if bounds[moment] is None or bounds[moment] > at]
    assert not before
    # It is of use: what is younger than all that was written before is found behind it.
    assert source.offset_at((topic, 0), START + MOMENTS) is None
