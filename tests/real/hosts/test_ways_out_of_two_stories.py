# SPDX-License-Identifier: GPL-3.0-or-later
"""Two stories of where the applications work, and moves that were cut off in either: the runbook's ways out are ways
out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import NOWHERE
from tests.real.hosts.moved import ANYBODY, THERE, TOPIC
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    made = Told(tmp_path, ("na", "eu"), [THERE])
    made.mirrored("na", "eu")
    yield made
    made.down()


@pytest.mark.full
def test_who_decides_for_the_source_needs_not_end_the_move_to_the_target(regions):
    """The move named eu and was cut off; na gave it up at the same epoch. What eu held is deleted, as told."""
    write(regions.client("na"), TOPIC, [(0, b"key", b"value")] * 5)
    both = {"epoch": 1, "epoch_from": NOWHERE}
    regions.stage("eu", "1", "failover", "na to eu", "positions")
    regions.entry("eu", "1", "failover", "active_region", "active", "eu", **both)
    regions.entry("na", "2", "abort_move", "stage", "started", "na to eu")
    regions.entry("na", "2", "abort_move", "active_region", "active", "na", **both)
    regions.entry("na", "2", "abort_move", "stage", "done", "na to eu")
    for topic in (TOPIC, "mm2-offsets.na.internal"):
        regions.client("eu").admin.delete_topics([topic])[topic].result(30)
    home = {"initial_setup_source": "na", "initial_setup_target": "eu", "initial_setup_accept_split_brain": "na"}
    said = regions.run("initial_setup", "--check", **home)
    assert "Refused" not in said and "open_stage" not in said, said[-3000:]


@pytest.mark.full
def test_who_decides_for_the_target_needs_not_end_the_move_home(regions):
    """It named na and was cut off there, while eu was named once more."""
    regions.mirrored("eu", "na")
    regions.stage("eu", "1", "failover", "na to eu")
    regions.ends("eu", "1", "na to eu")
    regions.move("1", "eu", ["na"])
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu")
    before = dict(regions.last)
    regions.stage("na", "3", "failover", "eu to na", "positions")
    regions.move("3", "na")
    regions.stage("eu", "4", "failover", "na to eu")
    regions.last = before
    regions.move("4", "eu")
    regions.entry("eu", "4", "failover", "stage", "done", "na to eu", found={"planned": False})
    fence = {"fence_region": "na", "fence_survivor": "eu", "fence_accept_unfenced": ANYBODY}
    assert "split_brain" in regions.run("fence", **fence)
    assert regions.run("fence", **fence, fence_accept_split_brain="eu") == ""
    assert not regions.known("na")["open"] and regions.known("na")["active_region"] == "eu"
    said = regions.failback("na", "eu", failback_accept_unfenced=ANYBODY)
    assert "Refused" not in said or "has not ended" not in said, said[-3000:]
