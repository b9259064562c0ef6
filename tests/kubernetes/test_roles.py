# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts' Kubernetes side: a real API server, real Kafka and MirrorMaker 2 behind the stand-in operator."""

from __future__ import annotations

import base64
import time
from typing import NamedTuple

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import topic_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import describe_quotas
from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions

# Long, and every part of a region is played twice.
pytestmark = [pytest.mark.kubernetes, pytest.mark.full]


class Clients(NamedTuple):
    """Of the stages in both regions, and of the application: in the source, and in the target, where it is a stranger
    at first.
    """

    source: KafkaClient
    target: KafkaClient
    producer: KafkaClient
    stranger: KafkaClient


@pytest.fixture(scope="module")
def regions(new, tmp_path_factory):
    """Two regions in two namespaces of one API server, and the stand-in operator."""
    directory = tmp_path_factory.mktemp("regions")
    # A cluster that was given has its own operator.
    operator = Operator(new.kubeconfig, directory / "operator").start() if new.plane else None
    made = Regions({"north_america": new, "europe": new}, directory)
    made.operator = operator
    yield made
    if operator:
        operator.stop()


def role(name, verb, **variables):
    """A task that plays one verb of a part role."""
    return {
        "name": f"{name} {verb}",
        "ansible.builtin.include_role": {"name": f"streamsafe.kafka_dr.{name}", "tasks_from": f"{verb}.yml"},
        "vars": variables,
    }


def produce(client, count, start=0):
    """Records into ``orders``; the error where Kafka refuses one."""
    refused = []
    producer = client.producer(**{"message_timeout_ms": 15000})
    for at in range(start, start + count):
        producer.produce(
            "orders",
            key=str(at % 7),
            value=f"order {at}",
            on_delivery=lambda error, dummy: error and refused.append(error),
        )
    assert producer.flush(30) == 0
    return [one.name() for one in refused]


def ends(client):
    """End of each partition of ``orders``."""
    return {number: one["end"] for number, one in topic_offsets(client, {"orders": 2})["orders"].items()}


# The first is about a KafkaUser, the other about nobody that has a resource.
QUOTAS = [
    {"entity": {"user": "shop-producer"}, "limits": {"producer_byte_rate": 50_000_000, "request_percentage": 150}},
    {"entity": {"client-id": "reports"}, "limits": {"consumer_byte_rate": 50_000_000}},
]
SET_UP = [
    role("kafka", "prepare", kafka_region="north_america"),
    role("kafka", "create", kafka_region="europe"),
    role("kafka", "await", kafka_region="north_america"),
    role("credentials", "carry", credentials_mirror="{{ described }}"),
    {
        "name": "Create the topics",
        "streamsafe.kafka_dr.topics": {
            "client": "{{ hostvars.north_america.kafka_dr_client }}",
            "client_secrets": "{{ hostvars.north_america.kafka_dr_client_secrets }}",
            "topics": "{{ hostvars.north_america.kafka_dr_topics }}",
        },
    },
    role("kafka", "quotas", kafka_region="north_america", kafka_quotas=QUOTAS),
    role("mirror", "install", mirror_described="{{ described }}"),
    role("applications", "start", applications_region="north_america", applications_of=["north_america"]),
]
SWITCH = [
    role("credentials", "fence", credentials_region="north_america"),
    role("applications", "stop", applications_region="north_america", applications_of=["north_america"]),
    role("mirror", "stop", mirror_described="{{ described }}"),
    role("credentials", "admit", credentials_region="europe"),
]


def deploy(cluster, namespace, **metadata):
    """The application: three pods that wait for a node for ever, which is all that a scale needs."""
    labels = {"app": "shop"}
    pod = {
        "containers": [
            {"name": "shop", "image": "shop", "envFrom": [{"secretRef": {"name": "shop-kafka", "optional": True}}]}
        ]
    }
    cluster.client.create(
        f"/apis/apps/v1/namespaces/{namespace}/deployments",
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "shop", **metadata},
            "spec": {
                "replicas": 3,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        },
    )


def test_a_mirror_is_set_up_stopped_fenced_and_removed(regions):
    """One walk through what the stages ask of the parts, with no right that they do not need; what counts is looked up
    in Kafka.
    """
    deploy(regions.places["europe"], regions.namespaces["north_america"])
    regions.limit_rights()
    regions.play(SET_UP)
    clients = Clients(
        regions.kafka("north_america"),
        regions.kafka("europe"),
        regions.kafka("north_america", "shop-producer"),
        regions.kafka("europe", "shop-producer"),
    )
    copies_and_keeps_strangers_out(regions, clients)
    has_its_quotas(regions, clients.source)
    again = regions.play([role("mirror", "await_carrying", mirror_described="{{ described }}"), *SET_UP])
    assert again.changed == 0, again.output
    before = ends(clients.source)
    regions.play(SWITCH)
    is_fenced(clients, before)
    has_its_quotas(regions, clients.source)
    is_stopped(regions, clients)
    regions.play(
        [
            role("applications", "start", applications_region="europe", applications_of=["north_america"]),
            role("mirror", "remove", mirror_described="{{ described }}"),
        ]
    )
    works_in_the_target(regions, clients.target)


def pointed_at(regions):
    """The address in the Secret of the application."""
    secret = regions.places["europe"].read(regions.namespaces["north_america"], "shop-kafka")
    return base64.b64decode(secret["data"]["KAFKA_BROKERS"]).decode()


def deployed(regions):
    return regions.places["europe"].read(regions.namespaces["north_america"], "shop", "deployments", "apps/v1")


def copies_and_keeps_strangers_out(regions, clients):
    """The mirror copies; applications are pointed at the source, and may not write in the target."""
    source, target, producer, stranger = clients
    assert producer.config["sasl.password"] == stranger.config["sasl.password"], "clients keep their passwords"
    assert produce(producer, 200) == []
    regions.places["europe"].until(
        lambda: "orders" in target.metadata().topics and sum(ends(target).values()) >= 200, "the records to arrive", 60
    )
    assert set(produce(stranger, 1)) == {"TOPIC_AUTHORIZATION_FAILED"}, "applications may not write in the target yet"
    assert pointed_at(regions) == source.config["bootstrap.servers"]


def has_its_quotas(regions, source):
    """Before a fence and after it: a fence leaves quotas alone."""
    here = regions.namespaces["north_america"]
    user = regions.places["europe"].read(here, "shop-producer", "kafkausers", "kafka.strimzi.io/v1")
    assert user["spec"]["quotas"] == {"producerByteRate": 50_000_000, "requestPercentage": 150}
    assert sorted(describe_quotas(source), key=str) == sorted(QUOTAS, key=str)


def is_fenced(clients, before):
    """The source has taken nothing more of the application."""
    assert set(produce(clients.producer, 3)) == {"TOPIC_AUTHORIZATION_FAILED"}, "the fence holds"
    assert ends(clients.source) == before


def is_stopped(regions, clients):
    """The application is gone, and the mirror copies nothing."""
    cluster, here, target = regions.places["europe"], regions.namespaces["north_america"], clients.target
    shop = deployed(regions)
    assert (
        shop["spec"]["replicas"],
        shop["status"].get("replicas", 0),
        shop["metadata"]["annotations"]["kafka-dr.streamsafe/replicas"],
    ) == (0, 0, "3")
    assert cluster.client.list(f"/api/v1/namespaces/{here}/pods") == []
    produce_as_admin(regions, "north_america", 5)
    kept = ends(target)
    time.sleep(6)
    assert ends(target) == kept, "a stopped mirror copies nothing"
    assert produce(clients.stranger, 5) == [], "the target's applications may write now"


def works_in_the_target(regions, target):
    """The application runs, pointed at the target, and nothing of the mirror is left."""
    cluster = regions.places["europe"]
    shop = deployed(regions)
    assert (
        shop["spec"]["replicas"],
        shop["spec"]["template"]["metadata"]["annotations"]["kafka-dr.streamsafe/region"],
    ) == (3, "europe")
    assert pointed_at(regions) == target.config["bootstrap.servers"]
    assert [name for name in target.metadata().topics if name.startswith("mm2")] == []
    assert cluster.read(regions.namespaces["europe"], "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1") is None


def produce_as_admin(regions, region, count):
    """Records that the mirror would copy if it ran."""
    if regions.operator is None:
        return
    broker = next(one for key, one in regions.operator.brokers.items() if key[0] == regions.namespaces[region])
    assert produce(broker.admin(), count, 1000) == []
