# SPDX-License-Identifier: GPL-3.0-or-later
"""A fence takes every kind of right, also those that librdkafka has no names for; refusals stay; and what may be given
back comes back word for word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafka.protocol.admin import CreateAclsRequest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.broker_acls import acls_by_broker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.python_client import PythonClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.fence import given_back
from tests.real.hosts.mirrors import create
from tests.real.ledger.guarded import guarded, password

from . import fencing

pytestmark = pytest.mark.real
TOPIC, CLUSTER, SHOP = 2, 4, "User:shop"
DENY, ALLOW, ALL_OPERATIONS, WRITE = 2, 3, 2, 4
# Resource, name, pattern, operation, permission, host: numbers of the protocol.
OURS = [
    (TOPIC, "*", 3, ALL_OPERATIONS, ALLOW, "*"),
    (TOPIC, "orders.", 4, WRITE, ALLOW, "10.1.2.3"),
    (3, "*", 3, 3, ALLOW, "*"),
    (5, "shop-", 4, WRITE, ALLOW, "*"),
    (CLUSTER, "kafka-cluster", 3, 12, ALLOW, "*"),
]
# Over the cluster, delegation tokens of others, and two-phase commit.
BY_HAND = [
    (CLUSTER, "kafka-cluster", 3, 7, ALLOW, "*"),
    (6, "*", 3, 8, ALLOW, "*"),
    (7, "User:boss", 3, 13, ALLOW, "*"),
    (5, "shop-", 4, 15, ALLOW, "*"),
]
REFUSED = [(TOPIC, "orders.secret", 3, WRITE, DENY, "*")]
REGION = {"kafka_dr_users": [{"name": "shop", "purpose": "application", "password": password("shop")}]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaClient]:
    broker, of_user = guarded(
        tmp_path_factory.mktemp("kinds"), "na", ["stages", "shop"], {"super.users": "User:ANONYMOUS;User:stages"}
    )
    create(broker.client, "orders.x")
    yield KafkaClient(of_user("stages"), None, 30)
    broker.stop()


def grant(client: KafkaClient, rows: list[tuple[Any, ...]]) -> None:
    """What librdkafka cannot write."""
    names = ("resource_type", "resource_name", "resource_pattern_type", "operation", "permission_type", "host")
    creations = [CreateAclsRequest.AclCreation(principal=SHOP, **dict(zip(names, row, strict=True))) for row in rows]
    with PythonClient(client) as connection:
        (broker,) = client.metadata().brokers
        answer = connection.ask(CreateAclsRequest(creations=creations), "create ACLs", broker)
    assert [one.error_code for one in answer.results] == [0] * len(rows), answer


def has(client: KafkaClient) -> set[Any]:
    """The ACLs of the application as the one broker has them."""
    brokers = acls_by_broker(client)[0]
    assert len(brokers) == 1
    return {acl for found in brokers.values() for acl in found if acl.principal == SHOP}


def looked(client: KafkaClient, fenced: bool) -> dict[str, Any]:
    principals = [{"name": SHOP, "username": "shop", "password": password("shop")}]
    above = {"super_users": ["User:ANONYMOUS", "User:stages"], "allow_everyone": False, "above": ["ANONYMOUS"]}
    return fencing.looked(client.config, principals, fenced, **above)


def test_every_kind_of_right_is_taken_and_what_may_come_back_does(client):
    grant(client, OURS + BY_HAND + REFUSED)
    before = has(client)
    assert len(before) == len(OURS + BY_HAND + REFUSED)
    remembered = looked(client, False)["rights"]
    assert len(remembered) == len(OURS + BY_HAND), remembered
    taken = ensure_acls(client, [], "absent", False, [SHOP])["removed_acls"]
    assert len(taken) == len(OURS + BY_HAND) and {acl.permission for acl in has(client)} == {"DENY"}
    assert looked(client, True)["ready"]
    # What two sources tell of the same right is one right in the ledger.
    assert len({str(sorted(right.items())) for right in [*remembered, *taken]}) == len(taken), (remembered, taken)
    back = given_back(taken, REGION, {"na": REGION})
    assert len(back) == len(OURS)
    ensure_acls(client, back, "present", False)
    kept = {acl for acl in before if acl.resource != "unknown" and acl.operation not in ("ALTER", "UNKNOWN")}
    assert has(client) == kept and set(describe_acls(client, [SHOP])) == kept
