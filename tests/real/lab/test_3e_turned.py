# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move there and back, killed at each of its changes and run again each time: the mirror is turned round
twice, and nothing is lost, processed twice or copied again.
"""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import positions_in
from kafka_dr_lab.drill import MIRROR
from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.landscape import GROUP, TOPICS
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.full
BACK = f"{MIRROR}-back"


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Files that name the places where the move there and the move home were killed."""
    directory = tmp_path_factory.mktemp("places")
    return {TARGET: directory / "there", SOURCE: directory / "home"}


@pytest.mark.parametrize("here, there, runs, gone", [(SOURCE, TARGET, BACK, MIRROR), (TARGET, SOURCE, MIRROR, BACK)])
def test_a_planned_move_that_is_killed_leaves_the_mirror_turned_round(ground, set_up, places, here, there, runs, gone):
    assert set_up.returncode == 0, set_up.stdout[-3000:]
    move = {"failover_source": here, "failover_target": there, "failover_planned": True}
    if there == SOURCE:
        # The move home gives back the stray right to write to every topic, and a run after that sees it.
        move["failover_accept_ledger_writers"] = True
    # The move home is killed in the midst of what the move there changed.
    within = places[TARGET] if there == SOURCE else None
    assert len(list(ground.killed_at_each_change("failover", move, places[there], within))) > 20, places[there]
    said = places[there].with_suffix(".output").read_text()
    assert f"{runs.removeprefix('mirror-')} copies it to {here}" in " ".join(said.split())
    known = ground.module("ledger_info", region=there)
    assert known["active_region"] == there and not known["open"]
    assert known["done"]["failover"]["turned"]["found"]["partitions"] > 0
    assert known["done"]["failover"]["turned"]["found"]["mirror"] == runs.removeprefix("mirror-")
    assert known["done"]["failover"]["protected"]["found"]["since"]
    programs = {one["name"]: one["statename"] for one in ground.lab.supervisor.processes()}
    assert programs[runs] == "RUNNING" and programs.get(gone, "STOPPED") == "STOPPED"
    # The log keeps what the kills did to the mirror.
    examined = ground.lab.playbooks.run("doctor", {"doctor_log_lines": 0}, capture=True, check=False)
    assert f"Mirror {runs.removeprefix('mirror-')} is well" in " ".join(examined.stdout.split()), examined.stdout
    assert programs["departures-consumer"] == programs["departures-producer"] == "RUNNING"
    # What the consumers commit where they work now flows back to the region that was left.
    left = positions(ground, here)
    end = time.monotonic() + 120
    while not any(position > left.get(place, 0) for place, position in positions(ground, here).items()):
        assert time.monotonic() < end, f"no position of a group reached {here}: {left}"
        time.sleep(0.5)


def positions(ground, region):
    """``{(topic, partition): position}`` of the applications' group in a region."""
    client = KafkaClient(ground.client(region), ground.client_secrets(region), 60, region)
    found = positions_in(client, TOPICS).get(GROUP, {})
    return {(topic, number): at for topic, places in found.items() for number, at in places.items()}


def test_after_there_and_back_nothing_is_lost_or_twice(ground, set_up):
    journals = Journals(ground.lab.directory / "regions" / "south_america")
    ground.lab.halt("departures-producer")
    end = time.monotonic() + 120
    while set(journals.acknowledged()) - set(journals.processed_times()):
        assert time.monotonic() < end, "acknowledged records were not processed"
        time.sleep(0.5)
    again = journals.sent_again()
    assert {one for one, count in journals.processed_times().items() if count > 1} <= again
    for region in (SOURCE, TARGET):
        held: dict = {}
        while {one for counter in held.values() for one in counter} < set(journals.acknowledged()):
            assert time.monotonic() < end, f"{region} does not hold every record"
            time.sleep(0.5)
            held = topic_ids(ground.admin(region), list(TOPICS))
        assert {one for counter in held.values() for one, count in counter.items() if count > 1} <= again
    ground.lab.revive("departures-producer")
