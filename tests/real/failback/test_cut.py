# SPDX-License-Identifier: GPL-3.0-or-later
"""A region whose network is cut, while everything in it runs on and its own producers write to it."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import ExitStack

import pytest
from confluent_kafka.admin import AdminClient

from kafka_dr_lab.lab import Lab
from kafka_dr_lab.landscape import TOPICS
from tests.real.failback.cutting import InsideProducer, network
from tests.real.lab.kept import ids, nothing_is_lost_or_twice
from tests.real.lab.playing import SOURCE, TARGET, Playground

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def region(tmp_path_factory):
    """The network of the source, and a lab that copies it to the target."""
    directory = tmp_path_factory.mktemp("cut")
    with ExitStack() as ending:
        try:
            made = ending.enter_context(network())
        except OSError as error:
            pytest.skip(f"no network can be cut here: {error}")
        java = made.program(directory / "java", shutil.which("java") or "java")
        ending.callback(lambda: Lab(directory / "lab").down())
        ground = Playground(directory / "lab", network={SOURCE: {"address": made.address, "java": java}})
        done = ground.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3000:]
        yield made, ground


def heal_when(ground, made, step, healed):
    """Heal the network once the stage has come to a step."""
    steps = ground.lab.playbooks.steps_file
    have = len(steps.read_text().splitlines())
    while not healed.is_set():
        if any(step in line for line in steps.read_text().splitlines()[have:]):
            made.heal()
            healed.set()
        time.sleep(0.1)


def written_through(made, ground, inside):
    """Cut the network, fail over, and heal the network in the middle of it, while the region's own producer writes."""
    while len(inside.acknowledged()) < 50:
        time.sleep(0.2)
    made.cut()
    before = len(inside.acknowledged())
    time.sleep(10)
    assert len(inside.acknowledged()) > before, "it accepts records of its own producers while it is cut off"
    healed = threading.Event()
    place = "Name the target as the active region"
    threading.Thread(target=heal_when, args=(ground, made, place, healed), daemon=True).start()
    moved = ground.stage("failover")
    was_healed = healed.is_set()
    healed.set()
    assert moved.returncode == 0 and was_healed, moved.stdout[-3000:]
    AdminClient(ground.admin(SOURCE)).list_topics(timeout=60)
    after = len(inside.acknowledged())
    time.sleep(3)
    assert len(inside.acknowledged()) > after, "nobody has fenced it yet"
    assert not set(inside.acknowledged()) <= ids(ground, TARGET)


def test_a_region_that_was_cut_off_is_fenced_and_what_its_producers_wrote_is_saved(region, tmp_path):
    made, ground = region
    user = {
        **ground.client(SOURCE),
        "sasl.username": "departures-producer",
        "sasl.password": ground.secrets["lab_passwords"]["departures-producer"],
    }
    back = {
        "failback_region": SOURCE,
        "failback_from": TARGET,
        "failback_salvage": [{"topics": ".*", "action": "replay"}],
        "failback_salvage_directory": str(tmp_path / "salvage"),
    }
    inside = InsideProducer(made, user, tmp_path / "journal", TOPICS[0])
    try:
        written_through(made, ground, inside)
        done = ground.stage("failback", back)
        assert done.returncode == 0, done.stdout
        assert "AUTHORIZATION" in inside.refusal(60)
    finally:
        inside.end()
    known = ground.module("ledger_info")
    assert (known["active_region"], known["open"]) == (TARGET, False)
    ended = known["last"]["failback"]["found"]
    assert (ended["state"], ended["verdict"]) == ("with_data", "PROVEN")
    nothing_is_lost_or_twice(ground, inside.acknowledged())
