# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that refuse, hang, and die during a connection, beside a healthy one: real connections, no broker."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
import time

import pytest

from kafka_dr_lab.machine import Machine
from tests.support.kafka import free_ports

from .playing import Inventory

pytestmark = [pytest.mark.real, pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here")]
NAMES = ("refuses", "hangs", "well")
# Its logins never end, as where users are looked up in a region that is lost.
NO_LOGIN = """
import asyncio, asyncssh, sys
class Server(asyncssh.SSHServer):
    async def begin_auth(self, username):
        await asyncio.sleep(600)
async def serve():
    key = asyncssh.generate_private_key("ssh-ed25519")
    server = await asyncssh.listen("127.0.0.1", int(sys.argv[1]), server_factory=Server, server_host_keys=[key])
    await server.wait_closed()
asyncio.run(serve())
"""
SLOW = "import signal, time\nsignal.signal(signal.SIGTERM, lambda *dummy: None)\ntime.sleep(600)\n"


def run(machine: Machine, name: str) -> None:
    """Have a program run there that takes its time to end."""
    program = machine.files / "slow.py"
    program.write_text(SLOW)
    (machine.keeper.programs / f"{name}.conf").write_text(
        f"[program:{name}]\ncommand={sys.executable} {program}\nautostart=true\nstopwaitsecs=4\nredirect_stderr=true\n"
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    directory = tmp_path_factory.mktemp("machines")
    machines = {name: Machine(directory / name, port) for name, port in zip(NAMES, free_ports(len(NAMES)), strict=True)}
    hosts = {}
    for name, machine in machines.items():
        application = {
            "name": f"on-{name}",
            "kind": "process",
            "role": "both",
            "environment_file": str(machine.files / "env"),
            "principals": ["u"],
        }
        hosts[name] = {**machine.variables(), "kafka_dr_applications": [application]}
        if name == "hangs":
            hosts[name]["kafka_dr_applications"].append({**application, "name": "on-beside"})
    made = Inventory(directory / "play", hosts, {"kafka_dr_mirrors": [{}], "kafka_dr_no_log": False})
    made.machines = machines
    yield made
    for machine in machines.values():
        machine.go_on()
        machine.remove()


@pytest.fixture
def machines(world):
    """All of them well, with their program running."""
    for name, machine in world.machines.items():
        machine.go_on()
        machine.stop()
        machine.files.mkdir(parents=True, exist_ok=True)
        machine.keeper.programs.mkdir(parents=True, exist_ok=True)
        run(machine, f"on-{name}")
        if name == "hangs":
            run(machine, "on-beside")
        machine.start()
    for name in NAMES:
        until_state(world.machines[name], f"on-{name}", "RUNNING")
    until_state(world.machines["hangs"], "on-beside", "RUNNING")
    return world.machines


def until_state(machine: Machine, name: str, state: str) -> None:
    end = time.monotonic() + 60
    while (machine.keeper.info(name) or {}).get("statename") != state:
        assert time.monotonic() < end, f"{name} did not come to {state}"
        time.sleep(0.05)


def stop(world, *only: str, accept: bool = True, check: bool = True, **others):
    extra = {
        "applications_accept_silent": accept,
        "applications_region": "nowhere",
        "applications_answer_timeout": 8,
        "applications_only": [f"on-{name}" for name in only],
        **others,
    }
    done = world.play("stop", part="applications", check=check, extra=extra)
    done.told = " ".join(done.stdout.split())
    return done


def test_the_dead_are_named_and_the_healthy_is_stopped(world, machines):
    machines["refuses"].stop()
    machines["hangs"].hang()
    done = stop(world)
    assert "on-refuses (machine refuses: " in done.told and "Connection refused" in done.told
    assert "on-hangs (machine hangs: no answer within 8 s)" in done.told and "application on-well" not in done.told
    assert machines["well"].keeper.info("on-well")["statename"] == "STOPPED"
    machines["hangs"].go_on()
    assert machines["hangs"].keeper.info("on-hangs")["statename"] == "RUNNING", "what was not reached was left alone"


@pytest.mark.full
def test_where_all_are_needed_nothing_is_stopped(world, machines):
    machines["refuses"].stop()
    done = stop(world, accept=False, check=False)
    assert done.returncode != 0 and "cannot be reached: expected every machine to answer" in done.told
    assert machines["well"].keeper.info("on-well")["statename"] == "RUNNING"


def test_one_that_dies_while_it_is_spoken_to_is_named_too(world, machines):
    def die():
        until_state(machines["hangs"], "on-hangs", "STOPPING")
        machines["hangs"].stop()

    killer = threading.Thread(target=die)
    killer.start()
    done = stop(world, "hangs", "well")
    killer.join(60)
    assert "NOT REACHED any more, and left for a later run of this stage: application on-hangs" in done.told
    assert machines["well"].keeper.info("on-well")["statename"] == "STOPPED"


@pytest.mark.parametrize("dead", [pytest.param("", marks=pytest.mark.full), "refuses"])
def test_what_fails_on_a_machine_that_answers_is_no_silence(world, machines, dead):
    """All others have their turn, and then the stage fails; another machine that is dead changes nothing of that."""
    if dead:
        machines[dead].stop()
    (machines["hangs"].keeper.programs / "on-hangs.conf").unlink()
    done = stop(world, "hangs", "well", *([dead] if dead else []), check=False)
    assert done.returncode != 0 and "Application on-hangs failed although the machine answers" in done.told
    assert ("NOT REACHED" in done.told) == bool(dead) and "NOT REACHED any more" not in done.told
    assert machines["well"].keeper.info("on-well")["statename"] == "STOPPED"


def test_what_cannot_be_stopped_is_left_out_where_something_else_shuts_it_out(world, machines):
    """Another machine that is dead hides nothing of it."""
    machines["refuses"].stop()
    (machines["hangs"].keeper.programs / "on-hangs.conf").unlink()
    done = stop(world, "refuses", "hangs", "beside", "well", applications_accept_unstopped=True)
    assert "NOT REACHED, and left for a later run of this stage: application on-refuses" in done.told, done.told[-2000:]
    assert (
        "NOT STOPPED, although its machine answers, and left for a later run of this stage: application on-hangs "
        "(it could not be stopped: " in done.told
    )
    assert machines["well"].keeper.info("on-well")["statename"] == "STOPPED"
    assert (
        machines["hangs"].keeper.info("on-beside")["statename"] == "STOPPED"
        and "application on-beside" not in done.told
    )


@pytest.mark.parametrize(("out", "beside"), [("on-hangs", "on-beside"), ("on-beside", "on-hangs")])
def test_what_is_left_out_is_not_touched_and_what_is_beside_it_is(world, machines, out, beside):
    left_out = {out: "it could not be stopped", "else": "x"}
    done = stop(world, "hangs", "beside", applications_left_out=left_out)
    assert f"application {out} (it could not be stopped)" in done.told and "else" not in done.told
    assert machines["hangs"].keeper.info(out)["statename"] == "RUNNING"
    assert machines["hangs"].keeper.info(beside)["statename"] == "STOPPED"


def test_what_the_tasks_of_a_hook_hide_stays_hidden(tmp_path):
    (tmp_path / "stop.yml").write_text(
        "- name: Stop\n  ansible.builtin.fail: {msg: 'https://user:TOPSECRET@x'}\n  no_log: true\n"
    )
    hook = {"name": "on-hook", "kind": "hook", "role": "both", "principals": ["u"]}
    hook.update({f"{verb}_tasks": str(tmp_path / "stop.yml") for verb in ("start", "stop")})
    hosts = {"na": {"kafka_dr_applications": [hook]}}
    inventory = Inventory(tmp_path / "play", hosts, {"kafka_dr_mirrors": [{}], "kafka_dr_no_log": False})
    extra = {"applications_accept_silent": True, "applications_region": "na", "applications_accept_unstopped": True}
    done = inventory.play("stop", part="applications", extra=extra)
    # Before, ansible-core itself shows what the task of an action plugin says.
    told = done.stdout.split("NOT STOPPED")[1]
    assert "hide with what (no_log)" in told and "TOPSECRET" not in told


def test_a_mistake_in_a_machine_s_variables_is_no_silence(world, machines):
    before = world.hosts
    world.hosts = {**before, "hangs": {**before["hangs"], "ansible_become_password": "{{ nowhere }}"}}
    world.hosts["hangs"]["ansible_become"] = True
    try:
        done = stop(world, "hangs", "well", check=False)
    finally:
        world.hosts = before
    assert done.returncode != 0 and "nowhere" in done.told and "NOT REACHED" not in done.told, done.told


@pytest.mark.parametrize(
    ("program", "seconds", "why"),
    [
        # Ansible itself gives up after 12 s, with words of its own.
        ("exec sleep 600", 30, ""),
        # What a program says right before its end can be lost with its terminal; a PAM module that refuses waits too.
        ("echo 'sudo: account validation failure' >&2; sleep 2; exit 1", 60, "sudo: account validation failure"),
    ],
)
def test_a_machine_where_nobody_becomes_the_user_is_out_of_reach(world, machines, tmp_path, program, seconds, why):
    """As where sudo asks a directory service that is lost."""
    sudo = tmp_path / "sudo"
    sudo.write_text(f"#!/bin/sh\n{program}\n")
    sudo.chmod(0o755)
    become = {"ansible_become": True, "ansible_become_exe": str(sudo)}
    well, before = tmp_path / "well", world.hosts
    well.write_text('#!/bin/sh\nwhile [ "$1" != /bin/sh ]; do shift; done\nexec "$@"\n')
    well.chmod(0o755)
    world.hosts = {
        name: {**host, **become, **({"ansible_become_exe": str(well)} if name == "well" else {})}
        for name, host in before.items()
    }
    try:
        done = stop(world, "hangs", "well", applications_answer_timeout=seconds)
    finally:
        world.hosts = before
    assert "application on-hangs (machine hangs: " in done.told and why in done.told, done.told.partition("NOT REA")[2]
    assert machines["hangs"].keeper.info("on-hangs")["statename"] == "RUNNING"
    assert machines["well"].keeper.info("on-well")["statename"] == "STOPPED"


def test_settings_of_brokers_are_not_waited_for_where_nobody_can_log_in(tmp_path):
    (port,) = free_ports(1)
    server = subprocess.Popen([sys.executable, "-c", NO_LOGIN, str(port)])
    try:
        end = time.monotonic() + 60
        while not greets(port):
            assert time.monotonic() < end, "no server"
        machine = Machine(tmp_path / "machine", port).variables()
        hosts = {"na": {**machine, "kafka_dr_kafka": {"directory": "/nowhere"}}}
        inventory = Inventory(tmp_path / "play", hosts, {"kafka_dr_mirrors": [{}], "kafka_dr_no_log": False})
        done = inventory.play("host/settings", part="credentials", extra={"credentials_region": "na"}, timeout=100)
        assert "Timed out after 30 second" in done.stdout and "failed=0" in done.stdout, done.stdout[-3000:]
    finally:
        server.kill()
        server.wait(10)


def greets(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False
