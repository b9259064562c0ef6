# SPDX-License-Identifier: GPL-3.0-or-later
"""Another stage has run since a failback began to delete topics and was killed: nothing is deleted then but copies."""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Producer

from tests.real.lab.kept import ids
from tests.real.lab.playing import SOURCE, TARGET, playground

pytestmark = pytest.mark.full
TOPIC = "flights.departed"


@pytest.fixture(scope="module")
def forgotten(tmp_path_factory):
    """A lab whose failback was killed when the region was a copy again, and whose fence was played since."""
    directory = tmp_path_factory.mktemp("forgotten")
    with playground(directory) as ground:
        done = ground.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3000:]
        ground.lose_and_return()
        back = {"failback_region": SOURCE, "failback_from": TARGET, "failback_salvage_directory": str(directory / "s")}
        ground.kill_after("failback", "Wait until everything is copied", back)
        another_stage(ground)
        yield ground, back


def another_stage(ground):
    """What the ledger says once another stage has begun, over the one that was cut off, and ended."""
    secret = [ground.secrets["kafka_dr_ledger_secret"]]
    for state in ("started", "done"):
        ground.module(
            "ledger_entry",
            secret=secret,
            run="another",
            stage="new_backup",
            step="stage",
            state=state,
            about=f"{TARGET} to elsewhere",
            after=ground.module("ledger_info", secret=secret)["head"]["hash"],
        )
    assert not ground.module("ledger_info", secret=secret)["open"]


def test_a_record_that_only_the_region_has_is_not_deleted(forgotten):
    ground, back = forgotten
    producer = Producer(ground.admin(SOURCE))
    producer.produce(TOPIC, b'{"id": "stray"}', b"stray", 0)
    assert producer.flush(30) == 0
    refused = ground.stage("failback", back)
    told = " ".join(refused.stdout.split())
    assert refused.returncode == 2 and f"{TOPIC} has 1 foreign" in told and "Nothing was deleted" in told, told
    assert "stray" in ids(ground, SOURCE)


def test_without_it_the_region_is_made_a_copy_again(forgotten):
    ground, back = forgotten
    # As the refusal advises: what is needed of it was saved elsewhere.
    topics = ground.module("cluster_info", region=SOURCE, read=["topics"], topics=TOPIC)["topics"]
    described = [{"name": name, "partitions": topic["partitions"]} for name, topic in topics.items()]
    ground.module("topics", region=SOURCE, topics=described, state="absent")
    done = ground.stage("failback", back)
    assert done.returncode == 0, done.stdout
    assert ground.module("ledger_info")["last"]["failback"]["found"]["verdict"] == "PROVEN"
    end = time.monotonic() + 60
    while ids(ground, TARGET) - ids(ground, SOURCE):
        assert time.monotonic() < end
        time.sleep(0.5)
    assert "stray" not in ids(ground, SOURCE)


def test_the_mirror_that_a_failback_turned_round_is_examined(forgotten):
    ground, dummy = forgotten
    # What its log tells of the runs that were cut off is not meant.
    looked = ground.stage("doctor", {"doctor_log_lines": 0})
    assert "Mirror north-america-to-europe-back is well" in " ".join(looked.stdout.split()), looked.stdout[-3000:]
