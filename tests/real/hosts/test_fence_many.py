# SPDX-License-Identifier: GPL-3.0-or-later
"""More rights than a controller changes in one request are taken away, remembered and given back."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.real.hosts.moved import ledger_of

pytestmark = pytest.mark.real
MANY, SOME = 10_500, 1000


def rights(count: int) -> list[dict[str, object]]:
    common = {"principal": "shop", "resource": "topic", "operations": ["WRITE"]}
    return [{**common, "name": f"orders.{number:05}"} for number in range(count)]


@pytest.mark.full
def test_more_than_one_request_may_change_go_and_come_back(world):
    client = KafkaClient(world.brokers["na"].client)
    assert len(ensure_acls(client, rights(MANY), "present", False)["added"]) == MANY
    ensure_acls(client, rights(3), "absent", False)
    assert len(describe_acls(client, ["shop"])) == MANY - 3
    done = ensure_acls(client, [], "absent", False, ["shop"])
    assert len(done["removed_acls"]) == MANY - 3 and describe_acls(client, ["shop"]) == []
    assert len(ensure_acls(client, done["removed_acls"], "present", False)["added"]) == MANY - 3


@pytest.mark.full
def test_a_thousand_rights_are_fenced_and_remembered(world):
    client = KafkaClient(world.brokers["na"].client)
    ensure_acls(client, rights(SOME), "present", False)
    world.fence()
    assert len(ledger_of(world.brokers["eu"])["taken"]["na"]) == SOME
