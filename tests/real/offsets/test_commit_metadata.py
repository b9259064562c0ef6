# SPDX-License-Identifier: GPL-3.0-or-later
"""What consumers commit with their positions goes with them; Kafka Streams keeps its partition time there."""

from __future__ import annotations

import json

import pytest

from tests.support import offsets_lab as lab
from tests.support.kafka import clusters
from tests.support.offsets_pair import Pair, name, now

pytestmark = pytest.mark.real
TEXT, LATER = "AgAAAZPx", "AgAAAZPy"


@pytest.fixture
def pair(two_clusters):
    return Pair(two_clusters["source"], two_clusters["target"])


def test_metadata_of_a_living_source_is_committed_and_never_shown(pair):
    group = name("group")
    pair.commit(pair.source, group, {0: 20}, TEXT)
    found = pair.translate(group)
    assert pair.committed(pair.target, group) == {0: (20, TEXT)}
    assert [row["metadata"] for row in found["plan"]] == [True] and TEXT not in json.dumps(found)
    assert not pair.translate(group)["changed"]
    pair.commit(pair.source, group, {0: 20}, LATER)
    assert pair.translate(group)["committed"] == 1
    assert pair.committed(pair.target, group) == {0: (20, LATER)}


def test_what_the_group_sync_brought_is_not_written_over_with_nothing(pair):
    group = name("group")
    pair.commit(pair.source, group, {0: 20}, TEXT)
    pair.commit(pair.target, group, {0: 18}, TEXT)
    pair.translate(group)
    assert pair.committed(pair.target, group) == {0: (20, TEXT)}


def test_metadata_comes_from_the_witness_where_the_source_is_lost(pair):
    group = name("group")
    pair.witnessed({group: {0: 20}}, metadata={pair.topic: {0: TEXT}})
    pair.translate(group, alive=False, target_ends={pair.topic: {"0": 50}})
    assert pair.committed(pair.target, group) == {0: (20, TEXT)}


def test_or_from_the_checkpoint_where_that_is_the_position(pair):
    group, other = name("group"), name("other")
    pair.witnessed({other: {0: 5}})
    pair.checkpoint(group, {0: 20}, TEXT, at=now() + 1)
    pair.translate(group, alive=False, target_ends={pair.topic: {"0": 50}})
    assert pair.committed(pair.target, group)[0][1] == TEXT


def test_metadata_that_the_target_refuses_is_left_out_and_named(tmp_path):
    made = {**clusters(["a"], tmp_path), **clusters(["b"], tmp_path, {"offset.metadata.max.bytes": 4})}
    try:
        pair, group = Pair(made["a"], made["b"], partitions=2), name("group")
        pair.commit(pair.source, group, {0: 20}, TEXT)
        pair.commit(pair.source, group, {1: 20}, "abc")
        found = pair.translate(group)
        assert pair.committed(pair.target, group, 2) == {0: (20, ""), 1: (20, "abc")}
        assert [row["metadata"] for row in found["plan"]] == [False, True] and found["committed"] == 1
        (said,) = [row for row in found["others"] if row["group"] == group]
        assert f"{pair.topic}-0" in said["why"] and TEXT not in json.dumps(found)
    finally:
        for cluster in made.values():
            cluster.stop()


def test_the_witness_program_keeps_it(pair, tmp_path):
    group = name("group")
    pair.commit(pair.source, group, {0: 20}, TEXT)
    process = lab.WitnessProcess(tmp_path / "w", pair.source, pair.target, 1, topic=pair.positions, groups=group)
    try:
        lab.await_ready(None, pair.target, 60, until_witness=True, positions_topic=pair.positions)
    finally:
        process.stop()
    pair.translate(group, alive=False, target_ends={pair.topic: {"0": 50}})
    assert pair.committed(pair.target, group) == {0: (20, TEXT)}
