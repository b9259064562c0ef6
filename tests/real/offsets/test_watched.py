# SPDX-License-Identifier: GPL-3.0-or-later
"""The offset map of a watch makes positions exact after a loss, and is not believed where its logs are others."""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.rounds import Options, Watch
from tests.real.watch.watching import side
from tests.support import offsets_lab as lab

from .conftest import TOPICS

pytestmark = pytest.mark.real
MAP = "offset map of the watch"


@pytest.fixture(scope="module")
def watched(world):
    """The name of a mirror whose watch has proven all that there is."""
    watch = Watch(side(world["source"], "a"), side(world["target"], "b"), Options("w.offsets", TOPICS, settle=0.2))
    end = time.monotonic() + 60
    while watch.behind or watch.settling or any(len(track.pending) for track in watch.tracks.values()):
        watch.round()
        assert time.monotonic() < end, "the watch does not catch up"
        time.sleep(0.1)
    return watch.state


def translated(world, **more):
    ends = lab.ends_of(world["target"], "orders", "payments")
    return lab.translate(None, world["target"], check=True, target_ends=ends, **more)


def test_positions_that_it_covers_are_exact_where_the_source_is_lost(world, watched):
    found = translated(world, watch="w.offsets", watch_source=watched.source_cluster)
    assert found["summary"]["watch"] == {"partitions": 6, "reason": ""}
    held = {topic: lab.copies(world["target"], topic) for topic in ("orders", "payments")}
    by_map = [row for row in found["plan"] if row["evidence"] == MAP]
    assert {row["topic"] for row in by_map} == {"orders", "payments"}
    for row in by_map:
        journal = [entry for entry in world["journals"][row["group"]] if entry[0] == row["partition"]]
        copies = {row["partition"]: held[row["topic"]][row["partition"]]}
        assert lab.outcome(journal, copies, {row["partition"]: row["to"]}) == (0, 0), row
        assert row["confidence"] == "exact_verified" and row["reprocess_at_most"] == 0
    for group, journal in world["journals"].items():
        answers = {row["partition"]: row["to"] for row in found["plan"] if row["group"] == group}
        assert lab.outcome(journal, held[group.split("-")[0]], answers)[1] == 0, group


def test_it_never_makes_an_answer_worse(world, watched):
    without = {(row["group"], row["partition"]): row for row in translated(world)["plan"]}
    for row in translated(world, watch="w.offsets")["plan"]:
        before = without[row["group"], row["partition"]]
        assert row["reprocess_at_most"] <= before["reprocess_at_most"] and row["to"] >= before["to"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"watch": "nobody"}, "has no state of the mirror 'nobody'"),
        ({"watch": "w.offsets", "watch_source": "another"}, "is of another source"),
        ({}, "no watch is named"),
    ],
)
def test_what_cannot_be_used_says_why_and_changes_nothing(world, watched, words, reason):
    found = translated(world, **words)
    assert reason in found["summary"]["watch"]["reason"]
    assert [row["to"] for row in found["plan"]] == [row["to"] for row in translated(world)["plan"]]
