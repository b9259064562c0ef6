# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics that a mirror made: owned by the Topic Operator once their region is active, let go of while a mirror writes
their configs.
"""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.topic_ownership import (
    LEFT_BY,
    has_topic_operator,
    topics_to_disown,
    topics_to_let_go,
    topics_to_own,
)

API = "kafka.strimzi.io/v1"
MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders.*"], "groups": ["shop"]}
TOPIC = {"name": "orders", "partitions": 3, "replication_factor": 2, "configs": {"retention.ms": "60000"}}


def kafka_topic(name, left=False, managed=True, config=None):
    metadata = {
        "name": name,
        "namespace": "kafka",
        "labels": {"strimzi.io/cluster": "main", **({LEFT_BY: "failover"} if left else {})},
    }
    if not managed:
        metadata["annotations"] = {"strimzi.io/managed": "false"}
    return {
        "apiVersion": API,
        "kind": "KafkaTopic",
        "metadata": metadata,
        "spec": {"partitions": 3, "config": config or {}},
    }


def own(topics, existing):
    return topics_to_own(topics, existing, "main", "kafka", API)


def test_a_topic_without_an_owner_gets_one_that_says_what_is_so():
    made = own([TOPIC], [kafka_topic("payments")])
    assert [(one["metadata"]["name"], one["spec"]) for one in made] == [
        ("orders", {"topicName": "orders", "partitions": 3, "replicas": 2, "config": {"retention.ms": "60000"}})
    ]
    assert made[0]["metadata"]["labels"][LEFT_BY] == "failover"


def test_what_others_wrote_is_left_alone():
    assert own([TOPIC], [kafka_topic("orders")]) == [] == own([TOPIC], [kafka_topic("orders", managed=False)])
    assert own([TOPIC], [kafka_topic("orders", left=True)]) == []


def test_what_was_let_go_of_is_given_back_as_it_is_now():
    made = own(
        [TOPIC], [kafka_topic("orders", left=True, managed=False, config={"retention.ms": 1, "segment.bytes": 1})]
    )
    assert made[0]["spec"]["config"] == {"retention.ms": "60000", "segment.bytes": None}
    assert made[0]["metadata"]["annotations"] == {"strimzi.io/managed": None}


def test_a_mirror_takes_what_a_failover_left_and_nothing_else():
    there = [
        kafka_topic("orders", left=True),
        kafka_topic("orders-old"),
        kafka_topic("payments", left=True),
        kafka_topic("orders-x", left=True, managed=False),
    ]
    assert [one["metadata"] for one in topics_to_let_go(MIRROR, there)] == [
        {"name": "orders", "namespace": "kafka", "annotations": {"strimzi.io/managed": "false"}}
    ]
    quiet = {**MIRROR, "config": {"source": {"sync.topic.configs.enabled": "false"}}}
    assert topics_to_let_go(quiet, there) == []


def test_a_mirror_that_was_turned_takes_what_others_wrote_and_marks_it():
    there = [kafka_topic("orders"), kafka_topic("orders-old", left=True), kafka_topic("payments")]
    freed = topics_to_let_go(MIRROR, there, everything=True)
    assert [one["metadata"] for one in freed] == [
        {
            "name": "orders",
            "namespace": "kafka",
            "annotations": {"strimzi.io/managed": "false"},
            "labels": {LEFT_BY: "failover"},
        },
        {"name": "orders-old", "namespace": "kafka", "annotations": {"strimzi.io/managed": "false"}},
    ]
    # The next failover into the region gives it back.
    assert own([TOPIC], [kafka_topic("orders", left=True, managed=False)])[0]["metadata"]["name"] == "orders"


def test_topics_that_a_stage_deletes_are_taken_from_the_operator_whoever_wrote_them():
    there = [
        kafka_topic("orders"),
        kafka_topic("orders-old", left=True),
        kafka_topic("orders-x", managed=False),
        kafka_topic("payments"),
    ]
    assert [one["metadata"] for one in topics_to_disown(there, "orders.*")] == [
        {
            "name": "orders",
            "namespace": "kafka",
            "annotations": {"strimzi.io/managed": "false"},
            "labels": {LEFT_BY: "failover"},
        },
        {"name": "orders-old", "namespace": "kafka", "annotations": {"strimzi.io/managed": "false"}},
    ]
    assert topics_to_disown(there, "rders") == []


def test_who_has_a_topic_operator():
    assert has_topic_operator({"spec": {"entityOperator": {"topicOperator": {}}}})
    assert has_topic_operator(
        {"spec": {"strimziOverrides": {"entityOperator": {"topicOperator": {"watchedNamespace": "a"}}}}}
    )
    assert (
        not has_topic_operator({"spec": {"entityOperator": {"userOperator": {}}}})
        and not has_topic_operator({})
        and not has_topic_operator(None)
    )
