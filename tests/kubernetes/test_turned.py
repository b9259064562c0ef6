# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move on Kubernetes, there and back: each turns the mirror round. Long: ``make test-kubernetes``."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.topic_ownership import LEFT_BY
from kafka_dr_lab.journals import topic_ids
from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions, stage

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

API = "kafka.strimzi.io/v1"
# The user keeps this topic of the source as a resource; orders-made exists in Kafka alone.
OWNED = {
    "apiVersion": API,
    "kind": "KafkaTopic",
    "metadata": {"name": "orders", "labels": {"strimzi.io/cluster": "main"}},
    "spec": {"partitions": 2, "replicas": 1, "config": {"retention.ms": 3600000}},
}
CREATE = {
    "name": "Create both clusters",
    "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.kafka", "tasks_from": "create.yml"},
    "loop": ["north_america", "europe"],
    "loop_control": {"loop_var": "kafka_region"},
}


@pytest.fixture
def regions(new, tmp_path):
    """Two regions that were set up, as accounts that have what the playbook ``rbac`` writes, and nothing else."""
    if new.plane is None:
        pytest.skip("needs the stand-in operator")
    operator = Operator(new.kubeconfig, tmp_path / "operator").start()
    made = Regions({"north_america": new, "europe": new}, tmp_path)
    made.mirror["topics"] = ["orders.*"]
    for name, host in made.hosts.items():
        host.pop("kafka_dr_applications", None)
        host["kafka_dr_kubernetes"]["witness_image"] = "lab"
        host["kafka_dr_topics"] = [{"name": "orders-made", "partitions": 1, "replication_factor": 1}]
        host["kafka_dr_kafka"]["resources"] += [OWNED] * (name == "north_america")
    (tmp_path / "work").mkdir()
    made.limit_rights()
    yield made
    operator.stop()


def move(source, target, **more):
    return [stage("failover", failover_source=source, failover_target=target, failover_planned=True, **more)]


class Orders:
    """Records with an id, produced by the application, and looked for in both regions."""

    def __init__(self, regions: Regions):
        self.regions, self.count = regions, 0

    def produce(self, region: str, count: int) -> None:
        refused: list[object] = []
        producer = self.regions.kafka(region, "shop-producer").producer(**{"message_timeout_ms": 15000})
        for at in range(self.count, self.count + count):
            order = json.dumps({"id": str(at)})
            producer.produce("orders", key=str(at), value=order, on_delivery=lambda error, dummy: refused.append(error))
        assert producer.flush(30) == 0 and refused == [None] * count
        self.count += count

    def arrive(self, region: str) -> None:
        """Every record is in the region, and none twice."""
        client = self.regions.kafka(region, "kdr-proof").config
        found: Counter[str] = Counter()

        def complete() -> bool:
            found.clear()
            found.update(topic_ids(client, ["orders"])["orders"])
            return len(found) == self.count

        self.regions.places[region].until(complete, f"{self.count} records in {region}", 120)
        assert set(found.values()) == {1}, "nothing is copied again"


def mirror(regions, region, name):
    """States of a mirror's connectors, by the operator."""
    found = regions.places[region].read(regions.namespaces[region], name, "kafkamirrormaker2s", API)
    return {one["connector"]["state"] for one in found["status"]["connectors"]}


def topic(regions, region):
    """Whether the Topic Operator owns ``orders``, and whether a stage has to do with that."""
    meta = regions.places[region].read(regions.namespaces[region], "orders", "kafkatopics", API)["metadata"]
    return meta.get("annotations", {}).get("strimzi.io/managed") != "false", LEFT_BY in meta["labels"]


def test_a_planned_move_there_and_back_copies_nothing_again(regions):
    orders = Orders(regions)
    regions.play([CREATE])
    regions.play([stage("initial_setup", initial_setup_source="north_america", initial_setup_target="europe")])
    orders.produce("north_america", 200)
    # Whoever keeps the KafkaTopics learns before anything moves that they are in the way.
    said = regions.play(move("north_america", "europe", failover_kafka_topics=False), fails=True).output
    assert "Topic orders of north_america is configured by its KafkaTopic" in said
    orders.produce("north_america", 10)

    regions.play(move("north_america", "europe"), check=True)
    assert mirror(regions, "europe", "backup") == {"RUNNING"}, "a check moves nothing"
    assert topic(regions, "north_america") == (True, False)
    regions.play(move("north_america", "europe"))
    assert mirror(regions, "europe", "backup") == {"STOPPED"}
    assert mirror(regions, "north_america", "backup-back") == {"RUNNING"}
    assert (topic(regions, "north_america"), topic(regions, "europe")) == ((False, True), (True, True))
    orders.produce("europe", 100)
    orders.arrive("north_america")

    regions.play(move("europe", "north_america"))
    assert mirror(regions, "north_america", "backup-back") == {"STOPPED"}
    assert mirror(regions, "europe", "backup") == {"RUNNING"}
    assert (topic(regions, "north_america"), topic(regions, "europe")) == ((True, True), (False, True))
    orders.produce("north_america", 50)
    orders.arrive("europe")
