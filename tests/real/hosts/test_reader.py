# SPDX-License-Identifier: GPL-3.0-or-later
"""The principal of jobs that only read, with its rights on a real broker: it sees what they need, and may change
nothing.
"""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls

from .doctor import doctor
from .mirrors import commit, create, send
from .secured import Authority, client_of, make_users, secured_kafka

pytestmark = pytest.mark.full

MIRROR = {
    "name": "backup",
    "source": "source",
    "target": "target",
    "topics": ["orders\\..*"],
    "groups": ["orders-.*"],
    "tuning": {"replication_factor": 1},
}
LEDGER = "__kafka_dr_ledger"


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    """The reader's client with its secrets, in the source and in the target of a mirror, each with its data."""
    authority, base, made = Authority(), tmp_path_factory.mktemp("reader"), {}
    kafkas = {
        side: secured_kafka(base / side, side, authority, authorizer=True).start(wait=0)
        for side in ("source", "target")
    }
    for side, kafka in kafkas.items():
        kafka.await_ready()
        make_users(kafka, "kdr-reader")
        create(kafka.client, "orders.items", "other.items", LEDGER)
        send(kafka.client, "orders.items", [b"x"] * 5)
        commit(kafka.client, "orders-group", "orders.items", 3)
        send(kafka.client, LEDGER, [b"{}"])
        ensure_acls(
            KafkaClient(kafka.client, {}, 20), service_acls("kdr-reader", "reader", MIRROR, side), "present", False
        )
        client, secrets = client_of(kafka, "scram-sha-512", authority)
        made[side] = ({**client, "sasl.username": "kdr-reader"}, secrets)
    yield made
    for kafka in kafkas.values():
        kafka.stop(5)


def test_it_sees_all_that_reading_jobs_ask_for(sides):
    asked = {
        key: value
        for side, (client, secrets) in sides.items()
        for key, value in ((side + "_client", client), (side + "_client_secrets", secrets))
    }
    found = doctor(**asked, topics="orders\\..*", groups="orders-.*", watch_seconds=0)
    assert not [one for one in found["findings"] if one["check"].startswith("cannot-read")], found["findings"]
    assert found["partitions"] == 1 and "never-ran" in {one["check"] for one in found["findings"]}
    for client, secrets in sides.values():
        consumer = Consumer({**client, **secrets, "group.id": "none", "enable.auto.commit": False})
        for topic in ("orders.items", LEDGER):
            consumer.assign([TopicPartition(topic, 0, 0)])
            assert consumer.poll(20).error() is None, topic
        consumer.close()


def refused(call):
    """The broker's answer, which has to be that this is not allowed."""
    with pytest.raises(KafkaException) as caught:
        call()
    return "AUTHORIZATION_FAILED" in caught.value.args[0].name()


@pytest.mark.parametrize("side", ["source", "target"])
def test_it_may_change_nothing(sides, side):
    client, secrets = sides[side]
    admin = AdminClient({**client, **secrets})
    entry = ConfigEntry("retention.ms", "1", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource("topic", "orders.items", incremental_configs=[entry])
    for futures in (
        admin.create_topics([NewTopic("orders.new", 1, 1)]),
        admin.delete_topics(["orders.items"]),
        admin.create_partitions([NewPartitions("orders.items", 2)]),
        admin.incremental_alter_configs([resource]),
        admin.delete_consumer_groups(["orders-group"]),
    ):
        assert refused(next(iter(futures.values())).result)
    consumer = Consumer({**client, **secrets, "group.id": "orders-group", "enable.auto.commit": False})
    assert refused(lambda: consumer.commit(offsets=[TopicPartition("orders.items", 0, 0)], asynchronous=False))
    consumer.close()


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("topic", ["orders.items", LEDGER, "mm2-offsets.source.internal"])
def test_it_may_write_nothing(sides, side, topic):
    client, secrets = sides[side]
    told = []
    producer = Producer({**client, **secrets})
    producer.produce(topic, b"forged", on_delivery=lambda error, message: told.append(error))
    producer.flush(30)
    assert (
        told
        and told[0] is not None
        and told[0].name() in ("TOPIC_AUTHORIZATION_FAILED", "_UNKNOWN_TOPIC", "UNKNOWN_TOPIC_OR_PART")
    ), told
