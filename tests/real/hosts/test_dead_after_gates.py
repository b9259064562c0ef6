# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move whose target is named: a machine that died after the gates keeps no healthy application from it."""

from __future__ import annotations

import shutil

import pytest

from kafka_dr_lab.machine import Machine
from tests.real.hosts.moved import AWAY, THERE, stage_tasks
from tests.support.kafka import free_ports

from .test_restore_machines import booted

pytestmark = [pytest.mark.real, pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here")]
NAMES = ("dead", "well")


@pytest.fixture
def machines(world):
    made = {name: Machine(world.directory / name, port) for name, port in zip(NAMES, free_ports(2), strict=True)}
    try:
        for name, machine in made.items():
            world.hosts[name] = booted(machine, name)
        yield made
    finally:
        for machine in made.values():
            machine.remove()


def test_the_healthy_are_started_and_the_dead_named(world, machines):
    machines["dead"].stop()
    (move,) = [task for task in stage_tasks() if task["name"] == "Move the applications"]
    silent = {"machines": {}, "clusters": {}}
    facts = {
        "preflight_silent": silent,
        "__failover_catches_up": False,
        "__failover_left": {},
        "__failover_unstopped": {},
    }
    said = world.play("failover", THERE, (move,), facts, failover_planned=True, **AWAY)
    assert "NOT REACHED, and left for a later run of this stage: application on-dead (machine dead: " in said
    assert "KAFKA_REGION=eu" in (machines["well"].files / "env").read_text()
    assert machines["well"].keeper.info("on-well")["statename"] == "RUNNING"
