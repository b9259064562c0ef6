# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic is deleted that the mirror of a failback was seeded with: the way out of the refusal leads to a proof."""

from __future__ import annotations

import time

import pytest

from tests.real.lab.kept import ids
from tests.real.lab.playing import SOURCE, TARGET, playground

pytestmark = pytest.mark.full


def test_a_topic_that_was_deleted_after_the_seeds_is_copied_by_the_next_run(tmp_path):
    back = {"failback_region": SOURCE, "failback_from": TARGET, "failback_salvage_directory": str(tmp_path / "s")}
    with playground(tmp_path) as ground:
        done = ground.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3000:]
        ground.lose_and_return()
        ground.kill_after("failback", "Wait until everything is copied", back)
        secret = [ground.secrets["kafka_dr_ledger_secret"]]
        steps = ground.module("ledger_info", secret=secret)["done"]["failback"]
        kept = steps["compared"]["found"]["kept"]
        assert kept and "seeded" in steps
        topics = ground.module("cluster_info", region=SOURCE, read=["topics"])["topics"]
        described = [{"name": kept[0], "partitions": topics[kept[0]]["partitions"]}]
        ground.module("topics", region=SOURCE, topics=described, state="absent")
        refused = ground.stage("failback", back)
        told = " ".join(refused.stdout.split())
        assert refused.returncode == 2 and f"{kept[0]} is " in told and "run this again" in told, told[-3000:]
        done = ground.stage("failback", back)
        assert done.returncode == 0, done.stdout[-5000:]
        assert ground.module("ledger_info", secret=secret)["last"]["failback"]["found"]["verdict"] == "PROVEN"
        end = time.monotonic() + 60
        while ids(ground, TARGET) - ids(ground, SOURCE):
            assert time.monotonic() < end
            time.sleep(0.5)
