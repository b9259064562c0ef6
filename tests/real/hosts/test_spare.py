# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker that one test hands on to the next is empty, or it is not handed on."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import AdminClient, ResourceType

from tests.support.configuring import configure
from tests.support.kafka import Kafka

from .mirrors import commit, create, send
from .spare import given_back, taken

pytestmark = pytest.mark.real


def broker(directory) -> Kafka:
    return taken(directory, "spare", ["stages"], {"super.users": "User:ANONYMOUS"})[0]


def test_it_is_handed_on_empty_and_not_once_it_was_changed_or_lost(tmp_path):
    first = broker(tmp_path)
    create(first.client, "left")
    send(first.client, "left", [b"1"])
    commit(first.client, "group", "left", 1)
    given_back(first)

    second = broker(tmp_path)
    admin = AdminClient(second.client)
    assert second is first
    assert "left" not in admin.list_topics(timeout=10).topics
    assert not admin.list_consumer_groups().result(10).valid

    configure(second.client, "1", {"log.cleaner.threads": "2"}, ResourceType.BROKER)
    given_back(second)
    third = broker(tmp_path)
    assert third is not second and not second.alive()

    third.kill()
    given_back(third)
    fourth = broker(tmp_path)
    assert fourth is not third and fourth.cluster_id != third.cluster_id
    fourth.stop()
