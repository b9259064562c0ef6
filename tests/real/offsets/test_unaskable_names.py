# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups that brokers take and confluent-kafka cannot ask about: that with the empty name, and those with NUL in it."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import positions_in
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from tests.support import offsets_lab as lab
from tests.support.kafka import own_clusters
from tests.support.offsets_pair import Pair, name
from tests.support.raw_commit import commit_raw

pytestmark = pytest.mark.real
ENDS = {"0": 50}


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    """Groups of these names would be in other tests' way."""
    with own_clusters(tmp_path_factory.mktemp("clusters")) as made:
        yield made


@pytest.fixture
def pair(regions):
    return Pair(regions["source"], regions["target"])


def test_the_empty_name_stops_neither_the_witness_nor_a_move(pair, tmp_path):
    group = name("group")
    lab.set_positions(pair.source, pair.topic, {group: {0: 20}})
    commit_raw(pair.source, "", pair.topic, 10)
    words = {"interval": 1, "topic": pair.positions, "topics": pair.topic}
    witness = lab.WitnessProcess(tmp_path / "witness", pair.source, pair.target, **words)
    client = KafkaClient(pair.target.client)
    try:
        lab.until(lambda: (read_witness(client, pair.positions) or {"at": None})["at"], 60)
    finally:
        witness.stop()
    known = read_witness(client, pair.positions)
    assert known["groups"][group]["positions"] == {pair.topic: {0: 20}} and known["others"] == [""]
    assert positions_in(KafkaClient(pair.source.client), [pair.topic]) == {group: {pair.topic: {"0": 20}}}
    for alive in (True, False):
        found = pair.translate(groups_regex=".*", alive=alive, target_ends={pair.topic: ENDS})
        assert [(row["group"], row["to"]) for row in found["plan"]] == [(group, 20)]
        assert [row["group"] for row in found["others"] if "cannot be asked about" in row["why"]] == [""]
        assert pair.committed(pair.target, group) == {0: (20, "")}


@pytest.mark.parametrize("known", [True, False])
def test_a_name_that_is_cut_off_moves_no_other_group(pair, known):
    group = name("group")
    lab.set_positions(pair.target, pair.topic, {group: {0: 10}})
    if known:
        pair.checkpoint(group, {0: 10})
    pair.checkpoint(f"{group}\0x", {0: 40})
    found = pair.translate(groups_regex=f"(?s:{group}.*)", alive=False, target_ends={pair.topic: ENDS})
    assert pair.committed(pair.target, group) == {0: (10, "")}
    assert f"{group}\0x" in [row["group"] for row in found["others"] if "cannot be asked about" in row["why"]]


def test_a_text_that_cannot_be_sent_holds_no_position_back(pair):
    group = name("group")
    pair.checkpoint(group, {0: 20}, "a\0b")
    found = pair.translate(group, alive=False, target_ends={pair.topic: ENDS})
    assert pair.committed(pair.target, group) == {0: (20, "")}
    (said,) = [row["why"] for row in found["others"] if row["group"] == group]
    assert "without the metadata" in said and "a\0b" not in said
