# SPDX-License-Identifier: GPL-3.0-or-later
"""A failover that is killed at four places, and run again each time."""

from __future__ import annotations

import time

import pytest

from kafka_dr_lab.drill import MIRROR
from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.full
FAILOVER = {"failover_source": SOURCE, "failover_target": TARGET}
PLACES = (
    "Stop the mirror for good",
    "Commit the groups' positions in the target",
    "Name the target as the active region",
    # Producers write in the target from here on, which is at rest no more.
    "Move the applications",
)


def test_killed_at_four_places_it_finishes_in_the_right_state(ground, set_up):
    assert set_up.returncode == 0, set_up.stdout[-3000:]
    journals = Journals(ground.lab.directory / "regions" / "south_america")
    ground.lab.lose(SOURCE)
    for place in PLACES:
        ground.kill_after("failover", place, FAILOVER)
        known = ground.module("ledger_info")
        assert known["open"] and known["stage"] == "failover" and "ends" in known["done"]["failover"]
    done = ground.stage("failover")
    assert done.returncode == 0, done.stdout
    known = ground.module("ledger_info")
    assert known["active_region"] == TARGET and not known["open"]
    ends = known["done"]["failover"]["ends"]
    assert ends["run"] != known["run"], "the ends that the first run wrote stand"
    programs = {one["name"]: one["statename"] for one in ground.lab.supervisor.processes()}
    assert (
        programs[MIRROR] == "STOPPED"
        and programs["departures-consumer"] == programs["departures-producer"] == "RUNNING"
    )
    end = time.monotonic() + 120
    while journals.first_new(TARGET) is None:
        assert time.monotonic() < end, "no new record was processed"
        time.sleep(0.5)
    again = journals.sent_again()
    held = topic_ids(ground.admin(TARGET), list(TOPICS))
    assert {identity for counter in held.values() for identity, count in counter.items() if count > 1} <= again
    after = ground.stage("failover")
    assert after.returncode != 0 and "The move was made already" in " ".join(after.stdout.split())
