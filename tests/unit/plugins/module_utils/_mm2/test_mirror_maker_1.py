# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import lint
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.mirror_maker_1 import from_mirror_maker_1

CONSUMER = """
# the old one
bootstrap.servers=na1:9092,na2:9092
group.id=old-mirror
auto.offset.reset=latest
security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-512
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="m" password="hunter2";
ssl.truststore.location=/etc/mm/trust.jks
ssl.truststore.password=hunter3
max.poll.records=2000
isolation.level=read_uncommitted
odd.setting=7
"""
PRODUCER = """
bootstrap.servers=eu1:9092
acks=1
compression.type=lz4
max.request.size=10485760
batch.size=65536
"""


def made(**more):
    return from_mirror_maker_1(CONSUMER, PRODUCER, "na", "eu", **more)


def test_names_are_kept_streams_become_tasks_and_tuning_is_carried():
    mirror = made(whitelist="orders.*|stock", streams=6)["mirror"]
    assert mirror["policy"] == "identity" and mirror["topics"] == ["orders.*", "stock"]
    assert mirror["tuning"] == {"tasks_max": 6, "compression": "lz4", "max_record_bytes": 10485760}
    assert mirror["config"]["source"] == {"consumer.max.poll.records": "2000", "producer.override.batch.size": "65536"}


def test_the_new_description_is_valid_and_without_traps():
    assert [one for one in lint(made()["mirror"]) if one["severity"] != "info"] == []


def test_every_change_is_told():
    what = {one["what"]: (one["before"], one["after"]) for one in made()["changes"]}
    assert what["acks"] == ("1", "all")
    assert what["where it begins"] == ("latest", "earliest")
    assert what["isolation.level"] == ("read_uncommitted", "read_committed")
    assert what["consumer.odd.setting"] == ("7", "left out")


def test_what_a_person_must_do_is_told():
    text = " ".join(made(message_handler="com.example.Handler")["by_hand"])
    assert "old-mirror" in text and "trust.jks" in text and "com.example.Handler" in text and "vault" in text


def test_no_secret_comes_out():
    assert "hunter" not in str(made())


def test_a_pattern_with_brackets_is_left_whole():
    assert made(whitelist="(orders|stock).*")["mirror"]["topics"] == ["(orders|stock).*"]


def test_the_oldest_files_still_read():
    result = from_mirror_maker_1(
        "zookeeper.connect=zk:2181\ngroup.id=g\n", "metadata.broker.list=eu1:9092\n", "na", "eu"
    )
    assert result["clients"]["eu"] == {"bootstrap.servers": "eu1:9092"}
    assert any("ZooKeeper" in one for one in result["by_hand"])


@pytest.mark.parametrize("consumer, producer", [("", PRODUCER), (CONSUMER, ""), (PRODUCER, CONSUMER)])
def test_refuses_files_that_are_not_its(consumer, producer):
    with pytest.raises(UsageError):
        from_mirror_maker_1(consumer, producer, "na", "eu")
