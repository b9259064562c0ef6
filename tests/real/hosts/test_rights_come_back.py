# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fence takes in a region that came back is given back word for word by the move that leads back, also where the
region that kept it is lost by then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.real.hosts.moved import AWAY, HOME, RETURN, STRAY, THERE, World, of_role
from tests.support.kafka import ROOT

pytestmark = pytest.mark.real


@pytest.fixture
def granted(world: World) -> Callable[[], list[Any]]:
    ensure_acls(KafkaClient(world.brokers["na"].client), STRAY, "present", False)
    had = world.rights()
    assert len(had) == 2
    return lambda: had


def test_stray_rights_come_back_with_the_move_back(world, granted):
    world.fence()
    world.move_back(planned=True)
    assert world.rights() == granted()


@pytest.mark.full
def test_and_where_the_region_that_kept_them_is_lost(world, granted):
    world.fence()
    world.play("initial_setup", RETURN, ("taken.yml",), {}, **HOME)
    world.brokers["eu"].kill()
    world.move_back(planned=False)
    assert world.rights() == granted()


@pytest.mark.parametrize(
    "stage, file, region_of",
    [("failover", "protect.yml", "failover_source"), ("failback", "turn.yml", "failback_region")],
)
@pytest.mark.full
def test_and_where_it_is_lost_after_the_mirror_was_turned_round(world, granted, stage, file, region_of):
    """No initial_setup runs then: the stage that turns the mirror round tells the region's own ledger."""
    world.fence()
    tasks = yaml.safe_load((ROOT / "roles" / stage / "tasks" / file).read_text())
    telling = [one for one in tasks if one.get("ansible.builtin.include_role", {}).get("tasks_from") == "taken.yml"]
    # Twice, as where a run is cut off and run again.
    world.play("failover", THERE, (*telling, *telling), {}, **{region_of: "na"})
    world.brokers["eu"].kill()
    world.move_back(planned=False)
    assert world.rights() == granted()


@pytest.mark.full
def test_what_a_person_takes_away_later_stays_away_once_the_ledger_that_kept_it_is_back(world, granted):
    world.fence()
    world.play("initial_setup", RETURN, ("taken.yml",), {}, **HOME)
    world.brokers["eu"].kill()
    world.move_back(planned=False)
    assert world.rights() == granted()
    ensure_acls(KafkaClient(world.brokers["na"].client), STRAY[:1], "absent", False)
    left = world.rights()
    world.brokers["eu"].start()
    # As the next stage that meets it, and then a move to it and back.
    world.play("initial_setup", RETURN, (of_role("ledger", "tell.yml"),), {})
    move = [of_role(*one) for one in (("credentials", "fence.yml"), ("failover", "activate.yml"))]
    there = {"credentials_region": "na", "credentials_topics": r"orders\..*"}
    world.play(
        "failover",
        THERE,
        tuple(move),
        {"__failover_taken": [], "__failover_source_ledger": {"skipped": True}},
        **there,
        **AWAY,
    )
    assert world.rights() == []
    world.move_back(planned=True)
    assert world.rights() == left


@pytest.mark.full
def test_what_is_gone_once_a_run_that_was_cut_off_is_gone_on_with_is_told(world, granted):
    """A run remembers what it is about to take; whoever takes it away for good before the next run is told."""
    admin = KafkaClient(world.brokers["na"].client)
    whole = {"pattern": "literal", "host": "*", "permission": "allow"}
    removed = [{**whole, **one, "principal": "User:shop"} for one in STRAY]
    record = of_role("ledger", "record.yml")
    record["vars"] = {"ledger_step": "fencing", "ledger_found": {"region": "na", "removed": removed}}
    fence = of_role("credentials", "fence.yml")
    fence["vars"] = {"credentials_region": "na", "credentials_topics": "orders[.].*"}
    world.play("failover", THERE, (record,), {})
    ensure_acls(admin, STRAY[:1], "absent", False)
    said = world.play("failover", THERE, (fence,), {})
    assert "GONE BY NOW in na: 1 rights" in said and "'orders.'" in said, said[-3000:]
    assert "GONE BY NOW" not in world.play("failover", THERE, (fence,), {})
