# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror has written to the region that was left: no later run forgets that, and nothing of it is replayed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from kafka_dr_lab.supervisor import Supervisor
from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import ANYBODY, THERE, TOPIC
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real
REPLAY, EXPORT = ([{"topics": ".*", "action": action}] for action in ("replay", "export"))


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    made = Told(tmp_path, ("na", "eu"), [THERE])
    made.starts_in("eu", "shop")
    made.mirrored("na", "eu")
    made.mirrored("eu", "na")
    yield made
    made.down()


@pytest.fixture
def keeper(regions: Told, tmp_path: Path) -> Iterator[Supervisor]:
    """What keeps the regions' programs: none is described any more."""
    made = Supervisor(tmp_path / "services")
    made.start()
    for name in ("na", "eu"):
        kept = {"manager": "supervisord", "socket": made.socket, "directory": str(made.programs)}
        regions.hosts[name]["kafka_dr_services"] = kept
    yield made
    made.stop()


def failback(regions: Told, directory: Path, actions: list[dict[str, Any]], *words: str, **more: Any) -> str:
    given = {"failback_region": "na", "failback_from": "eu", "failback_salvage_directory": str(directory)}
    given |= {"failback_accept_unfenced": ANYBODY, "failback_accept_foreign_records": True, "failback_salvage": actions}
    return regions.run("failback", *words, **given, **more)


def refused_replay(regions: Told, directory: Path, **more: Any) -> str:
    return failback(regions, directory, REPLAY, "--check", **more)


def brought_back(regions: Told, ended: bool) -> dict[str, Any]:
    """A mirror has filled na from eu after an unplanned move there, which is returned as later moves name it."""
    regions.stage("eu", "1", "failover", "na to eu")
    ends = {"planned": False, "source": {TOPIC: {"0": 0}}, "target": {TOPIC: {"0": 0}}, "lost": {"total": 0}}
    regions.entry("eu", "1", "failover", "ends", "done", "na to eu", found=ends)
    regions.move("1", "eu", ["na"])
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu", found={"planned": False})
    written = [(0, b"key-%d" % number, b"of eu") for number in range(20)]
    write(regions.client("eu"), TOPIC, written)
    regions.stage("eu", "2", "failback", "na from eu", "compared", "clearing", "cleared", "seeded", ended=ended)
    write(regions.client("na"), TOPIC, written)
    return dict(regions.last)


def moved_home(regions: Told) -> None:
    """Told to na alone."""
    regions.stage("na", "3", "failover", "eu to na")
    regions.move("3", "na")
    regions.entry("na", "3", "failover", "stage", "done", "eu to na", found={"planned": True})


@pytest.mark.full
def test_a_run_that_catches_up_does_not_forget_it(regions, tmp_path):
    """A planned move turned the mirror, was ended unplanned since a machine was gone, and then caught up with it."""
    write(regions.client("na"), TOPIC, [(0, b"key", b"value")] * 5)
    seen = {"planned": True}
    regions.entry("eu", "1", "failover", "stage", "started", "na to eu", found={**seen, "source_asked": True})
    ends = {**seen, "source": {}, "target": {}, "lost": {"total": 0}}
    for step, found in (("ends", ends), ("positions", seen), ("turned", {"mirror": "there-back", **seen})):
        regions.entry("eu", "1", "failover", step, "done", "na", found=found)
    regions.move("1", "eu", ["na"])
    again = {"planned": False, "source_asked": True}
    regions.entry("eu", "2", "failover", "stage", "started", "na to eu", found=again)
    for step in ("protecting", "protected"):
        regions.entry("eu", "2", "failover", step, "done", "na", found={"mirror": "there-back"})
    left = {"mirror": {}, "applications": {"shop": "no answer"}}
    ended = {"planned": False, "lost": {"total": 0}, "verdict": "PROVEN", "unreached": left}
    regions.entry("eu", "2", "failover", "stage", "done", "na to eu", found=ended)
    assert regions.failover("na", "eu", failover_accept_unfenced=ANYBODY) == ""
    assert regions.known("eu")["last"]["failover"]["run"] not in ("1", "2"), "nobody caught up"
    assert "has turned the mirror round" in refused_replay(regions, tmp_path)
    fenced = regions.run("fence", fence_region="na", fence_survivor="eu", fence_accept_unfenced=ANYBODY)
    assert "is the backup of eu" in fenced, fenced


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.full
def test_what_a_failback_copied_is_not_replayed_after_a_move_home_that_was_given_up(regions, tmp_path, ended):
    """The move home was told to na alone, which was lost; eu goes on by the ends of the first move. Where the failback
    has not ended, a fence decides between the two stories first.
    """
    first = brought_back(regions, ended)
    moved_home(regions)
    regions.lose("na")
    regions.last = first
    regions.machines_gone()
    create(regions.brokers["eu"].client, "__kafka_dr_positions")
    given = {"failover_accept_unfenced": ANYBODY, "failover_accept_moved_back": True}
    given["failover_accept_open_stage"] = not ended
    assert regions.failover("na", "eu", **given) == ""
    regions.brokers["na"].start()
    for name in ("na", "eu"):
        del regions.hosts[name]["kafka_dr_mirror_hosts"], regions.hosts[f"machine-{name}"]
    more = {"failback_accept_split_brain": "eu"}
    if not ended:
        fenced = {"fence_region": "na", "fence_survivor": "eu", "fence_accept_unfenced": ANYBODY}
        regions.run("fence", fence_accept_split_brain=more.popitem()[1], **fenced)
        assert regions.known("eu")["clearing"] == {}
    told = refused_replay(regions, tmp_path, **more)
    assert "replay_once: A mirror from eu has written to na since the move" in told, told


@pytest.mark.full
def test_the_failback_that_decides_misses_no_mirror_that_an_earlier_one_removed(regions, keeper, tmp_path):
    """A move home was given up in eu, and had named na. What is copied there again needs a Kafka that is not here."""
    before = brought_back(regions, ended=True)
    moved_home(regions)
    regions.stage("eu", "4", "abort_move", "eu to na")
    regions.entry("eu", "4", "abort_move", "active_region", "active", "eu", epoch=2, epoch_from=before)
    regions.entry("eu", "4", "abort_move", "stage", "done", "eu to na")
    decides = {"failback_accept_split_brain": "eu"}
    told = failback(regions, tmp_path / "salvage", REPLAY, **decides)
    assert "replay_once: A mirror from eu has written to na since the move" in told, told[:3000]
    assert regions.known("eu")["run"] == "4", "something has begun"
    told = failback(regions, tmp_path / "salvage", EXPORT, **decides)
    steps = regions.known("eu")["done"]["failback"]
    assert {"salvaged", "cleared"} <= set(steps), told[:3000]
    assert steps["salvaged"]["found"]["salvaged"] == 20
