# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to change in KafkaUsers and KafkaTopics that are there."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import kafka_changes as changes
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.kafka_resources import kafka_topic

READ = {"principal": "mm2", "resource": "topic", "name": "orders", "operations": ["READ", "DESCRIBE"]}
WRITE = {"principal": "User:mm2", "resource": "topic", "name": "orders", "operations": ["WRITE", "DESCRIBE"]}
OTHERS = {"type": "allow", "resource": {"type": "topic", "name": "theirs"}, "operations": ["Read"]}


def operations(rules):
    """Operations by resource name."""
    found = {}
    for rule in rules:
        found.setdefault(rule["resource"].get("name"), set()).update(rule["operations"])
    return found


def test_rights_are_added_beside_what_others_gave():
    rules = changes.rights([OTHERS], [READ], "add")
    assert operations(rules) == {"theirs": {"Read"}, "orders": {"Read", "Describe"}}
    assert changes.rights(rules, [READ], "add") == rules, "a second run changes nothing"
    assert operations(changes.rights(rules, [WRITE], "add"))["orders"] == {"Read", "Describe", "Write"}


def test_a_right_that_is_named_twice_is_given_once():
    single = [{**READ, "operations": [one]} for one in READ["operations"]]
    assert changes.rights([], [*single, READ], "add") == changes.rights([], single, "add")


def test_rights_are_taken_away_and_no_others():
    rules = changes.rights([OTHERS], [READ, WRITE], "add")
    assert operations(changes.rights(rules, [WRITE], "remove")) == {"theirs": {"Read"}, "orders": {"Read"}}
    assert changes.rights(rules, [READ, WRITE], "remove") == [OTHERS]
    assert changes.rights(rules, [], "exactly") == []


def test_a_prefix_is_not_the_literal_of_the_same_name():
    prefixed = {**READ, "pattern": "prefixed"}
    rules = changes.rights([], [prefixed], "add")
    assert changes.rights(rules, [READ], "remove") == rules


def test_cluster_rights_have_no_name():
    right = {"principal": "mm2", "resource": "cluster", "name": "kafka-cluster", "operations": ["DESCRIBE"]}
    rules = changes.rights([], [{**right, "name": None}], "add")
    assert changes.rights(rules, [right], "remove") == []


def topic(name, **configs):
    return kafka_topic({"name": name, "partitions": 3, "replication_factor": 1, "configs": configs}, "main", "kafka")


def test_only_topics_of_the_operator_are_changed_and_only_where_they_differ():
    there = topic("orders", **{"retention.ms": 5})
    wanted = [
        {"name": "orders", "configs": {"retention.ms": "-1"}},
        {"name": "items", "configs": {"retention.ms": "-1"}},
    ]
    found = changes.topic_changes(wanted, [there], namespace="kafka")
    assert [one["metadata"] for one in found] == [{"name": "orders", "namespace": "kafka"}]
    assert found[0]["spec"] == {"config": {"retention.ms": "-1"}}
    assert changes.topic_changes([{"name": "orders", "configs": {"retention.ms": 5}}], [there]) == []


def test_a_config_that_was_not_set_is_taken_away_again():
    there = topic("orders", **{"retention.ms": 5})
    assert changes.topic_changes([{"name": "orders", "configs": {"retention.ms": None}}], [there])[0]["spec"] == {
        "config": {"retention.ms": None}
    }
    assert changes.topic_changes([{"name": "orders", "configs": {"retention.bytes": None}}], [there]) == []


def test_partitions_are_never_taken_away():
    assert changes.topic_changes([{"name": "orders", "partitions": 2}], [topic("orders")]) == []
    assert changes.topic_changes([{"name": "orders", "partitions": 4}], [topic("orders")])[0]["spec"] == {
        "partitions": 4
    }


def test_a_kept_topic_is_made_again_with_what_is_wanted_of_it():
    kept = changes.bare([{**topic("Orders_New", **{"retention.ms": 5}), "status": {}}], "main")
    found = changes.topic_changes(
        [{"name": "Orders_New", "partitions": 6, "configs": {"retention.ms": "-1", "x": None}}], [], kept, "kafka"
    )
    assert found[0]["spec"] == {
        "topicName": "Orders_New",
        "partitions": 6,
        "replicas": 1,
        "config": {"retention.ms": "-1"},
    }
    assert found[0]["metadata"]["labels"] == {"strimzi.io/cluster": "main"}


def test_topics_that_the_operator_was_told_to_leave_alone_are_kafkas():
    alone = topic("orders")
    alone["metadata"]["annotations"] = {"strimzi.io/managed": "false"}
    assert changes.topic_changes([{"name": "orders", "partitions": 9}], [alone]) == []


def test_what_is_kept_has_nothing_of_its_server():
    kafka = {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "Kafka",
        "metadata": {
            "name": "main",
            "uid": "u",
            "resourceVersion": "1",
            "managedFields": [],
            "labels": {"argocd.argoproj.io/instance": "x", "team": "a"},
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
                "strimzi.io/pause-reconciliation": "true",
            },
        },
        "spec": {"kafka": {}},
        "status": {"clusterId": "c"},
    }
    other = {**kafka, "metadata": {"name": "other"}}
    found = changes.bare([kafka, other], "main")
    assert found == [
        {
            "apiVersion": "kafka.strimzi.io/v1",
            "kind": "Kafka",
            "metadata": {"name": "main", "labels": {"team": "a"}},
            "spec": {"kafka": {}},
        }
    ]


MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders.*"]}


def test_topics_that_mirror_and_operator_would_both_configure_are_named():
    there = [topic("orders"), topic("items"), topic("na.orders")]
    assert changes.contested(MIRROR, there) == ["orders"]
    assert changes.contested({**MIRROR, "policy": "default"}, there) == ["na.orders"]
    assert changes.contested({**MIRROR, "config": {"source": {"sync.topic.configs.enabled": "false"}}}, there) == []
    there[0]["metadata"]["annotations"] = {"strimzi.io/managed": "false"}
    assert changes.contested(MIRROR, there) == []


def as_read(name, condition="Ready", **annotations):
    one = topic(name)
    return {
        **one,
        "metadata": {**one["metadata"], "generation": 2, "annotations": annotations},
        "status": {"observedGeneration": 2, "conditions": [{"type": condition, "status": "True", "message": "why"}]},
    }


def test_only_the_topics_that_are_asked_for_are_waited_for():
    there = [as_read("orders"), as_read("items", "NotReady"), as_read("others", "NotReady")]
    assert changes.topics_waiting_for(there, ["orders"]) == []
    assert changes.topics_waiting_for(there, ["orders", "items"]) == ["KafkaTopic 'items' to be Ready (why)"]


def test_a_topic_that_the_operator_leaves_alone_never_becomes_ready():
    assert (
        changes.topics_waiting_for([as_read("orders", "Unmanaged", **{changes.UNMANAGED: "false"})], ["orders"]) == []
    )
    taken_back = as_read("orders", "Unmanaged")
    assert changes.topics_waiting_for([taken_back], ["orders"]) == ["KafkaTopic 'orders' to be Ready"]
