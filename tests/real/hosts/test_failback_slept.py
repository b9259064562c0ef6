# SPDX-License-Identifier: GPL-3.0-or-later
"""A failback that sleeps before it changes a region, while the other one is lost, and this one is named and used."""

from __future__ import annotations

import threading
import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import cluster_state
from tests.real.hosts import moved
from tests.real.hosts.moved import ANYBODY, LEDGER, STRAY, THERE, TOPIC
from tests.real.hosts.test_fence_slept import asleep
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real


def begun(regions: Told) -> None:
    """A failback may begin."""
    regions.mirrored("na", "eu")
    regions.mirrored("eu", "na")
    regions.stage("eu", "1", "failover", "na to eu")
    regions.ends("eu", "1", "na to eu")
    regions.move("1", "eu", ["na"])
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu")


def cut_off(regions: Told) -> None:
    """A failback that was cut off while it waited until everything is copied; another machine goes on with it."""
    begun(regions)
    regions.entry("eu", "2", "failback", "stage", "started", "na from eu")
    for step in ("compared", "clearing", "cleared", "seeded"):
        plan = {"kept": [], "again": [], "proof": {}} if step == "compared" else {}
        regions.entry("eu", "2", "failback", step, "done", "na from eu", found=plan)


def overtaken(regions: Told, tmp_path, monkeypatch, task: str) -> str:
    """What a failback says that sleeps from this task on, while eu is lost and na is named and used."""
    log, run, said = tmp_path / "log", moved.subprocess.run, []
    log.touch()

    def logged(words, **more):
        more["env"] = {**more["env"], "ANSIBLE_LOG_PATH": str(log)}
        return run(words, check=more.pop("check", False), **more)

    topic = LEDGER + asleep(tmp_path, once=f"grep -q {task} {log}")
    given = {"failback_accept_unfenced": ANYBODY, "kafka_dr_ledger_topic": topic}
    with monkeypatch.context() as patched:
        patched.setattr(moved.subprocess, "run", logged)
        thread = threading.Thread(target=lambda: said.append(regions.failback("na", "eu", **given)))
        thread.start()
        while not (tmp_path / "asleep").exists():
            assert thread.is_alive(), said
            time.sleep(0.2)
    try:
        regions.lose("eu")
        regions.stage("na", "3", "failover", "eu to na")
        regions.move("3", "na")
        ensure_acls(regions.client("na"), STRAY[:1], "present", False)
        regions.entry("na", "3", "failover", "stage", "done", "eu to na")
        regions.brokers["eu"].start()
    finally:
        (tmp_path / "awake").touch()
        thread.join()
    return said[0]


@pytest.mark.full
def test_it_takes_nothing_of_a_region_that_is_in_use_by_then(tmp_path, monkeypatch):
    regions = Told(tmp_path, ("na", "eu"), [THERE])
    try:
        cut_off(regions)
        said = overtaken(regions, tmp_path, monkeypatch, "Fence.the.region")
        assert "Another run has begun in the ledger of na" in said, said[-3000:]
        assert len(describe_acls(regions.client("na"), ["shop"])) == 1, "the region in use was fenced"
    finally:
        regions.down()


@pytest.mark.full
def test_it_holds_nothing_in_a_region_that_is_in_use_by_then(tmp_path, monkeypatch):
    regions = Told(tmp_path, ("na", "eu"), [THERE])
    try:
        begun(regions)
        said = overtaken(regions, tmp_path, monkeypatch, "Hold.off.deletion")
        held = cluster_state(regions.client("na"), ["topics", "configs"], TOPIC)["topics"][TOPIC]["configs"]
        assert held == {}, "topics of the region in use were held"
        # Both stories.
        assert "Another run has begun in the ledger of na" in said, said[-3000:]
        assert "stage failback, na from eu" in said and "active region na" in said, said[-3000:]
    finally:
        regions.down()
