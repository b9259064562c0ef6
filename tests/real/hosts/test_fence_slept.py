# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that sleeps while it fences, until somebody has given its move up: what it takes away is not forgotten."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.real.hosts import moved
from tests.real.hosts.moved import AWAY, LEDGER, SECRET, STRAY, THERE, TOLD, World, failure_of, ledger_of, of_role

pytestmark = pytest.mark.real
GIVEN_UP = {"abort_move_source": "na", "abort_move_target": "eu"}
PLANNED = {"__failover_source": {"reachable": True, "error": ""}}


@pytest.fixture
def granted(world: World) -> list[Any]:
    """The applications work in na."""
    world.append("eu", "active_region", "active", "na", ledger_of(world.brokers["eu"])["head"]["hash"])
    ensure_acls(KafkaClient(world.brokers["na"].client), STRAY, "present", False)
    return world.rights()


def give_up(world: World, **more: Any) -> str:
    """With what it was refused; empty where it was not."""
    place = world.directory / "other"
    place.mkdir(exist_ok=True)
    return failure_of(moved.played(place, world.hosts, [THERE], "streamsafe.kafka_dr.abort_move", {**GIVEN_UP, **more}))


def given_back(world: World) -> None:
    """What a run says in the ledger of na that gave back what it knew of, just before that was taken."""
    head = ledger_of(world.brokers["na"])["head"]["hash"]
    for step, state, about in (
        ("stage", "started", "na to eu"),
        ("given_back", "done", "na"),
        ("stage", "done", "na to eu"),
    ):
        head = world.append("na", step, state, about, head)


def giving_up(world: World) -> dict[str, Any]:
    """A task by which somebody begins to give the move up in na, after the run has looked at its ledger."""
    begin = {"run": "7", "stage": "abort_move", "step": "stage", "state": "started", "about": "na to eu"}
    begin.update(client=world.brokers["na"].client, topic=LEDGER, secret=[SECRET])
    return {
        "name": "Begin to give it up",
        "streamsafe.kafka_dr.ledger_entry": {**begin, "after": "{{ __failover_source_ledger.head.hash }}"},
    }


def asleep(directory: Path, once: str = "true") -> str:
    """A template that gives nothing, and sleeps until it is woken, as soon as a command says so."""
    wait = f"touch {directory}/asleep; while ! [ -e {directory}/awake ]; do sleep 0.1; done"
    return ran(f"if {once}; then {wait}; fi")


def ran(command: str) -> str:
    """A template of what a command prints."""
    return f"{{{{ lookup('ansible.builtin.pipe', '{command}') }}}}"


@contextmanager
def fencing(world: World, **given: Any) -> Iterator[list[str]]:
    """A run that fences na, and sleeps while the body goes on; then what it said."""
    attempt = {"name": "Try", "block": [of_role("credentials", "fence.yml")], "rescue": [TOLD]}
    more = {"credentials_region": "na", "credentials_record_empty_fence": True, "credentials_may_be_lost": False}
    more.update({"credentials_topics": r"orders\..*", **AWAY, **given})
    said: list[str] = []

    def run() -> None:
        said.append(
            world.play("failover", THERE, ("taken_before.yml", attempt), PLANNED, failover_planned=True, **more)
        )

    thread = threading.Thread(target=run)
    thread.start()
    while not (world.directory / "asleep").exists():
        assert thread.is_alive(), said
        time.sleep(0.1)
    try:
        yield said
    finally:
        (world.directory / "awake").touch()
        thread.join()


@pytest.mark.parametrize("again", [[], STRAY[:1]])
@pytest.mark.full
def test_what_it_has_taken_by_then_is_kept_and_given_back(world, granted, again):
    # It sleeps where it is about to look whether anything is left.
    with fencing(world, credentials_fence_timeout=f"60{asleep(world.directory)}") as said:
        assert world.rights() == []
        # Another run gave back what it knew of, just before it was taken.
        head = world.append("eu", "stage", "started", "na to eu", ledger_of(world.brokers["eu"])["head"]["hash"])
        world.append("eu", "given_back", "done", "na", head)
        given_back(world)
        # An operator, or whoever gave it back, may have granted some of it again.
        ensure_acls(KafkaClient(world.brokers["na"].client), again, "present", False)
    (told,) = said
    assert "REFUSED" in told and "which took up to 2 rights of the applications away in na" in told, told[-3000:]
    assert len(ledger_of(world.brokers["na"])["taken"]["na"]) == 2
    assert give_up(world) == ""
    assert world.rights() == granted


@pytest.mark.full
def test_what_it_has_taken_is_kept_where_the_target_is_lost_by_then(world, granted):
    with fencing(world, credentials_fence_timeout=f"60{asleep(world.directory)}") as said:
        assert world.rights() == []
        # Whatever was written to it is decided.
        ledger_of(world.brokers["eu"])
        world.brokers["eu"].kill()
        given_back(world)
    (told,) = said
    assert "REFUSED Another run has begun in the ledger of na" in told, told[-3000:]
    assert len(ledger_of(world.brokers["na"])["taken"]["na"]) == 2
    assert give_up(world, abort_move_accept_elsewhere="eu") == ""
    assert world.rights() == granted


@pytest.mark.full
def test_a_run_that_found_nothing_left_takes_nothing_that_was_given_back(world, granted):
    """It goes on with a fence that was cut off, and sleeps between its look at the rights and what it takes."""
    more = {"credentials_region": "na", "credentials_topics": r"orders\..*", "credentials_may_be_lost": False, **AWAY}
    files = ("taken_before.yml", of_role("credentials", "fence.yml"))
    world.play("failover", THERE, files, PLANNED, failover_planned=True, **more)
    assert world.rights() == []
    looked = world.directory / "looked"
    topics = ran(f"touch {looked}") + more["credentials_topics"]
    ledger = LEDGER + asleep(world.directory, once=f"[ -e {looked} ]")
    with fencing(world, credentials_topics=topics, kafka_dr_ledger_topic=ledger) as said:
        ledger_of(world.brokers["eu"])
        world.brokers["eu"].kill()
        assert give_up(world, abort_move_accept_elsewhere="eu") == ""
        assert world.rights() == granted
        world.brokers["eu"].start()
    (told,) = said
    assert "REFUSED Another run has begun in the ledger of na" in told, told[-3000:]
    assert give_up(world) == "" and world.rights() == granted


@pytest.mark.full
def test_a_run_that_goes_on_meets_whoever_gave_the_move_up_since_its_gates(world, granted):
    """What it would take is being granted, and was not recorded as given back yet."""
    more = {"credentials_region": "na", "credentials_topics": r"orders\..*", "credentials_may_be_lost": False, **AWAY}
    more["credentials_ledger_head"] = "{{ __failover_source_ledger.head }}"
    fence = of_role("credentials", "fence.yml")
    world.play("failover", THERE, ("taken_before.yml", fence), PLANNED, failover_planned=True, **more)
    assert world.rights() == []
    ensure_acls(KafkaClient(world.brokers["na"].client), STRAY, "present", False)
    attempt = {"name": "Try", "block": [fence], "rescue": [TOLD]}
    files = ("taken_before.yml", giving_up(world), attempt)
    told = world.play("failover", THERE, files, PLANNED, failover_planned=True, **more)
    assert "REFUSED" in told and world.rights() == granted, told[-3000:]


@pytest.mark.parametrize("seconds", [0, 35])
@pytest.mark.full
def test_a_run_takes_nothing_that_was_given_up_while_its_target_was_away(world, granted, seconds, monkeypatch):
    """It is stopped between its entries and what it takes, for so long that it looks who follows it, or not."""
    stopped: list[subprocess.Popen[str]] = []
    run = subprocess.run

    def started(words: Any, **more: Any) -> Any:
        if stopped or not any("play.yml" in str(word) for word in words):
            return run(words, check=more.pop("check", False), **more)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
        stopped.append(subprocess.Popen(words, env=more["env"], cwd=more["cwd"], **pipes))
        out, err = stopped[0].communicate()
        return subprocess.CompletedProcess(words, stopped[0].returncode, out, err)

    monkeypatch.setattr(moved.subprocess, "run", started)
    attempt = {"name": "Try", "block": [of_role("credentials", "fence.yml")], "rescue": [TOLD]}
    more = {"credentials_region": "na", "credentials_record_empty_fence": True, "credentials_may_be_lost": False}
    more.update({"credentials_topics": r"orders\..*", **AWAY})
    files, said = ("taken_before.yml", attempt), []
    thread = threading.Thread(
        target=lambda: said.append(world.play("failover", THERE, files, PLANNED, failover_planned=True, **more))
    )
    thread.start()
    while "na" not in ledger_of(world.brokers["na"])["taken"]:
        assert thread.is_alive(), said
        time.sleep(0.05)
    os.killpg(stopped[0].pid, signal.SIGSTOP)
    try:
        assert world.rights() == granted, "it was stopped too late"
        ledger_of(world.brokers["eu"])
        world.brokers["eu"].kill()
        assert give_up(world, abort_move_accept_elsewhere="eu") == ""
        world.brokers["eu"].start()
        time.sleep(seconds)
    finally:
        os.killpg(stopped[0].pid, signal.SIGCONT)
        thread.join()
    (told,) = said
    assert "REFUSED Another run has begun in the ledger of na" in told, told[-3000:]
    assert give_up(world) == "" and world.rights() == granted


def test_no_application_is_stopped_where_the_move_was_given_up_since_its_gates(world, granted):
    """They work there again; whoever stopped them now would leave them stopped."""
    # A stop would fail, since nobody knows the program.
    shop = {
        "name": "till",
        "kind": "process",
        "role": "producer",
        "environment_file": "/nowhere",
        "principals": ["shop"],
    }
    world.hosts["na"]["kafka_dr_applications"] = [shop]
    attempt = {"name": "Try", "block": [of_role("failover", "fence.yml")], "rescue": [TOLD]}
    files, more = ("taken_before.yml", giving_up(world), attempt), {"preflight_silent": {}, **AWAY}
    told = world.play("failover", THERE, files, PLANNED, failover_planned=True, **more)
    assert "REFUSED Another run has begun in the ledger of na" in told, told[-3000:]
    assert world.rights() == granted
