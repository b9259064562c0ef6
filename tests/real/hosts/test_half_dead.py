# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror's machine that answers, and on which nothing can be stopped, ends no unplanned failover."""

from __future__ import annotations

import os
import shutil
import signal

import psutil
import pytest

from kafka_dr_lab.machine import Machine
from tests.real.hosts.moved import AWAY, THERE, TOLD, of_role
from tests.support.kafka import free_ports

from .mirrors import until
from .test_machines import run, until_state

pytestmark = [pytest.mark.real, pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here")]
STOP = {
    "mirror_described": THERE,
    "mirror_retire": True,
    "mirror_may_be_gone": True,
    "mirror_stop_timeout": 10,
    "mirror_witness": False,
    "mirror_silent": {},
    "mirror_accept_unfenced": [],
}
SHOW = {"name": "Show", "ansible.builtin.debug": {"msg": "LEFT {{ mirror_unreached | default({}) | to_json }}"}}
TRY = {"name": "Try", "block": [of_role("mirror", "stop.yml")], "rescue": [TOLD]}


@pytest.fixture
def orphaned(world):
    """A machine whose supervisord is gone; the program that it kept lives on."""
    machine = Machine(world.directory / "m1", free_ports(1)[0])
    machine.files.mkdir(parents=True)
    machine.keeper.programs.mkdir(parents=True)
    run(machine, "mirror-there")
    machine.start()
    until_state(machine, "mirror-there", "RUNNING")
    world.hosts["m1"] = machine.variables()
    world.hosts["eu"]["kafka_dr_mirror_hosts"] = ["m1"]
    keeper = psutil.Process(machine.keeper.pid())
    children = keeper.children(recursive=True)
    os.kill(keeper.pid, signal.SIGKILL)
    until(lambda: not keeper.is_running() or keeper.status() == psutil.STATUS_ZOMBIE, "supervisord to be gone", 10)
    yield machine
    for child in children:
        if child.is_running():
            child.kill()
    machine.remove()


@pytest.mark.parametrize("unplanned", [True, pytest.param(False, marks=pytest.mark.full)])
def test_its_mirror_is_shut_out_and_named(world, orphaned, unplanned):
    said = world.play("failover", THERE, (TRY, SHOW), {**STOP, "mirror_accept_silent": unplanned}, **AWAY)
    assert ("REFUSED" not in said) == unplanned, said
    if unplanned:
        assert "LEFT" in said and "m1" in said.split("LEFT")[1], said
    else:
        assert "Mirror there could not be stopped on machine m1" in said, said
