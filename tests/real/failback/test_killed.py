# SPDX-License-Identifier: GPL-3.0-or-later
"""A failback that is killed at each of its changes, and run again each time."""

from __future__ import annotations

import signal
import time

import pytest

from kafka_dr_lab.drill import MIRROR
from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.playing import SOURCE, TARGET, playground

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def returned(tmp_path_factory):
    """A lab whose source was lost with records that only it has, and is back with its disks after the failover."""
    directory = tmp_path_factory.mktemp("failback")
    with playground(directory) as ground:
        done = ground.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3000:]
        ground.lab.signal(signal.SIGSTOP, MIRROR)
        time.sleep(5)
        ground.lose_and_return(lambda: ground.lab.signal(signal.SIGCONT, MIRROR))
        yield ground


def test_killed_at_each_change_it_ends_in_the_right_state(returned, tmp_path):
    journals = Journals(returned.lab.directory / "regions" / "south_america")
    only_there = set(journals.acknowledged(SOURCE)) - held(returned, TARGET)
    assert only_there
    back = {
        "failback_region": SOURCE,
        "failback_from": TARGET,
        "failback_salvage": [{"topics": ".*", "action": "replay"}],
        "failback_salvage_directory": str(tmp_path / "salvage"),
    }
    checked = returned.stage("failback", back, "--check")
    assert checked.returncode == 0 and "It is back with its data" in " ".join(checked.stdout.split()), checked.stdout
    # In the midst of making room: the old mirror is gone already, and the ledger does not say so yet.
    returned.kill_when_gone("failback", MIRROR, back)
    places = tmp_path / "places"
    for dummy in returned.killed_at_each_change("failback", back, places):
        known = returned.module("ledger_info")
        assert known["open"] and known["stage"] == "failback"
    assert len(places.read_text().splitlines()) > 20, places.read_text()
    known = returned.module("ledger_info")
    assert (known["active_region"], known["open"]) == (TARGET, False)
    assert returned.module("ledger_info", region=SOURCE)["active_region"] == TARGET
    assert known["last"]["failback"]["found"]["verdict"] == "PROVEN"
    again = returned.stage("failback", back)
    assert again.returncode == 0 and "nothing is left to be done" in " ".join(again.stdout.split()), again.stdout
    returned.lab.halt("departures-producer")
    every, repeated = set(journals.acknowledged()), journals.sent_again()
    end = time.monotonic() + 60
    for region in (TARGET, SOURCE):
        while every - held(returned, region):
            assert time.monotonic() < end, f"{region} lacks {len(every - held(returned, region))} records"
            time.sleep(0.5)
        counts = topic_ids(returned.admin(region), list(TOPICS))
        assert {one for counter in counts.values() for one, count in counter.items() if count > 1} <= repeated


def held(ground, region):
    """Ids of the records that a region holds."""
    return {one for counter in topic_ids(ground.admin(region), list(TOPICS)).values() for one in counter}
