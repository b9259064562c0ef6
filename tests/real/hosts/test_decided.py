# SPDX-License-Identifier: GPL-3.0-or-later
"""Two regions were named by moves that did not know of each other, and a person decides.

Both were used, so that no stage goes on from what it knew of the other one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import NOWHERE
from tests.real.hosts.moved import ANYBODY, THERE, TOPIC, begin_tasks, of_role
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real
OUT = {"initial_setup_source": "na", "initial_setup_target": "eu"}
HOME = {"initial_setup_source": "eu", "initial_setup_target": "na"}
REPLAY, EXPORT = ([{"topics": ".*", "action": action}] for action in ("replay", "export"))


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    """A planned move from na to eu has turned the mirror round, and names eu."""
    made = Told(tmp_path, ("na", "eu"), [THERE])
    made.mirrored("na", "eu")
    made.mirrored("eu", "na")
    write(made.client("na"), TOPIC, [(0, b"key", b"value")] * 5)
    about, seen = "na to eu", {"planned": True}
    made.entry("eu", "1", "failover", "stage", "started", about, found={**seen, "source_asked": True})
    proof = {"verdict": "PROVEN", "complete": True, "source": "na", "topics": {}}
    made.entry("eu", "1", "failover", "proof", "proven", "na", found=proof)
    ends = {**seen, "source": {}, "target": {}, "lost": {"total": 0}}
    made.entry("eu", "1", "failover", "ends", "done", about, found=ends)
    made.entry("eu", "1", "failover", "positions", "done", "na", found=seen)
    made.entry("eu", "1", "failover", "late_records", "done", "na", found={"total": 0, "accepted": False})
    made.entry("eu", "1", "failover", "turned", "done", "na", found={"mirror": "there-back", **seen})
    yield made
    made.down()


def named_at_once(regions: Told) -> None:
    """eu by the move, and na by whoever gave it up there, at the same epoch."""
    both = {"epoch": 1, "epoch_from": NOWHERE}
    regions.entry("eu", "1", "failover", "active_region", "active", "eu", **both)
    regions.entry("na", "2", "abort_move", "stage", "started", "na to eu")
    regions.entry("na", "2", "abort_move", "active_region", "active", "na", **both)
    regions.entry("na", "2", "abort_move", "stage", "done", "na to eu")


def ran_back(regions: Told) -> None:
    """The mirror that was turned round has carried data."""
    for step in ("protecting", "protected"):
        regions.entry("eu", "1", "failover", step, "done", "na", found={"mirror": "there-back"})
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu", found={"planned": True})


@pytest.mark.parametrize(
    ("decided", "planned", "done"),
    [("eu", False, "ends positions"), pytest.param("na", True, "", marks=pytest.mark.full)],
)
def test_the_run_that_decides_goes_on_from_nothing_that_the_decision_ended(regions, decided, planned, done):
    named_at_once(regions)
    preflight = of_role("failover", "preflight.yml", public=True)
    show = (
        "DONE {{ __failover_done | list | sort | join(' ') }}. {{ __failover_proven | length }} {{ __failover_turned }}"
    )
    tasks = [preflight, *begin_tasks(), {"name": "Show", "ansible.builtin.debug": {"msg": show}}]
    given = {"failover_source": "na", "failover_target": "eu", "failover_planned": planned, "failover_reverse": False}
    given |= {f"failover_accept_{name}": True for name in ("source_alive", "stale_mirror")}
    given["failover_accept_unfenced"] = ANYBODY
    said = regions.play(tasks, failover_accept_split_brain=decided, **given)
    assert f"DONE {done}. 0 False" in said, said[-4000:]


@pytest.mark.full
def test_no_set_up_starts_the_turned_mirror_behind_what_the_other_region_holds(regions, tmp_path):
    regions.move("1", "eu", ["na"])
    first = dict(regions.last)
    regions.entry("eu", "1", "failover", "protecting", "done", "na", found={"mirror": "there-back"})
    # eu does not answer for a while.
    regions.stage("na", "2", "failover", "eu to na")
    regions.ends("na", "2", "eu to na")
    regions.move("2", "na")
    regions.entry("na", "2", "failover", "stage", "done", "eu to na", found={"planned": False})
    # The first move goes on once na is lost, which nobody can ask.
    regions.last = first
    silent = {"found": {"planned": False, "source_asked": False}}
    regions.entry("eu", "3", "failover", "stage", "started", "na to eu", **silent)
    regions.move("3", "eu")
    regions.entry("eu", "3", "failover", "stage", "done", "na to eu", found={"planned": False})
    for more in ({}, {"initial_setup_accept_split_brain": "eu"}):
        refused = regions.run("initial_setup", **HOME, **more)
        assert "na was used beside another region" in refused and "Run failback" in refused, refused
    assert regions.known("na")["stage"] == "failover", "nothing has begun"
    told = salvaged(regions, tmp_path, REPLAY, failback_accept_split_brain="eu")
    assert "A mirror from eu has written to na since the move" in told and "Name export or side_topic" in told, told
    told = salvaged(regions, tmp_path, EXPORT, failback_accept_split_brain="eu")
    assert "Refused, nothing was changed" not in told, told


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.full
def test_no_set_up_starts_the_mirror_behind_what_its_target_was_used_for(regions, decided):
    """The run that decides, and one after another stage has decided."""
    named_at_once(regions)
    write(regions.client("eu"), TOPIC, [(0, b"key", b"only here")])
    if decided:
        regions.run("abort_move", abort_move_source="na", abort_move_target="eu", abort_move_accept_split_brain="na")
        assert [regions.known(name)["epoch"] for name in ("na", "eu")] == [3, 3]
    more = {} if decided else {"initial_setup_accept_split_brain": "na"}
    given = {**OUT, **more, "initial_setup_accept_open_stage": True}
    refused = regions.run("initial_setup", **given)
    assert "eu was used beside another region" in refused and f"found {TOPIC}. Save what you need" in refused, refused
    admin = regions.client("eu").admin
    for topic in (TOPIC, "mm2-offsets.na.internal"):
        admin.delete_topics([topic])[topic].result(30)
    assert "was used beside" not in regions.run("initial_setup", "--check", **given)


@pytest.mark.full
def test_what_a_mirror_copied_back_is_not_replayed_once_it_was_decided(regions, tmp_path):
    ran_back(regions)
    named_at_once(regions)
    told = salvaged(regions, tmp_path, REPLAY)
    assert "The ledgers tell two stories" in told, told
    told = salvaged(regions, tmp_path, REPLAY, failback_accept_split_brain="eu")
    assert "A mirror from eu has written to na since the move" in told, told
    told = salvaged(regions, tmp_path, EXPORT, failback_accept_split_brain="eu")
    assert "Refused, nothing was changed" not in told, told


@pytest.mark.full
def test_a_failback_that_ended_does_not_hide_two_stories(regions):
    regions.move("1", "eu", ["na"])
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu")
    regions.stage("eu", "2", "failback", "na from eu", "compared", "seeded", ended=True)
    before = dict(regions.last)
    regions.stage("na", "3", "failover", "eu to na")
    regions.move("3", "na")
    regions.entry("eu", "4", "abort_move", "stage", "started", "eu to na")
    named = {"epoch": 2, "epoch_from": before}
    regions.entry("eu", "4", "abort_move", "active_region", "active", "eu", **named)
    regions.entry("eu", "4", "abort_move", "stage", "done", "eu to na")
    regions.entry("na", "3", "failover", "stage", "done", "eu to na")
    assert "The ledgers tell two stories" in regions.failback("na", "eu")


def salvaged(regions: Told, directory: Path, actions: list[dict[str, Any]], **more: Any) -> str:
    """With what a failback ends that only looks."""
    given = {"failback_region": "na", "failback_from": "eu", "failback_salvage_directory": str(directory)}
    given |= {"failback_accept_unfenced": ANYBODY, "failback_accept_foreign_records": True}
    return regions.run("failback", "--check", failback_salvage=actions, **given, **more)
