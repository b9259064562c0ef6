# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror had beyond what it needs is taken with its rights, and comes back word for word when it is set up
again; what would let it forge the ledger is named and stays away.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls, flatten
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls
from tests.real.hosts.moved import THERE, World

pytestmark = pytest.mark.real
CARRY = ("credentials/carry.yml",)


def right(resource: str, name: str, operation: str, **more: str) -> dict[str, Any]:
    return {"principal": "mirror", "resource": resource, "name": name, "operations": [operation], **more}


STRAY = {
    "eu": [
        right("topic", "billing.", "WRITE", pattern="prefixed"),
        right("transactional_id", "billing-job", "WRITE", host="10.1.2.3"),
    ],
    "na": [right("topic", "orders.", "WRITE", pattern="prefixed")],
}
# With these, whoever has the mirror's password could write to the ledger, or grant itself every right.
HARMFUL = [right("topic", "*", "ALL"), right("transactional_id", "*", "WRITE"), right("cluster", "", "ALTER")]


@pytest.fixture
def world(world: World) -> World:
    for name, client in clients(world).items():
        derived = service_acls("mirror", "mirror", THERE, "target" if name == "eu" else "source")
        ensure_acls(client, derived + STRAY[name] + (HARMFUL if name == "eu" else []), "present", False)
    return world


def clients(world: World) -> dict[str, KafkaClient]:
    return {name: KafkaClient(broker.client) for name, broker in world.brokers.items()}


def beyond(world: World) -> dict[str, list[Any]]:
    """What the mirror may do in each region beyond what it is given."""
    found = {}
    for name, client in clients(world).items():
        given = flatten(service_acls("mirror", "mirror", THERE, "target" if name == "eu" else "source"))
        found[name] = sorted(set(describe_acls(client, ["mirror"])) - set(given))
    return found


@pytest.mark.full
def test_a_mirror_gets_back_what_it_had_when_it_is_set_up_again(world):
    world.run(
        "streamsafe.kafka_dr.fence", THERE, fence_region="na", fence_survivor="eu", fence_accept_ledger_writers=True
    )
    assert beyond(world) == {"eu": [], "na": []}
    told = world.play("initial_setup", THERE, CARRY, {"credentials_mirror": THERE})
    assert beyond(world) == {name: sorted(flatten(acls)) for name, acls in STRAY.items()}
    assert "Mirror there lost these rights in eu, and does not get them back" in told, told[-3000:]
    by_hand = told.partition("Grant by hand what is right: ")[2].partition("TASK")[0]
    assert by_hand.count("'principal'") == len(HARMFUL) and "billing" not in by_hand, by_hand
    assert "lost these rights in na" not in told

    # It was given back once: what a person takes away later stays away.
    ensure_acls(clients(world)["eu"], STRAY["eu"], "absent", False)
    told = world.play("initial_setup", THERE, CARRY, {"credentials_mirror": THERE})
    assert beyond(world)["eu"] == [] and "lost these rights" not in told
