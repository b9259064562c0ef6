# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of backup and restore that are killed, and run again; and a region that is lost again while it is restored."""

from __future__ import annotations

import pytest

from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.lab import Lab
from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.playing import SOURCE, TARGET
from tests.real.restore.story import Story

pytestmark = pytest.mark.full


def test_killed_at_any_place_it_comes_through(tmp_path):
    try:
        _story(Story(tmp_path / "lab"))
    finally:
        Lab(tmp_path / "lab").down()


def _story(story):
    story.went("initial_setup")
    journals = Journals(story.lab.directory / "regions" / "south_america")
    story.lab.lose(SOURCE)
    # The moment when what ran can be seen no longer, and only what was written down before tells it.
    story.kill_when_stopped("recreate_from_backup", "departures-producer")
    for step in ("Pause the applications", "Stop the backup mirror for good", "Make the cluster again"):
        story.kill_in("recreate_from_backup", step)
        known = story.module("ledger_info")
        assert known["open"] and known["stage"] == "recreate_from_backup" and known["active_region"] in ("none", SOURCE)
    story.kill_in("recreate_from_backup", "Bring the records back")
    story.lab.lose(SOURCE)
    assert "PROVEN" in story.went("recreate_from_backup")
    sizes = story.module("ledger_info")["done"]["recreate_from_backup"]["paused"]["found"]["sizes"]
    assert sizes == {"departures-producer": 1, "departures-consumer": 1}, "sizes of the first run stand"
    for step in ("Remove the restore mirror", "Name the region as the active one"):
        story.kill_in("resume", step)
    story.went("resume")
    for step in ("Let the mirror go on from where the restore ended", "Start the mirror"):
        story.kill_in("new_backup", step)
    assert "holds a proven backup" in story.went("new_backup")
    story.lab.supervisor.api().stopProcess("departures-producer", True)
    story.went("verify_restore")
    acknowledged = journals.acknowledged()
    held = topic_ids(story.admin(SOURCE), list(TOPICS))
    backed_up = topic_ids(story.admin(TARGET), list(TOPICS))
    assert held == backed_up and not [
        one for counter in backed_up.values() for one, count in counter.items() if count > 1
    ]
    ends = story.module("ledger_info")["done"]["recreate_from_backup"]["ends"]["found"]
    lost = [one for one in acknowledged if not any(one in counter for counter in held.values())]
    assert len(lost) <= ends["lost"]["total"] + 200, (
        "no more than what was witnessed and not copied, and what came after the last witness"
    )
