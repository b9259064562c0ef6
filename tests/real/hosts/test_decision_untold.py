# SPDX-License-Identifier: GPL-3.0-or-later
"""A person decided between two stories, and the run that wrote it was cut off before it told the other ledger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import truth
from tests.real.hosts.moved import THERE, played
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    """Both were named at the second epoch: na by a move home, and eu by whoever gave that up."""
    made = Told(tmp_path, ("na", "eu"), [THERE])
    made.mirrored("na", "eu")
    made.mirrored("eu", "na")
    made.stage("eu", "1", "failover", "na to eu", "turned", "protecting", "protected")
    made.ends("eu", "1", "na to eu")
    made.move("1", "eu", ["na"])
    made.entry("eu", "1", "failover", "stage", "done", "na to eu")
    yield made
    made.down()


def split(regions: Told) -> None:
    before = dict(regions.last)
    regions.stage("na", "3", "failover", "eu to na")
    regions.move("3", "na")
    regions.entry("eu", "4", "abort_move", "stage", "started", "eu to na")
    regions.entry("eu", "4", "abort_move", "active_region", "active", "eu", epoch=2, epoch_from=before)
    regions.entry("eu", "4", "abort_move", "stage", "done", "eu to na")
    regions.entry("na", "3", "failover", "stage", "done", "eu to na")


def decide(regions: Told) -> None:
    settle = truth({"eu": regions.known("eu")}, "na", regions.known("na"), "eu")["settle"]
    seen = {"planned": True, "source_asked": True}
    regions.entry("na", "5", "failover", "stage", "started", "eu to na", found=seen)
    decision = {"epoch": settle["epoch"], "epoch_from": settle["epoch_from"], "found": settle["found"]}
    regions.entry("na", "5", "failover", "active_region", "active", "eu", **decision)


def test_no_region_that_was_used_beside_counts_as_brought_back(regions):
    regions.stage("eu", "2", "failback", "na from eu", "compared", "seeded", ended=True)
    split(regions)
    decide(regions)
    given = {"failback_region": "na", "failback_from": "eu", "failback_salvage_directory": str(regions.directory)}
    done = played(regions.directory, regions.hosts, regions.mirrors, "streamsafe.kafka_dr.failback", given, "--check")
    said = " ".join(done.stdout.split())
    assert "was made the backup of eu" not in said and "open_stage: Another stage is open" in said, said[-3000:]


@pytest.mark.full
def test_the_mirror_to_it_does_not_go_on(regions):
    split(regions)
    decide(regions)
    given = {"initial_setup_source": "eu", "initial_setup_target": "na", "initial_setup_accept_open_stage": True}
    told = regions.run("initial_setup", "--check", **given, initial_setup_accept_foreign_records=True)
    assert "turned_mirror: No mirror is described from eu to na" in told, told
