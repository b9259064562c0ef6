# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine of applications that is gone stops neither a restore nor what follows it: it is named, and caught up with.
Without a machine that the stages cannot do without, they change nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from kafka_dr_lab.machine import Machine
from tests.real.hosts.moved import THERE, World, ledger_of, of_role
from tests.real.hosts.told import DEAD, Told
from tests.support.kafka import ROOT, free_ports

from .test_machines import run, until_state

pytestmark = [pytest.mark.real, pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here")]
NAMES = ("dead", "well")
RESTORE = {"recreate_from_backup_region": "na", "recreate_from_backup_from": "eu"}
RESUME = {"resume_region": "na", "resume_from": "eu"}
FACTS = {"__recreate_from_backup_ends": {}, "__recreate_from_backup_unreached": {}}
ASKED = {"preflight_applications": True}


@pytest.fixture
def restored(world: World) -> Iterator[World]:
    """A machine that answers and one that does not while the region is made again; what the stage said of it."""
    ports = free_ports(len(NAMES))
    world.machines = {name: Machine(world.directory / name, port) for name, port in zip(NAMES, ports, strict=True)}
    try:
        for name, machine in world.machines.items():
            world.hosts[name] = booted(machine, name)
        world.machines["dead"].stop()
        parts = ("preflight/machines.yml", "pause.yml", "show.yml")
        world.said = world.play("recreate_from_backup", THERE, parts, FACTS, **ASKED, **RESTORE)
        yield world
    finally:
        for machine in world.machines.values():
            machine.remove()


def booted(machine: Machine, name: str) -> dict[str, Any]:
    """The machine as the inventory describes it, with its application running."""
    about = {"kind": "process", "role": "consumer", "environment_file": str(machine.files / "env")}
    application = {**about, "name": f"on-{name}", "principals": ["shop"], "groups": []}
    machine.files.mkdir(parents=True)
    machine.keeper.programs.mkdir(parents=True)
    run(machine, application["name"])
    machine.start()
    until_state(machine, application["name"], "RUNNING")
    return {**machine.variables(), "kafka_dr_applications": [application]}


def resumed(world: World) -> str:
    """What the stage says that starts the applications, waits for them and ends."""
    names = ("activate | Name the active region in the ledger", "Start the applications", "Wait until they work")
    place = ROOT / "roles" / "resume" / "tasks"
    tasks = [task for file in ("activate.yml", "main.yml") for task in yaml.safe_load((place / file).read_text())]
    chosen = [task for task in tasks if task["name"] in names]
    assert len(chosen) == len(names)
    facts = {"resume_mirror": THERE, "preflight_overridden": [], "preflight_held": []}
    parts = ("preflight/machines.yml", *chosen, of_role("resume", "show.yml"))
    return world.play("resume", THERE, parts, facts, **ASKED, **RESUME)


def state(world: World, name: str) -> str:
    return str(world.machines[name].keeper.info(f"on-{name}")["statename"])


@pytest.mark.full
def test_a_dead_machine_stops_neither_a_restore_nor_resume_and_a_later_run_catches_up(restored):
    is_paused_without_the_dead(restored)
    said = resumed(restored)
    assert "NOT REACHED: application on-dead. Once the machines answer again" in said, said[-3000:]
    assert "na is the active region; on-well works there." in said
    assert state(restored, "well") == "RUNNING"
    ended = ledger_of(restored.brokers["eu"])["last"]["resume"]["found"]
    assert set(ended["unreached"]["applications"]) == {"on-dead"}, ended
    dead = restored.machines["dead"]
    dead.start()
    until_state(dead, "on-dead", "RUNNING")
    assert not (dead.files / "env").exists(), "it runs as before the loss, and is not pointed at anything"
    said = resumed(restored)
    assert "NOT REACHED" not in said and state(restored, "dead") == "RUNNING"
    assert "na is the active region; on-dead, on-well work there." in said
    assert "KAFKA_REGION=na" in (dead.files / "env").read_text()
    assert ledger_of(restored.brokers["eu"])["last"]["resume"]["found"]["unreached"] == {"applications": {}}


@pytest.mark.full
def test_where_no_machine_answers_no_application_is_said_to_work(restored):
    restored.machines["well"].stop()
    said = resumed(restored)
    assert "na is the active region; no application was started." in said, said[-3000:]
    assert "NOT REACHED: application on-dead, on-well." in said


def is_paused_without_the_dead(restored: World) -> None:
    """The applications that were reached are stopped, the others named, and no region is active."""
    assert "NOT REACHED, and left for a later run of this stage: application on-dead (machine dead: " in restored.said
    assert "NOT REACHED: application on-dead. The stages resume and new_backup need them" in restored.said
    assert "application on-well" not in restored.said and state(restored, "well") == "STOPPED"
    known = ledger_of(restored.brokers["eu"])
    paused = known["done"]["recreate_from_backup"]["paused"]["found"]
    assert paused["sizes"] == {"on-well": 1} and set(paused["unreached"]) == {"on-dead"}
    assert set(known["last"]["recreate_from_backup"]["found"]["unreached"]["applications"]) == {"on-dead"}
    assert known["active_region"] == "none" and not known["open"]


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    made = Told(tmp_path_factory.mktemp("regions"), ("na", "eu"), [THERE])
    yield made
    made.down()


@pytest.mark.parametrize(("stage", "given"), [("recreate_from_backup", RESTORE), ("resume", RESUME)])
@pytest.mark.parametrize("gone", ["na", "eu"])
@pytest.mark.full
def test_without_the_machine_of_the_restoring_mirror_or_of_the_definition_nothing_is_changed(
    regions: Told, stage: str, given: dict[str, Any], gone: str
) -> None:
    """The restoring mirror is kept in na, and what was kept of na in eu."""
    for name in ("na", "eu"):
        regions.hosts[name].pop("kafka_dr_mirror_hosts", None)
    regions.hosts["machine"] = DEAD
    regions.hosts[gone]["kafka_dr_mirror_hosts"] = ["machine"]
    before = regions.known("eu")["head"]
    said = regions.run(stage, **given)
    assert "Refused, nothing was changed: machine (" in said and "cannot do without it" in said, said[-3000:]
    assert regions.known("eu")["head"] == before
