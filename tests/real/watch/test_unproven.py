# SPDX-License-Identifier: GPL-3.0-or-later
"""What retention took before the watch had read it is not proven, until nobody can miss it any more."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import summarise
from tests.real.proof.support import delete_before, some

from .test_closing import closed
from .watching import watch_of

pytestmark = pytest.mark.real

ROWS = some(2000, headers=())


@pytest.mark.parametrize(
    ("name", "deleted", "left", "verdict"),
    [
        ("both", ("source", "target"), 0, "PROVEN"),
        ("source", ("source",), 0, "PROVEN"),
        ("target", ("target",), 700, "NOT_PROVABLE"),
    ],
)
def test_what_was_deleted_unread_is_unproven_as_long_as_the_source_holds_it(pair, name, deleted, left, verdict):
    topic = f"w.unproven.{name}"
    watching = watch_of(pair, topic, config={"retention.ms": 7 * 86400000})
    for where in pair:
        watching.write(where, ROWS[:500])
    watching.rounds()
    for where in pair:
        watching.write(where, ROWS[500:1500])
    for where in deleted:
        delete_before(pair[where], topic, 0, 1200)
    watching.rounds()
    watching.write("source", ROWS[1500:])
    watching.write("target", ROWS[1500:1900])
    state = watching.rounds()
    part = state.partitions[topic, 0]
    assert part.left_unproven == left and summarise(state)["unproven_records"] == left + 100
    report = closed(watching, {"mirrored_through": {topic: {"0": 1900}}})
    assert report["verdict"] == verdict, report["reasons"]
    assert report["topics"][0]["partitions"][0]["lost"] == 100
