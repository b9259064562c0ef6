# SPDX-License-Identifier: GPL-3.0-or-later
"""A partial answer is refused. The faults are simulated: a broker cannot be made to fail between two requests."""

from __future__ import annotations

import concurrent.futures
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import (
    KafkaDrError,
    NotProvableError,
    RefusedError,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import cluster_state
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import group_positions, positions_in
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import survey_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.sides import survey_all

LOADING = KafkaError(KafkaError.COORDINATOR_LOAD_IN_PROGRESS)


def done(value):
    future = concurrent.futures.Future()
    future.set_exception(value) if isinstance(value, Exception) else future.set_result(value)
    return future


class Admin:
    """Two groups on two brokers, one topic of two partitions; each fault by itself."""

    def __init__(self, fault=None):
        self.fault, self.moves = fault, 2

    def poll(self, seconds):
        pass

    def list_topics(self, **words):
        return SimpleNamespace(topics={}, brokers={}, cluster_id="c")

    def list_consumer_groups(self, **words):
        errors = [LOADING] if self.fault == "broker" else []
        return done(
            SimpleNamespace(
                valid=[SimpleNamespace(group_id=name) for name in ("g", "h")][: 2 - len(errors)], errors=errors
            )
        )

    def describe_consumer_groups(self, names, **words):
        described = {name: done(SimpleNamespace(state=SimpleNamespace(name="EMPTY"), members=[])) for name in names}
        if self.fault == "moving":
            unlike = KafkaError(KafkaError._INVALID_ARG, "GroupId g is not a consumer group (got connect)")
            described["g"] = done(KafkaException(unlike))
            if self.moves:
                self.moves -= 1
                described["h"] = done(KafkaException(KafkaError(KafkaError.NOT_COORDINATOR)))
        return described

    def list_consumer_group_offsets(self, asked, **words):
        name = asked[0].group_id
        assert not self.moves or self.fault != "moving", "librdkafka ends the process here"
        if self.fault == "group" and name == "h":
            return {name: done(KafkaException(LOADING))}
        errors = {1: KafkaError(KafkaError.UNSTABLE_OFFSET_COMMIT)} if self.fault == "partition" and name == "h" else {}
        # An error comes with the offset -1001, which looks like "never committed".
        places = [
            SimpleNamespace(
                topic="t", partition=number, offset=-1001 if number in errors else 5, error=errors.get(number)
            )
            for number in (0, 1)
        ]
        return {name: done(SimpleNamespace(topic_partitions=places))}

    def list_offsets(self, asked, **words):
        unknown = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
        return {one: done(unknown if one.partition == 1 else SimpleNamespace(offset=7)) for one in asked}

    def describe_topics(self, asked, **words):
        return {
            "t": done(
                SimpleNamespace(
                    topic_id="x",
                    partitions=[SimpleNamespace(id=number, leader=1, replicas=[1], isr=[1]) for number in (0, 1)],
                )
            )
        }

    def describe_configs(self, asked, **words):
        return {one: done({}) for one in asked}


@pytest.fixture
def cluster():
    def make(fault=None):
        client = KafkaClient({"bootstrap.servers": "127.0.0.1:1"}, timeout=1, name="here")
        client._admin, client._answered = Admin(fault), True
        return client

    return make


def test_whole_answers_are_kept(cluster):
    assert positions_in(cluster(), {"t"}) == {name: {"t": {"0": 5, "1": 5}} for name in ("g", "h")}
    assert set(cluster_state(cluster(), ["groups"])["groups"]) == {"g", "h"}


def test_one_group_of_another_protocol_ends_the_wait_for_no_other_one(cluster):
    assert set(positions_in(cluster("moving"), {"t"})) == {"g", "h"}


@pytest.mark.parametrize("fault", ["broker", "group", "partition"])
def test_positions_in_part_are_refused(cluster, fault):
    with pytest.raises(KafkaDrError, match="on here"):
        positions_in(cluster(fault), {"t"})


def test_groups_in_part_are_refused(cluster):
    with pytest.raises(KafkaDrError, match="list groups"):
        cluster_state(cluster("broker"), ["groups"])


@pytest.mark.slow
def test_a_partition_without_bounds_does_not_pass_for_empty(cluster):
    with pytest.raises(KafkaDrError, match="partition 1"):
        survey_topics(cluster(), ["t"])


def test_a_topic_that_is_listed_and_not_described_is_not_passed_over():
    side = SimpleNamespace(name="here", survey=lambda names: {"t": {}})
    assert survey_all(side, ["t"]) == {"t": {}}
    with pytest.raises(NotProvableError, match="Topic u of here"):
        survey_all(side, ["t", "u"])


class Moving(Admin):
    """The coordinator of one group is found at the third question; librdkafka would crash if asked for positions."""

    questions = 0

    def describe_consumer_groups(self, names, **words):
        self.questions += 1
        if self.questions < 3:
            return {name: done(KafkaException(KafkaError(KafkaError.NOT_COORDINATOR))) for name in names}
        return super().describe_consumer_groups(names, **words)

    def list_consumer_group_offsets(self, asked, **words):
        assert self.questions >= 3
        return super().list_consumer_group_offsets(asked, **words)


def test_positions_are_read_once_the_coordinators_are_found():
    client = KafkaClient({"bootstrap.servers": "nowhere:1"}, timeout=5)
    client._admin, client._answered = Moving(), True
    assert group_positions(client, ["g"]) == {"g": {("t", 0): 5, ("t", 1): 5}}
    client = KafkaClient({"bootstrap.servers": "nowhere:1"}, timeout=0.1)
    client._admin, client._answered = Moving(), True
    client._admin.questions = -1000
    with pytest.raises(KafkaDrError, match="describe group 'g'"):
        group_positions(client, ["g"])


def test_a_transaction_that_commits_a_position_counts_in_the_topics_that_are_moved_alone():
    client = KafkaClient({"bootstrap.servers": "nowhere:1"}, timeout=1)
    client._admin, client._answered = Admin("partition"), True
    with pytest.raises(RefusedError, match=r"group 'h'.*a transaction that commits its positions, that in t-1"):
        group_positions(client, ["g", "h"], lambda topic: topic == "t")
    found = group_positions(client, ["g", "h"], lambda topic: topic == "moved")
    assert found == {"g": {("t", 0): 5, ("t", 1): 5}, "h": {("t", 0): 5}}
