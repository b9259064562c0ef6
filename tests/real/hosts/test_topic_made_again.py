# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic that is deleted while deletion is held off there leaves no hold to one that is made again under its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import topic_configs
from tests.real.hosts.mirrors import until
from tests.support.kafka import Kafka

pytestmark = pytest.mark.real
NAME = "orders.held"
HELD = {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "compact,delete"}
HELD["min.compaction.lag.ms"] = "9223372036854775807"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Kafka]:
    one = Kafka(tmp_path / "na", "na").start()
    yield one
    one.stop()


def shows(broker: Kafka, keys: set[str]) -> None:
    client = KafkaClient(broker.client, timeout=30)
    until(lambda: set(topic_configs(client, [NAME])[NAME]) == keys, f"the topic to have {keys}")


def test_a_broker_that_is_started_anew_shows_no_hold_of_a_former_topic(broker: Kafka) -> None:
    topic = {"name": NAME, "partitions": 1, "replication_factor": 1}
    ensure_topics(KafkaClient(broker.client, timeout=30), [topic], "present", False)
    ensure_topics(KafkaClient(broker.client, timeout=30), [{**topic, "configs": HELD}], "present", False)
    shows(broker, set(HELD))
    ensure_topics(KafkaClient(broker.client, timeout=30), [{"name": NAME}], "absent", False)
    broker.stop()
    broker.start()
    made = {**topic, "configs": {"cleanup.policy": "compact,delete"}}
    ensure_topics(KafkaClient(broker.client, timeout=30), [made], "present", False)
    shows(broker, {"cleanup.policy"})


def test_what_a_broker_revived_of_a_former_topic_is_taken_away_where_it_is_to_be_removed(broker: Kafka) -> None:
    client = KafkaClient(broker.client, timeout=30)
    topic = {"name": NAME, "partitions": 1, "replication_factor": 1}
    ensure_topics(client, [{**topic, "configs": HELD}], "present", False)
    # Somebody else deletes it, who knows of no hold.
    client.admin.delete_topics([NAME])[NAME].result(30)
    broker.stop()
    broker.start()
    client = KafkaClient(broker.client, timeout=30)
    ensure_topics(client, [topic], "present", False)
    shows(broker, set(HELD))
    wanted = {**topic, "configs": {**dict.fromkeys(HELD), "cleanup.policy": "compact"}}
    done = ensure_topics(client, [wanted], "present", False)
    assert done["altered"] == [NAME]
    assert topic_configs(client, [NAME])[NAME] == {"cleanup.policy": "compact"}, "seen at once, without waiting"
    assert not ensure_topics(client, [wanted], "present", False)["changed"]


def test_a_value_that_the_broker_writes_otherwise_is_no_change(broker: Kafka) -> None:
    client = KafkaClient(broker.client, timeout=30)
    configs = {"min.cleanable.dirty.ratio": "0.50", "cleanup.policy": "compact, delete", "retention.ms": "86400000"}
    topic = {"name": NAME, "partitions": 1, "replication_factor": 1, "configs": configs}
    ensure_topics(client, [{**topic, "configs": {"retention.ms": "1000"}}], "present", False)
    assert ensure_topics(client, [topic], "present", False)["changed"]
    assert not ensure_topics(client, [topic], "present", False)["changed"]
