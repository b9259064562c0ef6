# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka leaves a group out of its list for whom it does not let describe it. That is no group without members."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from confluent_kafka import Consumer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthorizationError, RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import workers_of
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.consumer_groups import consumer_groups
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_seed import _no_worker
from tests.real.hosts.mirrors import until
from tests.real.ledger.guarded import guarded
from tests.support.offsets_lab import create

from .test_settled import looked

pytestmark = pytest.mark.real


@pytest.fixture
def running(tmp_path):
    """A group with a member, and configurations of the broker's administrator and of who may not describe the group."""
    broker, of_user = guarded(tmp_path, "hides-group", ["looker"])
    try:
        create(broker, ("orders", 1, {}))
        right = {"principal": "looker", "resource": "topic", "name": "orders", "operations": ["READ", "DESCRIBE"]}
        seen = {"principal": "looker", "resource": "group", "name": "shown", "operations": ["DESCRIBE"]}
        ensure_acls(KafkaClient(broker.client), [right, seen], "present", False)
        consumer = Consumer({**broker.client, "group.id": "workers"})
        consumer.subscribe(["orders"])
        until(lambda: consumer.poll(0.5) or consumer.assignment(), "the member", 60)
        yield SimpleNamespace(admin=broker.client, looker=of_user("looker"))
        consumer.close()
    finally:
        broker.stop()


def emptied(client, *groups):
    return looked(client, "orders", until_settled=False, until_empty_groups=list(groups))


def test_a_group_that_is_hidden_is_not_empty(running):
    found = emptied(running.admin, "workers")
    assert not found["ready"] and found["waiting_for"] == "group workers to be empty"
    assert emptied(running.looker, "shown")["ready"], "there is no such group, and this principal may know"
    with pytest.raises(AuthorizationError, match="workers"):
        emptied(running.looker, "workers")
    with pytest.raises(AuthorizationError, match="workers"):
        workers_of(KafkaClient(running.looker), "workers")
    assert workers_of(KafkaClient(running.looker), "shown") == ("Empty", [])
    with pytest.raises(RefusedError):
        _no_worker(KafkaClient(running.admin), "workers")
    with pytest.raises(AuthorizationError, match="workers"):
        _no_worker(KafkaClient(running.looker), "workers")
    asked = {"client": running.looker, "client_secrets": {}, "timeout": 30, "groups": ["workers"]}
    with pytest.raises(AuthorizationError, match="workers"):
        consumer_groups({**asked, "state": "absent"}, True)
