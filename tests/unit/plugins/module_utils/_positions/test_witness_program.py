# SPDX-License-Identifier: GPL-3.0-or-later
"""The position witness's rounds. A list of groups in part, which a broker gives without an error while a coordinator
moves, is made here.
"""

from __future__ import annotations

import json

import pytest
from confluent_kafka import KafkaError, KafkaException

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from tests.support.witness_program import witness_module

STANDS = {"orders": {"t": {0: 5}}, "bills": {"t": {0: 7}}}


@pytest.fixture(scope="module")
def program():
    with witness_module("witness_rounds") as module:
        yield module


class Source:
    """What the brokers list, and what the coordinators say when they are asked."""

    def __init__(self):
        self.listed, self.stands = list(STANDS), dict(STANDS)
        self.id, self.unlike, self.unwatched = "first", ["shared"], set()
        self.mute, self.held, self.topic_id = set(), {"t": {0: 9}}, "id"
        self.moving = set()
        self.texts = {}

    def cluster(self):
        return self.id

    def others(self, consumers):
        return self.unlike

    def groups(self):
        return self.listed

    def watches(self, name):
        return name not in self.unwatched

    def beside(self, listed):
        return [name for name in listed if name in self.unwatched]

    def ask_coordinators(self, names):
        if set(names) & self.moving:
            raise KafkaException(KafkaError(KafkaError.NOT_COORDINATOR))

    def positions(self, names):
        assert not set(names) & self.moving, "librdkafka ends the process here"
        if set(names) & self.mute:
            raise KafkaException(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED))
        return {name: self.stands.get(name, {}) for name in names}

    def ends(self):
        return self.held, {}

    def topic_ids(self, topics):
        return dict.fromkeys(topics, self.topic_id)

    def connect(self):
        """Nothing to connect to."""


class Target:
    """Keeps the rows."""

    topic = "positions"

    def __init__(self):
        self.rows = []

    def known(self):
        return self.folded()

    def end(self):
        return len(self.rows)

    def write(self, rows):
        self.rows += rows

    def folded(self):
        return witness.fold(witness.decode(*row) for row in self.rows)


def test_a_group_that_is_not_listed_and_still_has_positions_is_not_gone(program):
    source, target = Source(), Target()
    watch = program.Witness(source, target)
    watch.round()
    source.listed, source.stands = ["bills"], {**STANDS, "orders": {"t": {0: 8}}}
    watch.round()
    assert {name: one["positions"] for name, one in target.folded()["groups"].items()} == {
        "orders": {"t": {0: 8}},
        "bills": {"t": {0: 7}},
    }


def test_a_group_whose_coordinator_moves_is_not_asked_for_its_positions(program):
    source, target = Source(), Target()
    watch = program.Witness(source, target)
    watch.round()
    source.listed, source.moving = ["bills"], {"orders"}
    with pytest.raises(KafkaException, match="NOT_COORDINATOR"):
        watch.round()
    source.moving = set()
    watch.round()
    assert target.folded()["groups"]["orders"]["positions"] == STANDS["orders"]


def test_a_group_without_positions_that_is_not_listed_is_gone(program):
    source, target = Source(), Target()
    watch = program.Witness(source, target)
    watch.round()
    source.listed, source.stands = ["bills"], {"bills": STANDS["bills"]}
    watch.round()
    assert set(target.folded()["groups"]) == {"bills"}


@pytest.mark.parametrize("started_again", [False, True])
def test_another_cluster_in_the_place_of_the_source_is_not_believed(program, started_again):
    source, target = Source(), Target()
    watch = program.Witness(source, target)
    watch.round()
    source.id, source.listed, source.stands = "second", [], {}
    watch = program.Witness(source, target) if started_again else watch
    with pytest.raises(program.AnotherClusterError, match="cluster second answers in the place of first"):
        watch.round()
    assert set(target.folded()["groups"]) == set(STANDS)
    assert target.folded()["cluster_since"] == 0
    source.topic_id = "of the second"
    watch = program.Witness(source, target, "second")
    watch.round()
    known = target.folded()
    assert (known["groups"], known["cluster"]) == ({}, "second")
    assert known["cluster_since"] == known["topics"]["t"]["recreated"] > 0
    watch.whole_at = float("-inf")
    watch.round()
    assert target.folded()["cluster_since"] == known["cluster_since"]


def test_the_records_of_another_mirror_are_left_alone(program):
    source, target = Source(), Target()
    program.Witness(source, target, "first", "na->eu").round()
    before = list(target.rows)
    source.id, source.listed, source.stands = "second", [], {}
    for again in (program.Witness(source, target, "second", "asia->eu"),) * 2:
        with pytest.raises(program.AnotherMirrorError, match=r"mirror na->eu.*asia->eu.*nothing.*positions_topic"):
            again.round()
    assert target.rows == before


def test_a_mirror_goes_on_with_the_records_of_one_whose_place_it_takes(program):
    source, target = Source(), Target()
    program.Witness(source, target, "first", "na->eu").round()
    source.id, source.listed, source.stands = "second", ["bills"], {"bills": STANDS["bills"]}
    program.Witness(source, target, "second", "asia->eu", ["na->eu"]).round()
    known = target.folded()
    assert (set(known["groups"]), known["mirror"], known["cluster"]) == ({"bills"}, "asia->eu", "second")


@pytest.mark.parametrize("mirror", ["", "na->eu"])
def test_a_region_that_is_made_anew_keeps_its_mirror(program, mirror):
    source, target = Source(), Target()
    program.Witness(source, target, "first", mirror).round()
    source.id = "second"
    program.Witness(source, target, "second", "na->eu").round()
    assert (target.folded()["mirror"], target.folded()["cluster"]) == ("na->eu", "second")


def test_a_topic_that_no_group_reads_and_that_is_made_again_is_seen(program):
    source, target = Source(), Target()
    source.held = {"unread": {0: 9}}
    watch = program.Witness(source, target)
    watch.round()
    source.topic_id = "another"
    watch.round()
    assert target.folded()["topics"]["unread"]["recreated"]


def test_other_groups_are_kept_while_they_cannot_be_listed(program):
    source, target = Source(), Target()
    program.Witness(source, target).round()
    source.unlike, told = None, target.folded()
    program.Witness(source, target).round()
    assert (target.folded()["others"], target.folded()["others_at"]) == (["shared"], told["others_at"])
    source.unlike = []
    program.Witness(source, target).round()
    assert target.folded()["others"] == []


def test_a_group_that_is_not_watched_is_kept_with_each_whole_snapshot(program):
    source, target = Source(), Target()
    source.unwatched = {"bills"}
    watch = program.Witness(source, target)
    watch.round()
    watch.round()
    assert set(target.folded()["groups"]) == set(STANDS)
    program.Witness(source, target).round()
    assert set(target.folded()["groups"]) == set(STANDS), "an earlier run's knowledge does not take it away"
    assert (
        sum(key == witness.encode_group("bills", 0, {})[0] and value is not None for key, value in target.rows) == 2
    ), "with whole snapshots alone"


def test_a_group_that_is_not_watched_and_does_not_answer_keeps_nobody_from_being_watched(program):
    source, target = Source(), Target()
    source.unwatched = {"bills"}
    watch = program.Witness(source, target)
    watch.round()
    source.mute, source.stands, watch.whole_at = {"bills"}, {**STANDS, "orders": {"t": {0: 6}}}, float("-inf")
    watch.round()
    assert {name: one["positions"] for name, one in target.folded()["groups"].items()} == {
        "orders": {"t": {0: 6}},
        "bills": {"t": {0: 7}},
    }


def test_what_was_committed_with_a_position_is_kept_and_a_change_of_it_alone_is_written(program):
    source, target = Source(), Target()
    watch = program.Witness(source, target)
    watch.round()
    assert "metadata" not in target.folded()["groups"]["orders"]
    source.texts = {"orders": {"t": {0: "AgAA"}}, "bills": {"t": {0: "x" * witness.MOST_METADATA}}}
    watch.round()
    groups = target.folded()["groups"]
    assert groups["orders"]["metadata"] == {"t": {0: "AgAA"}}
    assert "metadata" not in groups["bills"] and groups["bills"]["positions"] == {"t": {0: 7}}
    written = len(target.rows)
    watch.round()
    assert len(target.rows) == written + 1, "the stamp alone"


@pytest.mark.parametrize("wrong", [[], {"t": []}, {"t": {"0": 5}}, {"t": {"x": "y"}}])
def test_metadata_that_is_none_is_refused(wrong):
    key, value = witness.encode_group("g", 1, {"t": {0: 5}}, metadata={"t": {0: "AgAA"}})
    assert witness.decode(key, value)["metadata"] == {"t": {0: "AgAA"}}
    fields = {"v": 1, "at": 1, "positions": {"t": {"0": 5}}, "metadata": wrong}
    with pytest.raises(FormatError):
        witness.decode(key, json.dumps(fields).encode())
