# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker without an authorizer lets everybody write, and shows no ACL. Nobody takes it for one where nobody has
rights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.writers import strangers
from tests.real.hosts.mirrors import create
from tests.real.ledger.guarded import guarded, joined
from tests.support.kafka import Kafka

from . import fencing

pytestmark = pytest.mark.real
NAME, TOPIC = "authorizer.class.name", "orders.x"
USERS = ("shop", "stages")
SUPERS = {"super.users": "User:ANONYMOUS;User:stages"}


@pytest.fixture(scope="module")
def unguarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    broker = Kafka(tmp_path_factory.mktemp("open"), "na").start()
    create(broker.client, TOPIC)
    yield broker.client
    broker.stop()


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Two brokers, of which one was started without the setting."""
    base = tmp_path_factory.mktemp("half")
    first, of_user = guarded(base / "1", "half", USERS, SUPERS)
    second = joined(base / "2", first, 2, USERS, {**SUPERS, NAME: ""})
    create(first.client, TOPIC)
    yield of_user("stages")
    second.kill()
    first.kill()


def looked(client: dict[str, Any], *principals: str, **more: Any) -> dict[str, Any]:
    named = [{"name": name, "username": name, "password": None} for name in principals]
    return fencing.looked(client, named, **{"fenced": False, **more})


@pytest.mark.parametrize("principals", [(), ("shop",)])
@pytest.mark.parametrize("others", [True, False])
def test_a_cluster_that_binds_nobody_is_named_before_anything_is_changed(unguarded, principals, others):
    found = looked(unguarded, *principals, others=others)
    assert set(found["unfenceable"]) == {NAME} and "broker 1" in found["unfenceable"][NAME], found


@pytest.mark.parametrize("principals", [(), ("shop",)])
def test_it_never_counts_as_fenced_unless_that_was_accepted(unguarded, principals):
    found = looked(unguarded, *principals, fenced=True)
    assert not found["ready"] and found["left"] == ["broker 1 has no authorizer and lets everybody write"], found
    assert looked(unguarded, *principals, fenced=True, accepted=[NAME])["ready"]


def test_one_broker_of_several_that_binds_nobody_is_named(half):
    found = looked(half, "shop")
    assert "broker 2" in found["unfenceable"].get(NAME, "") and "broker 1" not in found["unfenceable"][NAME], found
    found = looked(half, "shop", fenced=True)
    assert not found["ready"] and "broker 2 has no authorizer and lets everybody write" in found["left"], found


def test_everybody_may_write_to_the_ledger_there(unguarded):
    client = KafkaClient(unguarded, timeout=30)
    assert strangers(client, {"__kafka_dr_ledger": ["User:stages"]}) == ["everybody: the cluster has no authorizer"]


def test_no_acls_are_not_shown_as_none_there_and_cannot_be_made(unguarded):
    client = KafkaClient(unguarded, timeout=30)
    with pytest.raises(KafkaDrError, match=NAME):
        describe_acls(client)
    granted = {"principal": "shop", "resource": "topic", "name": TOPIC, "operations": ["READ"]}
    with pytest.raises(KafkaDrError, match=NAME):
        ensure_acls(client, [granted], "present", False)
    assert not ensure_acls(client, [granted], "absent", False, ["shop"])["changed"]
