# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages over regions on Kubernetes: set up, the source lost in the middle of traffic, failover. Long:
``make test-kubernetes``.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions, stage
from tests.support.kubernetes import Cluster

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

APPS = Path(__file__).resolve().parents[2] / "lab" / "apps"


class Application:
    """One of the lab's programs as a Deployment, and what it wrote down."""

    def __init__(self, cluster, namespace: str, directory: Path, name: str, program: str, table: str, *words: str):
        self.journal, self.table = directory / f"{name}.sqlite", table
        labels = {"app": name}
        container = {
            "name": "app",
            "image": "lab",
            "command": [sys.executable, str(APPS / program), *words, "--journal", str(self.journal)],
            "envFrom": [{"secretRef": {"name": f"{name}-kafka"}}],
            "env": [{"name": "KAFKA_CERT", "value": "/etc/kafka/KAFKA_CA"}],
            "volumeMounts": [{"name": "kafka", "mountPath": "/etc/kafka"}],
        }
        cluster.client.create(
            f"/apis/apps/v1/namespaces/{namespace}/deployments",
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": name},
                "spec": {
                    "replicas": 0,
                    "selector": {"matchLabels": labels},
                    "template": {
                        "metadata": {"labels": labels},
                        "spec": {
                            "containers": [container],
                            "volumes": [{"name": "kafka", "secret": {"secretName": f"{name}-kafka"}}],
                        },
                    },
                },
            },
        )

    def rows(self, where: str = "1=1") -> list[tuple]:
        """Rows of its journal."""
        if not self.journal.exists():
            return []
        with sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True, timeout=10) as journal:
            return journal.execute(f"SELECT * FROM {self.table} WHERE {where}").fetchall()


class OneApi:
    """Both regions are namespaces of one API server; the loss is that of the namespace."""

    def __init__(self, new, directory: Path):
        self.cluster = new
        self.operators = [Operator(new.kubeconfig, directory / "operator").start()]
        self.places = {"north_america": new, "europe": new}

    def lose(self, namespace: str) -> None:
        path, kafka = f"/api/v1/namespaces/{namespace}", f"/apis/kafka.strimzi.io/v1/namespaces/{namespace}/kafkas/main"
        self.cluster.client.delete(path)
        self.cluster.until(lambda: self.cluster.client.get(kafka) is None, "the region to be gone", 120)
        # The Topic Operator ended before it took its finalizers off.
        assert self.cluster.client.get(path)["status"]["phase"] == "Terminating"

    def stop(self) -> None:
        for one in self.operators:
            one.stop()


class TwoApis(OneApi):
    """Each region has an API server of its own; the loss is that of all that ran there, API server included."""

    def __init__(self, new, directory: Path):
        super().__init__(new, directory)
        self.lost = Cluster.start(directory / "america", "america").install("1.2.0")
        self.operators.append(Operator(self.lost.kubeconfig, directory / "america-operator").start())
        self.places["north_america"] = self.lost

    def lose(self, namespace: str) -> None:
        self.operators.pop().stop()
        self.lost.kill()

    def stop(self) -> None:
        super().stop()
        self.lost.stop()


TOPICS = ("departed", "cancelled", "delayed")
USERS = [
    {
        "name": "departures-producer",
        "purpose": "application",
        "acls": [{"resource": "topic", "name": "flights.", "pattern": "prefixed", "operations": ["WRITE", "DESCRIBE"]}],
    },
    {
        "name": "departures-consumer",
        "purpose": "application",
        "acls": [
            {"resource": "topic", "name": "flights.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
            {"resource": "group", "name": "flights-dashboard", "operations": ["READ", "DESCRIBE"]},
        ],
    },
]
APPLICATIONS = [
    {
        "name": "departures-consumer",
        "kind": "kubernetes",
        "role": "consumer",
        "groups": ["flights-dashboard"],
        "principals": ["departures-consumer"],
    },
    {"name": "departures-producer", "kind": "kubernetes", "role": "producer", "principals": ["departures-producer"]},
]
# A topic of the source that its Topic Operator keeps.
OWN_TOPIC = {
    "apiVersion": "kafka.strimzi.io/v1",
    "kind": "KafkaTopic",
    "metadata": {"name": "own", "labels": {"strimzi.io/cluster": "main"}},
    "spec": {"partitions": 1, "replicas": 1},
}
CREATE = {
    "name": "Create both clusters",
    "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.kafka", "tasks_from": "create.yml"},
    "loop": ["north_america", "europe"],
    "loop_control": {"loop_var": "kafka_region"},
}
LET_GO = {
    "name": "Let go",
    "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.mirror", "tasks_from": "kubernetes/topics_left.yml"},
    "vars": {"mirror_described": "{{ described }}", "__mirror_reads": "kafka.strimzi.io/v1"},
}


@pytest.fixture(params=[OneApi, TwoApis])
def regions(request, new, tmp_path):
    """Two regions, and the applications in a third place beside the target; none has a right that it does not need."""
    if new.plane is None:
        pytest.skip("needs the stand-in operator")
    apart = request.param(new, tmp_path)
    made = Regions(apart.places, tmp_path)
    made.lose = apart.lose
    made.hosts["north_america"].pop("kafka_dr_applications")
    made.mirror.update(topics=[r"flights\..*"], groups=["flights-dashboard"])
    for name in ("north_america", "europe"):
        host = made.hosts[name]
        host["kafka_dr_users"] = [one for one in host["kafka_dr_users"] if one["purpose"] != "application"] + USERS
        host["kafka_dr_kubernetes"]["witness_image"] = "lab"
        host["kafka_dr_kafka"]["resources"] += [OWN_TOPIC] * (name == "north_america")
        host["kafka_dr_topics"] = [
            {"name": f"flights.{one}", "partitions": 2, "replication_factor": 1, "configs": {"retention.ms": -1}}
            for one in TOPICS
        ]
    namespace = made.add_applications(new, APPLICATIONS)
    made.consumer = Application(new, namespace, tmp_path, "departures-consumer", "departures_consumer.py", "processed")
    words = ("0", "--history", "1000", "--rate", "20")
    made.producer = Application(
        new, namespace, tmp_path, "departures-producer", "departures_producer.py", "produced", *words
    )
    (tmp_path / "work").mkdir()
    made.limit_rights()
    yield made
    apart.stop()


def test_a_region_is_lost_and_its_applications_move(regions):
    cluster = regions.places["europe"]
    set_up = stage("initial_setup", initial_setup_source="north_america", initial_setup_target="europe")
    regions.play([CREATE])
    # A dry run returns no resourceVersion, and makes no user whose password could be read.
    regions.play([set_up], check=True)
    assert cluster.read(regions.namespaces["europe"], "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1") is None
    regions.play([set_up])
    cluster.until(lambda: len(regions.consumer.rows()) > 1000, "live traffic to be processed", 120)
    regions.lose(regions.namespaces["north_america"])
    before = {one[0] for one in regions.consumer.rows()}
    failover = stage("failover", failover_source="north_america", failover_target="europe")
    kept = written(regions)
    regions.play([failover], check=True)
    assert written(regions) == kept, "a check of the failover changed something"
    regions.play([failover])
    cluster.until(
        lambda: len(regions.consumer.rows("region = 'europe'")) > 50, "traffic to be processed in europe", 120
    )
    again = [one[0] for one in regions.consumer.rows("region = 'europe'") if one[0] in before]
    assert len(again) < 200, "applications went on near where they were"
    is_stopped_with_what_it_idles_with(regions)
    topics = copied_topics(regions)
    assert {
        one["metadata"]["name"]: (one["spec"]["partitions"], str(one["spec"]["config"]["retention.ms"]))
        for one in topics
    } == {f"flights.{name}": (2, "-1") for name in TOPICS}
    # The Topic Operator leaves to a mirror what a failover gave it.
    regions.play([LET_GO])
    assert {one["metadata"]["annotations"]["strimzi.io/managed"] for one in copied_topics(regions)} == {"false"}


def written(regions):
    """What a failover would change in the target's namespace, and where the application runs."""
    cluster, api = regions.places["europe"], "kafka.strimzi.io/v1"
    places = [(api, one, regions.namespaces["europe"]) for one in ("kafkamirrormaker2s", "kafkausers", "kafkatopics")]
    return {
        (plural, one["metadata"]["name"]): one["spec"]
        for version, plural, namespace in [*places, ("apps/v1", "deployments", regions.namespaces["south_america"])]
        for one in cluster.client.list(object_path(version, plural, namespace))
    }


def copied_topics(regions):
    """The KafkaTopics of the target."""
    namespace = regions.namespaces["europe"]
    return regions.places["europe"].client.list(f"/apis/kafka.strimzi.io/v1/namespaces/{namespace}/kafkatopics")


def is_stopped_with_what_it_idles_with(regions):
    """The connectors are stopped, and the mirror's user may write what its worker idles with."""
    cluster = regions.places["europe"]
    mirror = cluster.read(regions.namespaces["europe"], "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1")
    assert {one["connector"]["state"] for one in mirror["status"]["connectors"]} == {"STOPPED"}
    left = cluster.read(regions.namespaces["europe"], "kdr-mirror", "kafkausers", "kafka.strimzi.io/v1")["spec"][
        "authorization"
    ]["acls"]
    written = {
        rule["resource"].get("name")
        for rule in left
        if rule["resource"]["type"] == "topic" and "Write" in rule["operations"]
    }
    assert written == {"mm2-", "north_america.checkpoints.internal"}, (
        "a stopped mirror keeps what its worker idles with, and nothing else"
    )
