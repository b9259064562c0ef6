# SPDX-License-Identifier: GPL-3.0-or-later
"""What is proven is read again: a record that a disk changes afterwards is named, and what retention takes is not."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import accepting, scrubbing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import TOPIC
from tests.real.proof.support import create, delete_before, some

from .watching import Watching

pytestmark = pytest.mark.real

ROWS = some(3000, headers=())
# Days of a pass: a round has all of it to read.
AT_ONCE = 1e-9


@pytest.fixture
def proven(pair, request, monkeypatch):
    """A partition whose copy is proven, and read again in portions."""
    monkeypatch.setattr(scrubbing, "PORTION", 500)
    name = f"w.{request.node.name[5:40].strip('_')}"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    watching = Watching(pair, name, scrub_days=AT_ONCE)
    watching.write("source", [row.but(group=at // 50 + 1) for at, row in enumerate(ROWS)], transactional=True)
    watching.write("target", ROWS)
    watching.rounds(lambda state: part(state, watching).records == 3000)
    return watching


def part(state, watching):
    return state.partitions[watching.name, 0]


def flip(cluster, topic, value):
    """Change a byte of a record where it lies, as a disk does."""
    segments = sorted((cluster.directory / "data" / f"{topic}-0").glob("*.log"))
    (place,) = [(path, at) for path in segments if (at := path.read_bytes().find(value)) >= 0]
    with open(place[0], "r+b") as file:
        file.seek(place[1])
        file.write(b"X")


def test_a_flipped_byte_is_found(proven):
    before = part(proven.rounds(lambda state: part(state, proven).scrubbed), proven).scrubbed
    assert proven.rounds(lambda state: part(state, proven).scrubbed > before).differences == []
    flip(proven.pair["target"], proven.name, b"v-700")
    # A watch that is started again finds it too.
    now = proven.open().rounds(lambda state: state.differences)
    assert [(row.kind, row.target_offset, row.count) for row in now.differences] == [("altered", 700, 1)]
    assert (part(now, proven).through[1], part(now, proven).records) == (700, 700)
    assert part(now, proven).examined[1] == 3000
    client = KafkaClient(proven.pair["target"].client)
    ids = [found.id(proven.name) for found in now.differences]
    accepting.accept(client, proven.name, TOPIC, ids, "ann", "the record is known, INC-4711")
    scrubbed = part(now, proven).scrubbed
    now = proven.open().rounds(lambda state: part(state, proven).scrubbed > scrubbed)
    assert len(now.differences) == 1 and part(now, proven).through[1] == 3000


def test_what_retention_takes_is_not_missed(proven):
    delete_before(proven.pair["target"], proven.name, 0, 1234)
    delete_before(proven.pair["source"], proven.name, 0, 700)
    before = part(proven.open().rounds(lambda state: part(state, proven).scrubbed), proven).scrubbed
    delete_before(proven.pair["source"], proven.name, 0, 2000)
    now = proven.rounds(lambda state: part(state, proven).scrubbed > before)
    assert now.differences == [] and part(now, proven).records == 3000


def test_nothing_is_read_again_unless_it_is_asked(proven):
    proven.options["scrub_days"] = 0
    flip(proven.pair["target"], proven.name, b"v-700")
    proven.open()
    for dummy in range(3):
        assert proven.rounds().differences == []
