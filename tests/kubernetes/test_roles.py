# SPDX-License-Identifier: GPL-3.0-or-later
"""The part roles' Kubernetes side, on a real API server with real Kafka and MirrorMaker 2 behind the stand-in operator."""

from __future__ import annotations

import time

import pytest
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import topic_offsets

from tests.kubernetes.playing import Regions
from tests.support.operator.loop import Operator

pytestmark = pytest.mark.kubernetes


@pytest.fixture(scope="module")
def regions(new, tmp_path_factory):
    """Two regions in two namespaces of one API server, and the stand-in operator."""
    directory = tmp_path_factory.mktemp("regions")
    operator = Operator(new.kubeconfig, directory / "operator").start()
    made = Regions({"north_america": new, "europe": new}, directory)
    made.operator = operator
    yield made
    operator.stop()


def role(name, verb, **variables):
    """A task that plays one verb of a part role."""
    return {"name": f"{name} {verb}", "ansible.builtin.include_role": {"name": f"streamsafe.kafka_dr.{name}", "tasks_from": f"{verb}.yml"}, "vars": variables}


def produce(client, count, start=0):
    """Records into ``orders``; the error where Kafka refuses one."""
    refused = []
    producer = client.producer(**{"message_timeout_ms": 15000})
    for at in range(start, start + count):
        producer.produce("orders", key=str(at % 7), value=f"order {at}", on_delivery=lambda error, dummy: refused.append(error) if error else None)
    assert producer.flush(30) == 0
    return [one.name() for one in refused]


def ends(client):
    """End of each partition of ``orders``."""
    return {number: one["end"] for number, one in topic_offsets(client, {"orders": 2})["orders"].items()}


SET_UP = [
    role("kafka", "prepare", kafka_region="north_america"), role("kafka", "create", kafka_region="europe"), role("kafka", "await", kafka_region="north_america"),
    role("credentials", "carry", credentials_mirror="{{ described }}"),
    {"name": "Create the topics", "streamsafe.kafka_dr.topics": {
        "client": "{{ hostvars.north_america.kafka_dr_client }}", "client_secrets": "{{ hostvars.north_america.kafka_dr_client_secrets }}",
        "topics": "{{ hostvars.north_america.kafka_dr_topics }}"}},
    role("mirror", "install", mirror_described="{{ described }}"),
]


def test_a_mirror_is_set_up_stopped_fenced_and_removed(regions):
    """One walk through what the stages ask of the parts; what counts is looked up in Kafka."""
    regions.play(SET_UP)
    source, target = regions.kafka("north_america"), regions.kafka("europe")
    producer, stranger = regions.kafka("north_america", "shop-producer"), regions.kafka("europe", "shop-producer")
    assert producer.config["sasl.password"] == stranger.config["sasl.password"], "clients keep their passwords"
    assert produce(producer, 200) == []
    regions.play([role("mirror", "await_carrying", mirror_described="{{ described }}")])
    regions.places["europe"].until(lambda: sum(one for one in ends(target).values()) >= 200, "the records to arrive", 60)
    assert set(produce(stranger, 1)) == {"TOPIC_AUTHORIZATION_FAILED"}, "applications may not write in the target yet"

    again = regions.play(SET_UP)
    assert again.changed == 0, again.output

    regions.play([role("mirror", "stop", mirror_described="{{ described }}"), role("credentials", "fence", credentials_region="north_america"),
                  role("credentials", "admit", credentials_region="europe")])
    assert set(produce(producer, 3)) == {"TOPIC_AUTHORIZATION_FAILED"}, "the fence holds"
    before = ends(target)
    assert produce(KafkaClient({**source.config}), 5, 200) in ([], ["TOPIC_AUTHORIZATION_FAILED"] * 5)
    time.sleep(4)
    assert ends(target) == before, "a stopped mirror copies nothing"
    assert produce(stranger, 5) == [], "the target's applications may write now"

    regions.play([role("mirror", "remove", mirror_described="{{ described }}")])
    left = [name for name in target.metadata().topics if "mm2" in name]
    assert left == []
    assert regions.places["europe"].read(regions.namespaces["europe"], "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1") is None
