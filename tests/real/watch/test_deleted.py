# SPDX-License-Identifier: GPL-3.0-or-later
"""What a target deletes of what was proven is excused where it was seen to expire, or where its size is limited."""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import broker_clock
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import summarise
from tests.real.proof.support import configure, delete_before, some

from .test_closing import closed
from .watching import watch_of

pytestmark = pytest.mark.real

DAY = 86_400_000
WEEK = {"retention.ms": 7 * DAY, "message.timestamp.before.max.ms": 9223372036854775807}


def aged(count, old):
    """Records of which the first are eight days old, which a week's retention may delete, and the rest are of today."""
    now = int(time.time() * 1000)
    rows = some(count, start=now, headers=())
    return [row.but(timestamp=row.timestamp - 8 * DAY) if at < old else row for at, row in enumerate(rows)]


def watched(pair, topic, rows, config):
    watching = watch_of(pair, topic, config=config)
    for where in pair:
        watching.write(where, rows)
    watching.rounds()
    return watching


@pytest.mark.parametrize(
    ("name", "old", "start", "config", "verdict"),
    [
        ("young", 0, 1999, WEEK, "NOT_PROVABLE"),
        ("whole", 0, 2000, WEEK, "NOT_PROVABLE"),
        ("further", 1000, 1001, WEEK, "NOT_PROVABLE"),
        ("expired", 1000, 1000, WEEK, "PROVEN"),
        ("all", 2000, 2000, WEEK, "PROVEN"),
        ("never", 1000, 1000, {**WEEK, "retention.ms": -1}, "NOT_PROVABLE"),
        ("size", 0, 1999, {**WEEK, "retention.bytes": 1 << 30}, "PROVEN"),
    ],
)
@pytest.mark.parametrize("noticed", [False, True])
def test_what_was_proven_and_deleted(pair, name, old, start, config, verdict, noticed):
    topic = f"w.deleted.{name}.{int(noticed)}"
    watching = watched(pair, topic, aged(2000, old), config)
    delete_before(pair["target"], topic, 0, start)
    if noticed:
        watching.rounds()
    report = closed(watching, {"mirrored_through": {topic: {"0": 2000}}})
    assert report["verdict"] == verdict, report["reasons"]
    reasons = " ".join(report["topics"][0]["partitions"][0]["reasons"])
    assert ("proven offsets were deleted from the target" in reasons) == (
        verdict != "PROVEN" or (name == "size" and not noticed)
    ), reasons


def test_what_a_shorter_retention_would_have_deleted_is_missed_under_a_longer_one(pair):
    topic = "w.deleted.lengthened"
    watching = watched(pair, topic, [row.but(timestamp=row.timestamp - DAY) for row in aged(2000, 0)], WEEK)
    for kept in (DAY // 24, 7 * DAY):
        for cluster in pair.values():
            configure(cluster, topic, {**WEEK, "retention.ms": kept})
        watching.watch.close()
        state = watching.open().rounds(lambda state, kept=kept: state.partitions[topic, 0].expiring_for == kept)
        assert bool(state.partitions[topic, 0].expiring) == (kept < DAY)
    delete_before(pair["target"], topic, 0, 1999)
    report = closed(watching, {"mirrored_through": {topic: {"0": 2000}}})
    assert report["verdict"] == "NOT_PROVABLE", report["reasons"]


def test_what_the_copy_deletes_by_a_shorter_retention_than_the_source_is_missed(pair):
    topic = "w.deleted.shortened"
    watching = watched(pair, topic, [row.but(timestamp=row.timestamp - DAY) for row in aged(2000, 0)], WEEK)
    configure(pair["target"], topic, {**WEEK, "retention.ms": DAY // 24})
    watching.watch.close()
    watching.open().rounds()
    delete_before(pair["target"], topic, 0, 1999)
    watching.rounds(lambda state: state.partitions[topic, 0].target_start == 1999)
    configure(pair["target"], topic, WEEK)
    watching.watch.close()
    assert summarise(watching.open().rounds())["vanished_records"] == 1999
    report = closed(watching, {"mirrored_through": {topic: {"0": 2000}}})
    assert report["verdict"] == "NOT_PROVABLE", report["reasons"]


@pytest.mark.parametrize("again", [False, True])
def test_a_watch_whose_clock_is_days_ahead_excuses_no_deletion(pair, monkeypatch, again):
    topic = f"w.deleted.clock.{int(again)}"
    monkeypatch.setattr(broker_clock, "_wall_ms", lambda: int((time.time() + 3 * 86400) * 1000))
    watching = watched(pair, topic, [row.but(timestamp=row.timestamp - 6 * DAY) for row in aged(2000, 0)], WEEK)
    if again:
        watching.watch.close()
    delete_before(pair["target"], topic, 0, 1999)
    if again:
        watching.open()
    assert summarise(watching.rounds())["vanished_records"] == 1999


def test_late_records_that_expire_as_they_come_are_no_loss(pair):
    topic = "w.deleted.late"
    watching = watched(pair, topic, aged(1000, 1000), WEEK)
    for start in (1300, 1700):
        rows = aged(400, 400)
        for where in pair:
            watching.write(where, rows)
        state = watching.rounds(lambda state, start=start: state.partitions[topic, 0].through[1] >= start)
        delete_before(pair["target"], topic, 0, start)
        assert summarise(watching.rounds())["vanished_records"] == 0, state.partitions[topic, 0].expiring
    assert closed(watching, {"mirrored_through": {topic: {"0": 1800}}})["verdict"] == "PROVEN"


def test_a_copy_that_was_compacted_for_a_while_is_not_proven(pair):
    topic = "w.deleted.compacted"
    watching = watched(pair, topic, aged(500, 0), WEEK)
    configure(pair["target"], topic, {**WEEK, "cleanup.policy": "compact"})
    assert closed(watching)["verdict"] == "NOT_PROVABLE"
    watching.watch.close()
    assert topic in watching.open().rounds().not_watched
    configure(pair["target"], topic, {**WEEK, "cleanup.policy": "delete"})
    watching.watch.close()
    state = watching.open().rounds(lambda state: not state.not_watched)
    assert "compacted" in state.partitions[topic, 0].stopped
    assert closed(watching)["verdict"] == "NOT_PROVABLE"


def test_copies_that_expired_before_the_watch_read_them_are_no_loss(pair):
    topic = "w.deleted.unread"
    watching = watched(pair, topic, aged(500, 500), WEEK)
    more = aged(50, 50)
    watching.write("source", more)
    watching.rounds(lambda state: state.partitions[topic, 0].waiting == 50)
    watching.watch.close()
    watching.write("target", more)
    delete_before(pair["target"], topic, 0, 550)
    watching.open().rounds()
    report = closed(watching, {"mirrored_through": {topic: {"0": 550}}})
    assert report["verdict"] == "NOT_PROVABLE", report["reasons"]


def test_the_page_tells_what_vanished_and_a_watch_that_is_started_again_knows_it(pair):
    topic = "w.deleted.page"
    watching = watched(pair, topic, aged(2000, 500), WEEK)
    delete_before(pair["target"], topic, 0, 700)
    watching.watch.close()
    state = watching.open().rounds()
    assert summarise(state)["vanished_records"] == 200
    # Nobody misses them any more.
    delete_before(pair["source"], topic, 0, 2000)
    assert summarise(watching.rounds())["vanished_records"] == 0


def test_what_has_no_time_does_not_expire(pair):
    topic = "w.deleted.unstamped"
    rows = [row.but(timestamp=-1) if at < 1000 else row for at, row in enumerate(aged(2000, 0))]
    watching = watched(pair, topic, rows, WEEK)
    delete_before(pair["target"], topic, 0, 1000)
    report = closed(watching, {"mirrored_through": {topic: {"0": 2000}}})
    assert report["verdict"] == "NOT_PROVABLE", report["reasons"]
