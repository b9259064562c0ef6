# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights with which somebody who is nobody in the inventory becomes the stages' own user, and gives back what a fence
took: none of them names a topic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafka.protocol.admin import CreateAclsRequest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.python_client import PythonClient
from tests.real.hosts.mirrors import create
from tests.real.ledger.guarded import guarded, password

from . import fencing

pytestmark = pytest.mark.real
EVERYONE, TOPIC = "allow.everyone.if.no.acl.found", "orders.x"
SUPERS = {"super.users": "User:ANONYMOUS;User:stages"}
SHOP = {"name": "User:shop", "username": "shop", "password": password("shop")}
MIRROR = {"principal": "mirror", "resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["READ"]}
DESCRIBED = {"principal": "mirror", "resource": "cluster", "operations": ["DESCRIBE"]}
TOKENS = {"delegation.token.secret.key": "a secret of this test"}
# In the protocol: the resource "user" and CREATE_TOKENS (KIP-373), of which librdkafka knows neither.
USER, LITERAL, CREATE_TOKENS, ALLOW = 7, 3, 13, 3


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    broker, of_user = guarded(tmp_path_factory.mktemp("grants"), "na", ("shop", "thief", "stages"), SUPERS)
    create(broker.client, TOPIC)
    yield of_user("stages")
    broker.stop()


def named(client: dict[str, Any], **more: Any) -> dict[str, str]:
    """Who is named before a fence; after it principals are what is left."""
    before, after = (fencing.looked(client, [SHOP], fenced, **more) for fenced in (False, True))
    principals = [name for name in before["unfenceable"] if name.startswith("User:")]
    assert [text.split()[0] for text in after["left"] if text.startswith("User:")] == principals, after["left"]
    return dict(before["unfenceable"])


@pytest.mark.parametrize("operation", ["ALTER_CONFIGS", "CLUSTER_ACTION"])
def test_whoever_may_open_a_listener_or_act_as_a_broker_is_named(stages, operation):
    admin = KafkaClient(stages, None, 30)
    given = [{"principal": "thief", "resource": "cluster", "operations": [operation, "DESCRIBE", "CREATE"]}]
    ensure_acls(admin, given, "present", False)
    try:
        assert f"ALLOW {operation} cluster" in named(stages)["User:thief"]
        assert named(stages, known=["stages", "thief"]) == {}
    finally:
        ensure_acls(admin, given, "absent", False)
    assert named(stages) == {}


def test_whoever_may_make_tokens_of_the_stages_is_named(stages):
    admin = KafkaClient(stages, None, 30)
    acl = CreateAclsRequest.AclCreation(
        resource_type=USER,
        resource_name="User:stages",
        resource_pattern_type=LITERAL,
        principal="User:thief",
        host="*",
        operation=CREATE_TOKENS,
        permission_type=ALLOW,
    )
    with PythonClient(admin) as connection:
        connection.ask(CreateAclsRequest(creations=[acl]), "create an ACL")
    try:
        assert "User:stages" in named(stages)["User:thief"]
    finally:
        ensure_acls(admin, [], "absent", False, ["thief"])


def open_to_everybody(
    directory, acls: list[dict[str, Any]], more: dict[str, str], value: str = "true"
) -> dict[str, str]:
    """Who is named where everything without an ACL may be open, and nobody says whether it is."""
    broker, of_user = guarded(directory, "na", ("shop", "stages"), {**SUPERS, EVERYONE: value, **more})
    try:
        create(broker.client, TOPIC)
        ensure_acls(KafkaClient(of_user("stages"), None, 30), acls, "present", False)
        return named(of_user("stages"), known=["stages", "mirror"])
    finally:
        broker.stop()


def test_a_cluster_without_an_acl_is_open_where_topics_are_not(tmp_path):
    every = {**MIRROR, "name": "*", "pattern": "literal"}
    assert "is true" in open_to_everybody(tmp_path, [every], {})[EVERYONE]


def test_a_topic_that_is_not_there_yet_is_open(tmp_path):
    assert "is true" in open_to_everybody(tmp_path, [MIRROR, DESCRIBED], {})[EVERYONE]


def test_where_it_may_be_open_and_tokens_are_made_it_is_named(tmp_path):
    every = {**MIRROR, "name": "*", "pattern": "literal"}
    assert "delegation tokens" in open_to_everybody(tmp_path, [every, DESCRIBED], TOKENS)[EVERYONE]


def test_where_nothing_that_matters_may_be_open_it_is_not_named(tmp_path):
    every = {**MIRROR, "name": "*", "pattern": "literal"}
    assert open_to_everybody(tmp_path, [every, DESCRIBED], {}) == {}


def test_what_is_shown_to_be_closed_is_not_named(tmp_path):
    assert open_to_everybody(tmp_path, [MIRROR, DESCRIBED], TOKENS, "false") == {}
