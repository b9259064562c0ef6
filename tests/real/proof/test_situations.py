# SPDX-License-Identifier: GPL-3.0-or-later
"""Situations beyond single topics: bounds, a target catching up, deletions during the run, names, sizes, numbers."""

from __future__ import annotations

import json
import threading
import time

import pytest

from . import support
from .cases import BASE
from .support import NOW, some

ROWS = some(500, headers=())


@pytest.fixture
def job(pair, spark, tmp_path):
    return support.Job(tmp_path, pair["source"], pair["target"], spark)


def prepare(pair, name, source, target, partitions=1, target_name=None, config=None):
    support.create(pair["source"], {name: (partitions, config or {})})
    support.create(pair["target"], {target_name or name: (partitions, config or {})})
    support.write(pair["source"], {name: source})
    support.write(pair["target"], {target_name or name: target})


@pytest.mark.real
def test_bounds_after_a_switch(pair, job, tmp_path):
    """Lost tail and new records look like a hole and strangers, unless the ends are given."""
    new = some(20, prefix="after", start=NOW + 10**6, headers=())
    prepare(pair, "switched", ROWS, ROWS[:480] + new)
    code, report, errors = job.compare("switched", "--wait-seconds", "0")
    assert (code, report["verdict"]) == (1, "LOSS"), errors
    bounds = tmp_path / "bounds.json"
    bounds.write_text(json.dumps({"target": {"switched": {"0": 480}}}))
    code, report, errors = job.compare("switched", "--bounds", str(bounds))
    assert (code, report["verdict"], report["totals"]["missing_tail"]) == (1, "LOSS", 20), errors
    bounds.write_text(json.dumps({"target": {"switched": {"0": 480}}, "mirrored_through": {"switched": {"0": 480}}}))
    code, report, errors = job.compare("switched", "--bounds", str(bounds))
    part = report["topics"][0]["partitions"][0]
    assert (code, report["verdict"], part["lost"], part["missing_tail"], part["foreign"]) == (0, "PROVEN", 20, 0, 0), (
        errors
    )
    assert part["target_range"] == [0, 480]
    bounds.write_text(json.dumps({"source": {"switched": {"0": 480}}, "target": {"switched": {"0": 480}}}))
    code, report, errors = job.compare("switched", "--bounds", str(bounds))
    assert (code, report["verdict"], report["topics"][0]["partitions"][0]["source_range"]) == (0, "PROVEN", [0, 480]), (
        errors
    )


@pytest.mark.real
def test_a_target_that_is_catching_up_is_waited_for(pair, job):
    prepare(pair, "behind", ROWS, ROWS[:100])
    stop = threading.Event()

    def mirror():
        for at in range(100, 500, 20):
            if stop.wait(0.6):
                return
            support.write(pair["target"], {"behind": ROWS[at : at + 20]})

    thread = threading.Thread(target=mirror)
    thread.start()
    try:
        code, report, errors = job.compare("behind", "--wait-seconds", "60")
    finally:
        stop.set()
        thread.join()
    assert (code, report["verdict"]) == (0, "PROVEN"), errors
    assert report["totals"]["records_target"] == 500


def through(job, **ends):
    """Words for the job that tell the offsets below which everything had been copied."""
    path = job.directory / "through.json"
    path.write_text(
        json.dumps({"mirrored_through": {name.replace("_", "."): {"0": end} for name, end in ends.items()}})
    )
    return "--bounds", str(path)


@pytest.mark.full
def test_what_had_not_been_copied_is_lost_and_named(pair, job):
    prepare(pair, "tail", ROWS, ROWS[:450])
    code, report, errors = job.compare("tail", *through(job, tail=450), "--wait-seconds", "1")
    assert (code, report["verdict"], report["totals"]["lost"]) == (0, "PROVEN", 50), errors
    assert "50 records at or beyond offset 450 had not been copied and are lost" in " ".join(report["reasons"])


@pytest.mark.full
def test_a_known_end_does_not_allow_a_topic_to_be_missing(pair, job):
    support.create(pair["source"], {"nowhere.a": (1, {}), "nowhere.b": (1, {})})
    support.create(pair["target"], {"nowhere.a": (1, {})})
    support.write(pair["source"], {"nowhere.a": ROWS, "nowhere.b": ROWS})
    support.write(pair["target"], {"nowhere.a": ROWS})
    code, report, errors = job.compare(r"nowhere\..*", *through(job, nowhere_b=0), "--wait-seconds", "1")
    assert (code, report["verdict"], report["complete"]) == (2, "NOT_PROVABLE", False), errors
    assert [topic["verdict"] for topic in report["topics"]] == ["PROVEN", "NOT_PROVABLE"]
    assert "nowhere.b: the topic is missing on the target" in report["reasons"]
    code, report, errors = job.compare(r"nowhere\..*", "--wait-seconds", "1")
    assert (code, report["verdict"], report["totals"]["missing_tail"]) == (1, "LOSS", 500), errors


@pytest.mark.full
def test_timestamps_may_be_ignored(pair, job):
    support.create(pair["source"], {"stamped": (1, {})})
    support.create(pair["target"], {"stamped": (1, {"message.timestamp.type": "LogAppendTime"})})
    support.write(pair["source"], {"stamped": ROWS})
    support.write(pair["target"], {"stamped": ROWS})
    code, report, errors = job.compare("stamped", "--ignore-timestamps")
    assert (code, report["verdict"], report["topics"][0]["timestamps_compared"]) == (0, "PROVEN", False), errors


@pytest.mark.full
def test_default_policy_names(pair, job):
    prepare(pair, "orders", ROWS, ROWS, target_name="north-america.orders")
    code, report, errors = job.compare("orders", "--rename", "prefix:north-america.")
    assert (code, report["verdict"], report["topics"][0]["target_topic"]) == (0, "PROVEN", "north-america.orders"), (
        errors
    )


@pytest.mark.full
def test_five_mebibytes(pair, job):
    big = [row.but(value=bytes([at]) * 5242880) for at, row in enumerate(BASE[:8])]
    prepare(
        pair,
        "big",
        big,
        [*big[:3], big[3].but(value=big[3].value[:-1] + b"!"), *big[4:]],
        config={"max.message.bytes": 6000000},
    )
    code, report, errors = job.compare("big")
    assert (
        code,
        report["totals"]["altered"],
        report["topics"][0]["partitions"][0]["differences"][0]["source_offset"],
    ) == (1, 1, 3), errors


@pytest.mark.full
def test_a_thousand_small_topics(pair, job):
    names = [f"small.{number:04d}" for number in range(1000)]
    for cluster in pair.values():
        support.create(cluster, dict.fromkeys(names, (1, {})))
    support.write(pair["source"], dict.fromkeys(names, BASE[:12]))
    support.write(pair["target"], {name: BASE[:12] if name != names[777] else BASE[:5] + BASE[6:12] for name in names})
    code, report, errors = job.compare(r"small\..*", timeout=400)
    assert (code, len(report["topics"])) == (1, 1000), errors
    assert [topic["topic"] for topic in report["topics"] if topic["verdict"] != "PROVEN"] == [names[777]]
    assert report["totals"]["missing"] == 1


def during(job, topics, act, *more):
    """Run compare slowly and act while it reads."""
    told = job.directory / "progress.json"
    result = {}
    thread = threading.Thread(
        target=lambda: result.update(
            zip(("code", "report", "errors"), job.compare(topics, "--progress", str(told), *more), strict=True)
        )
    )
    thread.start()
    end = time.monotonic() + 120
    while time.monotonic() < end and thread.is_alive():
        try:
            if json.loads(told.read_text()).get("records", 0) > 0:
                act()
                break
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    thread.join()
    return result["code"], result["report"], result["errors"]


BULK = some(3000, headers=())
BULK = [row.but(value=row.value * 400) for row in BULK]


@pytest.mark.full
@pytest.mark.parametrize("side", ["source", "target"])
def test_deletion_during_the_run_is_said(pair, job, side):
    name = f"deleted-{side}"
    prepare(pair, name, BULK, BULK)
    _code, report, errors = during(
        job, name, lambda: support.delete_before(pair[side], name, 0, 2900), "--max-mb-per-second", "1"
    )
    assert "log start moved" in " ".join(report["reasons"]), (report, errors)
    assert report["verdict"] in ("PROVEN", "NOT_PROVABLE") and report["totals"]["missing"] == 0


@pytest.mark.full
def test_created_anew_during_the_run(pair, job):
    prepare(pair, "renewed", BULK, BULK)

    def act():
        support.drop(pair["target"], ["renewed"])
        support.create(pair["target"], {"renewed": (1, {})})

    code, report, errors = during(job, "renewed", act, "--max-mb-per-second", "1", "--wait-seconds", "1")
    assert report["complete"] is False and code in (1, 2), errors


@pytest.mark.full
def test_throttled(pair, job):
    """6 MB at 2 MB/s on each side cannot take less than the last fetch's share below three seconds."""
    prepare(pair, "slow", BULK, BULK)
    code, report, errors = job.compare("slow", "--max-mb-per-second", "2")
    assert (code, report["verdict"]) == (0, "PROVEN"), errors
    assert report["totals"]["bytes_read"] / report["seconds"] < 4.5e6


@pytest.mark.full
def test_producers_may_go_on(pair, job):
    """What is written while it runs lies beyond the frozen bounds."""
    prepare(pair, "busy", ROWS, ROWS)
    more = some(50, prefix="more", start=NOW + 10**6, headers=())
    support.write(pair["target"], {"busy": more})
    stop = threading.Event()

    def produce():
        at = 0
        while not stop.wait(0.2):
            support.write(pair["source"], {"busy": [more[at % 50]]})
            at += 1

    support.write(pair["source"], {"busy": more})
    thread = threading.Thread(target=produce)
    thread.start()
    try:
        code, report, errors = job.compare("busy", *through(job, busy=len(ROWS)), "--wait-seconds", "2")
    finally:
        stop.set()
        thread.join()
    assert (code, report["complete"]) == (0, True), (report, errors)


@pytest.mark.real
def test_records_without_a_key_from_before_compaction_are_not_one_key(pair, job):
    prepare(pair, "keyless", [row.but(key=None) for row in ROWS], [row.but(key=None) for row in ROWS[-10:]])
    for side in pair.values():
        support.configure(side, "keyless", {"cleanup.policy": "compact"})
    code, report, errors = job.compare("keyless", "--wait-seconds", "0")
    assert (code, report["verdict"]) == (2, "NOT_PROVABLE"), errors
    assert "without a key" in " ".join(report["reasons"])
