# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker without an authorizer lets everybody write, and shows no ACL; another one lets everybody write where a topic
has none. Nobody takes them for brokers where nobody has rights.
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
from tests.real.ledger.guarded import guarded, joined, password
from tests.support.kafka import Kafka

from . import fencing

pytestmark = pytest.mark.real
NAME, TOPIC = "authorizer.class.name", "orders.x"
EVERYONE = "allow.everyone.if.no.acl.found"
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


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Its ACLs bind, and topics that have none are open to everybody."""
    broker, of_user = guarded(tmp_path_factory.mktemp("lenient"), "lenient", USERS, {**SUPERS, EVERYONE: "true"})
    create(broker.client, TOPIC, "orders.bound")
    bound = {"principal": "reports", "resource": "topic", "name": "orders.bound", "operations": ["READ"]}
    ensure_acls(KafkaClient(of_user("stages"), timeout=30), [bound], "present", False)
    yield of_user("stages")
    broker.stop()


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


def as_shop(client: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What is found where the application is asked what it may do, and the ACL of another one is described."""
    named = [{"name": "shop", "username": "shop", "password": password("shop")}]
    return fencing.looked(client, named, **{"fenced": False, "known": ["stages", "reports"], **more})


def test_topics_that_are_open_where_they_have_no_acl_are_named_before_anything_is_changed(lenient):
    found = as_shop(lenient)
    assert found["settings"][EVERYONE] == "hidden", "no client is told; what shop may do tells it"
    assert found["unfenceable"] == {
        EVERYONE: "is true: what has no ACL is open to everybody, topics and the cluster alike"
    }, found


def test_where_nobody_can_be_asked_that_it_is_set_is_named_as_a_question(lenient):
    found = looked(lenient, "shop", known=["stages", "reports"])
    assert "is set, no client is told to what" in found["unfenceable"][EVERYONE], found


def test_a_topic_that_is_open_never_counts_as_fenced_unless_that_was_accepted(lenient):
    found = as_shop(lenient, fenced=True)
    left, beside = found["left"]
    assert not found["ready"] and left.startswith("broker 1 lets User:shop "), found
    assert "WRITE" in left and left.endswith(f" {TOPIC}"), "orders.bound has an ACL"
    assert beside == "broker 1 lets User:shop ALTER and ALTER_CONFIGS and CLUSTER_ACTION cluster:kafka-cluster"
    assert as_shop(lenient, fenced=True, accepted=[EVERYONE])["ready"]
