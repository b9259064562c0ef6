# SPDX-License-Identifier: GPL-3.0-or-later
"""What a watch's state stands for after a loss, and what it names instead."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import GONE, HIDDEN
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import UNKNOWN, stand
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState

NOW = 1_800_000_000_000
DAY = 86_400_000


def part(**more):
    """A partition of which 100 records are proven."""
    anchor = {"source": 99, "target": 99, "digest": 7, "timestamp": NOW - DAY}
    more = {"target_start": 0, "expiring_for": 7 * DAY, **more}
    proven = {"begins": (0, 0), "through": (100, 100), "examined": (100, 100), "read": 100, "records": 100}
    return Confirmed("orders", "s", "t", **{**proven, "anchor": anchor, **more})


def copy(start=0, end=100, topic_id="t", **config):
    return {
        "topic_id": topic_id,
        "partitions": [0],
        "config": {"retention.ms": str(7 * DAY), **config},
        "bounds": {0: (start, end)},
    }


def stood(found, target=None, known=None, **more):
    state = WatchState("m", partitions={("orders", 0): found} if found else {}, **more)
    return stand(state, "orders.*", known or {}, {"orders": target or copy()}, NOW)


def test_what_is_proven_and_whole_is_stood_for():
    found = stood(part())
    assert found.topics == ["orders"] and found.lacking() == {} and found.deleted == set()


@pytest.mark.parametrize(
    ("found", "target", "reason"),
    [
        (part(stopped="its log is another one"), None, "its log is another one"),
        (part(waiting=3, read=103), None, "not whole"),
        (part(), copy(topic_id="another"), "made again"),
        (part(unproven=4, begins=(4, 0)), None, "4 records were never compared"),
        (part(), copy(start=50, **{"retention.ms": "-1"}), "50 proven offsets were deleted"),
        (part(), copy(**{"cleanup.policy": "compact"}), "the copy is compacted by now"),
        (part(begins=None, examined=(50, 50), through=(50, 50), records=0, waiting=50), copy(start=50), "not whole"),
        # Nobody saw that they would expire: not all of them, not before the watch ended, not so early.
        (part(), copy(start=100), "100 proven offsets were deleted from the target and were not seen to expire"),
        (part(), copy(start=99), "99 proven offsets were deleted from the target and were not seen to expire"),
        (part(expiring=[[NOW - DAY, 40]]), copy(start=50), "10 proven offsets"),
        (part(expiring=[[NOW - DAY, 40], [NOW + 3_600_000, 60]]), copy(start=50), "10 proven offsets"),
        # It would have expired under the shorter retention of before.
        (part(expiring=[[NOW - DAY, 50]], expiring_for=DAY), copy(start=50), "50 proven offsets"),
        # What lies behind a difference may be proven once that is accepted.
        (part(through=(40, 40)), copy(start=50), "50 proven offsets"),
        (part(target_start=None, expiring=[]), copy(start=50), "50 proven offsets"),
        (part(expiring=[[NOW, 60]], unstamped=True), copy(start=50), "50 proven offsets"),
        (part(vanished=[[7, 90]]), None, "7 proven offsets were deleted from the target before they had expired"),
    ],
)
def test_what_is_not_is_named_with_its_partition(found, target, reason):
    lacking = stood(found, target).lacking()
    assert list(lacking) == ["orders"] and reason in lacking["orders"] and "partition 0" in lacking["orders"]


@pytest.mark.parametrize(
    ("proven", "target"),
    [
        (part(expiring=[[NOW, 50]]), copy(start=50)),
        (part(expiring=[[NOW + 600_000, 100]]), copy(start=100)),
        (part(target_start=100), copy(start=100)),
        (part(vanished=[[7, 90]], source_start=90), copy()),
        # The source has deleted them too.
        (part(source_start=100), copy(start=100)),
        (part(source_start=60, map_runs=[[0, 0, 20], [30, 25, 70]]), copy(start=55)),
        (part(expiring=[[NOW, 50]], expiring_for=9 * DAY), copy(start=50)),
        (part(), copy(start=100, **{"retention.bytes": "1000"})),
    ],
)
def test_what_the_policy_of_the_target_deleted_is_no_fault(proven, target):
    found = stood(proven, target)
    assert found.lacking() == {}
    assert found.deleted == ({("orders", 0)} if target["bounds"][0][0] == 100 else set())


@pytest.mark.parametrize(("start", "left"), [(0, 4), (19, 4), (20, 0), (50, 0)])
def test_what_was_never_compared_counts_until_the_source_has_deleted_it(start, left):
    found = part(unproven=4, begins=(20, 16), source_start=start)
    assert found.left_unproven == left and bool(stood(found, copy(start=16)).lacking()) is bool(left)


def test_a_copy_that_is_gone_is_named():
    state = WatchState("m", partitions={("orders", 0): part()})
    assert "is gone" in stand(state, ".*", {}, {}, NOW).lacking()["orders"]


def test_what_the_watch_never_read_is_named():
    assert stood(part(), known={"orders": {0, 1}}).lacking() == {"orders": f"partition 1: {UNKNOWN}"}
    assert stood(part(), known={"orders.new": {0}}).lacking() == {"orders.new": UNKNOWN}
    assert stood(part(), known={"bills": {0}}).lacking() == {}


def test_what_it_leaves_out_is_named_by_its_own_reason():
    found = stood(part(), known={"orders": {0}}, not_watched={"orders": "it is compacted", "bills": "it is compacted"})
    assert found.topics == [] and found.lacking() == {"orders": "it is compacted"}


@pytest.mark.parametrize(
    ("reason", "copies", "judged"), [(GONE, {}, False), (GONE, {"orders": copy()}, True), (HIDDEN, {}, True)]
)
def test_what_both_sides_deleted_is_named_and_not_judged(reason, copies, judged):
    state = WatchState("m", partitions={("orders", 0): part()}, not_watched={"orders": reason})
    found = stand(state, ".*", {"orders": {0}}, copies, NOW)
    assert (found.left_out, found.absent) == (({"orders": reason}, []) if judged else ({}, ["orders"]))
    assert found.topics == [] and stand(state, "bills", {}, copies, NOW).absent == []


def test_what_its_size_may_have_deleted_is_named():
    found = stood(part(), copy(start=50, **{"retention.bytes": "1000"}))
    assert found.named == {
        ("orders", 0): ["50 proven offsets were deleted from the target, whose policy limits the size of the log"]
    }
