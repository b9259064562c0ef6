# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights that undo a fence: to grant rights, on topics that do not exist yet, and those given since the preflight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import STRAY, THERE, TOLD, of_role
from tests.real.ledger.guarded import guarded, password

from . import fencing

pytestmark = pytest.mark.real
SUPERS = ["User:ANONYMOUS", "User:stages"]
SHOP = {"name": "shop", "username": "shop", "password": password("shop")}


def right(principal: str, operation: str, name: str = "", resource: str = "topic") -> dict[str, Any]:
    pattern = {"name": name, "pattern": "prefixed"} if resource == "topic" else {}
    return {"principal": principal, "resource": resource, "operations": [operation], **pattern}


@pytest.fixture(scope="module")
def of_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    directory = tmp_path_factory.mktemp("meanwhile")
    broker, made = guarded(directory, "na", ("shop", "thief", "stages"), {"super.users": ";".join(SUPERS)})
    create(broker.client, "orders.x")
    yield made
    broker.stop()


@pytest.fixture
def granted(of_user: Any, request: pytest.FixtureRequest) -> Iterator[str]:
    """The principal that has the right."""
    client = KafkaClient(of_user("stages"), None, 30)
    ensure_acls(client, [request.param], "present", False)
    yield f"User:{request.param['principal']}"
    ensure_acls(client, [], "absent", False, ["shop", "thief", "*"])


def looked(of_user: Any, fenced: bool, *accepted: str) -> dict[str, Any]:
    settings = {"super_users": SUPERS, "above": SUPERS, "allow_everyone": False, "accepted": list(accepted)}
    return fencing.looked(of_user("stages"), [{**SHOP, "password": None}], fenced, **settings)


def write(client: dict[str, Any], topic: str) -> None:
    failed: list[Any] = []
    producer = Producer({**client, "log_level": 0})
    producer.produce(topic, b"late", on_delivery=lambda error, dummy: failed.append(error) if error else None)
    assert producer.flush(30) == 0 and failed == [], failed


UNDO = [
    right("*", "ALTER", resource="cluster"),
    right("thief", "ALL", resource="cluster"),
    right("*", "ALL", "orders.new."),
    right("thief", "ALL", "orders.new."),
]


@pytest.mark.parametrize("granted", UNDO, indirect=True)
def test_who_can_undo_a_fence_is_named_before_it_and_keeps_it_from_standing(of_user, granted):
    assert granted in looked(of_user, False)["unfenceable"]
    found = looked(of_user, True)
    assert not found["ready"] and [one.split()[0] for one in found["left"]] == [granted], found["left"]
    assert looked(of_user, True, granted)["ready"]


@pytest.mark.parametrize("granted", UNDO[:1], indirect=True)
def test_that_it_can_is_no_theory(of_user, granted):
    own = KafkaClient(of_user("shop"), None, 30)
    ensure_acls(own, [right("shop", "WRITE", "orders.")], "present", False)
    write(of_user("shop"), "orders.x")


@pytest.mark.parametrize("granted", UNDO[2:3], indirect=True)
def test_nor_that_topics_to_come_can_be_written(of_user, granted):
    own = KafkaClient(of_user("shop"), None, 30)
    new = {"name": "orders.new.x", "partitions": 1, "replication_factor": 1}
    ensure_topics(own, [new], "present", False)
    write(of_user("shop"), "orders.new.x")
    ensure_topics(own, [new], "absent", False)


@pytest.mark.parametrize("granted", [right("thief", "WRITE", "orders."), right("*", "WRITE", "orders.")], indirect=True)
def test_whoever_got_rights_since_the_preflight_keeps_the_fence_from_standing(of_user, granted):
    found = looked(of_user, True)
    assert not found["ready"] and [one.split()[0] for one in found["left"]] == [granted], found["left"]


@pytest.mark.full
def test_what_is_granted_since_the_preflight_is_remembered_where_the_fence_fails(world):
    broker = KafkaClient(world.brokers["na"].client)
    ensure_acls(broker, STRAY, "present", False)
    meanwhile = [right("shop", "WRITE", "bills."), right("thief", "WRITE", "orders.")]
    grant = {"client": world.brokers["na"].client, "acls": meanwhile}
    tasks = (
        of_role("credentials", "look.yml"),
        {"name": "Grant", "streamsafe.kafka_dr.acls": grant},
        {"name": "Try", "block": [of_role("credentials", "fence.yml")], "rescue": [TOLD]},
    )
    given = {"credentials_region": "na", "credentials_topics": r"orders\..*", "credentials_fence_timeout": 2}
    said = world.play("fence", THERE, tasks, {}, **given)
    assert "REFUSED na is not fenced" in said and "User:thief" in said.partition("REFUSED")[2], said[-3000:]
    assert world.rights() == []
    ensure_acls(broker, [], "absent", False, ["thief"])
    world.fence()
    world.move_back(planned=True)
    assert {acl.name for acl in world.rights()} == {"orders.", "nightly", "bills."}
