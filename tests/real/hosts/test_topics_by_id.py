# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic that was made again since a run read it is not deleted by that run: its records are another run's copies, or
somebody's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import cluster_state
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.restore import described
from tests.real.hosts.mirrors import create, send, until
from tests.support.kafka import Kafka

pytestmark = pytest.mark.real
NAMES = ["orders.a", "orders.b"]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    started = Kafka(tmp_path_factory.mktemp("ids"), "na").start()
    yield started
    started.stop()


def seen(client: KafkaClient) -> dict[str, Any]:
    return cluster_state(client, ["topics"], r"orders\..*")["topics"]


def test_a_topic_that_was_made_again_is_not_deleted(broker):
    client, admin = KafkaClient(broker.client, timeout=30), AdminClient(broker.client)
    for name in NAMES:
        create(broker.client, name)
    until(lambda: set(seen(client)) == set(NAMES), "the topics")
    read = described(seen(client), ids=True)
    admin.delete_topics(["orders.b"])["orders.b"].result(30)
    until(lambda: set(seen(client)) == {"orders.a"}, "the topic to be gone")
    create(broker.client, "orders.b")
    send(broker.client, "orders.b", [b"of another run"])
    for check in (True, False):
        with pytest.raises(RefusedError, match=r"orders\.b is another topic than the one that was read"):
            ensure_topics(client, read, "absent", check)
    assert set(seen(client)) == set(NAMES), "nothing is deleted where one is another"
    assert ensure_topics(client, described(seen(client), ids=True), "absent", False)["deleted"] == NAMES
    assert ensure_topics(client, read, "absent", False)["deleted"] == [], "what is gone is gone"
