# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move was given up while its target was away, and the source was used until it was lost. The target that is
back does not know it: what it says of the source is no proof, and what only the source has is saved in the end.
"""

from __future__ import annotations

import time

import pytest
from confluent_kafka.admin import AdminClient

from kafka_dr_lab.journals import Journals
from tests.real.lab.kept import ids
from tests.real.lab.playing import SOURCE, TARGET, playground

pytestmark = pytest.mark.full
MOVE = {"failover_source": SOURCE, "failover_target": TARGET, "failover_planned": True}
GIVEN_UP = {"abort_move_source": SOURCE, "abort_move_target": TARGET, "abort_move_accept_elsewhere": [TARGET]}
USED_SECONDS = 15


@pytest.fixture(scope="module")
def not_told(tmp_path_factory):
    """A lab in which all that has happened; the source is lost, and its disks are kept."""
    directory = tmp_path_factory.mktemp("not_told")
    with playground(directory) as ground:
        done = ground.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3000:]
        ground.kill_after("failover", "Turn the mirror round", MOVE)
        assert "turned" in ground.module("ledger_info")["done"]["failover"]
        ground.lab.lose(TARGET, keep=True)
        done = ground.stage("abort_move", GIVEN_UP)
        assert done.returncode == 0, done.stdout[-3000:]
        time.sleep(USED_SECONDS)
        ground.lab.start_again(TARGET)
        AdminClient(ground.admin(TARGET)).list_topics(timeout=120)
        only = ids(ground, SOURCE) - ids(ground, TARGET)
        assert len(only) > 100
        ground.lab.lose(SOURCE, keep=True)
        yield ground, directory, only


def test_an_unplanned_move_there_says_that_it_does_not_know_what_is_lost(not_told):
    ground, dummy, dummy = not_told
    done = ground.stage("failover")
    told = " ".join(done.stdout.split())
    assert done.returncode == 0, done.stdout[-3000:]
    assert "NOT KNOWN how much was lost: an earlier move stopped the mirror at" in told, told
    assert "All records" not in told and "PROVEN" not in told
    known = ground.module("ledger_info")
    found = known["last"]["failover"]["found"]
    assert (found["lost"]["total"], found["verdict"], known["active_region"]) == (None, "no proof", TARGET)
    assert not {"turned", "protected"} & set(known["done"]["failover"])
    programs = {one["name"]: one["statename"] for one in ground.lab.supervisor.processes()}
    assert programs["departures-consumer"] == programs["departures-producer"] == "RUNNING"


def test_what_only_the_source_has_is_saved_once_it_is_back(not_told):
    ground, directory, only = not_told
    ground.lab.start_again(SOURCE)
    AdminClient(ground.admin(SOURCE)).list_topics(timeout=120)
    back = {"failback_region": SOURCE, "failback_from": TARGET, "failback_salvage_directory": str(directory / "saved")}
    refused = ground.stage("failback", back)
    assert refused.returncode != 0 and "The ledgers tell two stories" in " ".join(refused.stdout.split()), (
        refused.stdout[-3000:]
    )
    done = ground.stage("failback", {**back, "failback_accept_split_brain": TARGET})
    assert done.returncode == 0, done.stdout[-5000:]
    saved = ground.module("ledger_info")["done"]["failback"]["salvaged"]["found"]
    assert saved["salvaged"] >= len(only), (saved, len(only))
    acknowledged = set(Journals(ground.lab.directory / "regions" / "south_america").acknowledged())
    assert only <= acknowledged
