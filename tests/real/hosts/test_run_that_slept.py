# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that was stopped while another one went on does nothing more: neither rights nor applications nor mirrors move
by what the ledger said before.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.real.hosts.moved import AWAY, LEDGER, SECRET, THERE, TOLD, World, of_role

pytestmark = pytest.mark.real

LATER = ["protect.yml", "stop_mirror.yml"]
RIGHT = {"principal": "shop", "resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["WRITE"]}
SLEEP = {"name": "Sleep for an hour", "ansible.builtin.set_fact": {"ledger_known_at": 0}}


def followed_by_another(world: World) -> dict[str, Any]:
    """A task: another run of the stage begins in the ledger of eu."""
    entry = {"run": "another", "stage": "failover", "step": "stage", "state": "started", "about": "na to eu"}
    entry.update({"client": world.brokers["eu"].client, "topic": LEDGER, "secret": [SECRET]})
    return {"name": "Another run", "streamsafe.kafka_dr.ledger_entry": {**entry, "after": "{{ ledger_heads.eu }}"}}


def told_of_another_move(world: World) -> dict[str, Any]:
    """A task: another run moves on to a third region, and tells the ledger of eu, which it does not own."""
    first = {"region": "asia", "hash": "f" * 64, "at": "2026-11-25T12:00:00Z", "by": "x", "run": "7"}
    first["stage"] = "failover"
    entry = {"run": "7", "stage": "failover", "step": "active_region", "state": "active", "about": "asia"}
    entry.update({"client": world.brokers["eu"].client, "topic": LEDGER, "secret": [SECRET], "fenced": False})
    entry.update({"epoch": 1, "epoch_from": {"epoch": 0, "region": "", "hash": ""}, "found": {"told": first}})
    return {"name": "Another move", "streamsafe.kafka_dr.ledger_entry": entry}


@pytest.mark.parametrize("file", ["activate.yml", "fence.yml"])
@pytest.mark.full
def test_nor_does_one_that_was_told_of_another_move(world, file):
    eu = KafkaClient(world.brokers["eu"].client)
    ensure_acls(eu, [RIGHT], "present", False)
    had = describe_acls(eu)
    attempt = {"name": "Try", "block": [of_role("failover", file)], "rescue": [TOLD]}
    facts = {"__failover_taken": [], "__failover_named": True, "__failover_source_ledger": {"skipped": True}}
    said = world.play("failover", THERE, (told_of_another_move(world), SLEEP, attempt), facts, **AWAY)
    assert "REFUSED This run no longer owns the ledger of eu" in said and "active region asia" in said, said[-3000:]
    assert describe_acls(eu) == had


def test_nor_does_one_that_would_write_an_entry_after_it(world):
    entry = {**of_role("ledger", "record.yml"), "vars": {"ledger_step": "positions", "ledger_region": "eu"}}
    attempt = {"name": "Try", "block": [entry], "rescue": [TOLD]}
    said = world.play("failover", THERE, (told_of_another_move(world), attempt), {}, applications_region="eu")
    assert "was told of another move since run" in said and "epoch 1, asia" in said, said[-3000:]


@pytest.mark.parametrize(
    "file", ["activate.yml", "fence.yml", *(pytest.param(file, marks=pytest.mark.full) for file in LATER)]
)
def test_a_run_that_was_followed_by_another_one_acts_no_more(world, file):
    eu = KafkaClient(world.brokers["eu"].client)
    ensure_acls(eu, [RIGHT], "present", False)
    had = describe_acls(eu)
    attempt = {"name": "Try", "block": [of_role("failover", file)], "rescue": [TOLD]}
    tasks = (followed_by_another(world), SLEEP, attempt)
    facts = {"__failover_taken": [], "__failover_named": True, "__failover_source_ledger": {"skipped": True}}
    said = world.play("failover", THERE, tasks, facts, **AWAY)
    assert "REFUSED This run no longer owns the ledger of eu" in said, said[-3000:]
    assert describe_acls(eu) == had


@pytest.mark.parametrize("sleeps", [True, False])
@pytest.mark.full
def test_nor_does_it_start_applications_and_one_that_was_not_goes_on(world, sleeps):
    attempt = {"name": "Try", "block": [of_role("applications", "start.yml")], "rescue": [TOLD]}
    tasks = (followed_by_another(world),) if sleeps else ()
    said = world.play("failover", THERE, (*tasks, SLEEP, attempt), {}, applications_region="eu")
    assert ("REFUSED This run no longer owns the ledger of eu" in said) == sleeps, said[-3000:]


HOOK = {"room": "hook", "applications": [{"name": "any"}]}
# Files of roles that stages change something by.
CHANGES = [
    ("mirror", "remove.yml", {"mirror_described": THERE}),
    ("mirror", "stop.yml", {"mirror_described": THERE}),
    ("mirror", "install.yml", {"mirror_described": THERE}),
    ("credentials", "lend.yml", {"credentials_region": "eu", "credentials_lent": [RIGHT]}),
    ("credentials", "carry.yml", {"credentials_mirror": THERE}),
    ("kafka", "hold.yml", {"kafka_region": "eu", "kafka_topics": []}),
    ("applications", "stop.yml", {"applications_region": "na"}),
    ("failover", "positions.yml", {}),
    # One batch after the other: each may take minutes.
    ("applications", "start_batch.yml", {"__applications_batch": HOOK}),
    ("applications", "stop_batch.yml", {"__applications_batch": HOOK}),
    ("definition", "forget.yml", {"definition_region": "na", "definition_backup": "eu"}),
    ("definition", "keep.yml", {"definition_region": "na", "definition_backup": "eu"}),
    ("kafka", "end_hold.yml", {"kafka_region": "na"}),
]


@pytest.mark.parametrize("move", [followed_by_another, told_of_another_move])
@pytest.mark.full
def test_nothing_is_changed_for_such_a_run_whatever_the_step(world, move):
    eu = KafkaClient(world.brokers["eu"].client)
    had = describe_acls(eu)
    attempts = [
        {"name": "Try", "block": [{**of_role(role, file), "vars": given}], "rescue": [TOLD]}
        for role, file, given in CHANGES
    ]
    said = world.play("failover", THERE, (move(world), SLEEP, *attempts), {"__failover_done": {}}, **AWAY)
    assert said.count("REFUSED This run no longer owns the ledger of eu") == len(CHANGES), said[-5000:]
    assert describe_acls(eu) == had


@pytest.mark.full
def test_a_check_that_takes_its_time_owns_nothing_and_goes_on(world):
    """Nothing is written in a check, so that there is nothing to look for."""
    world.words = ("--check",)
    known = {**of_role("ledger", "known.yml"), "vars": {"ledger_region": "eu"}}
    said = world.play("failover", THERE, (SLEEP, of_role("ledger", "owned.yml"), SLEEP, known), {})
    assert "failed=0" in said, said[-3000:]
