# SPDX-License-Identifier: GPL-3.0-or-later
"""What no round has read is not proven, and is as old as what it follows."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import (
    COMPACTED,
    GONE,
    HIDDEN,
    LEADERLESS,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import figures, summarise

NOW = 1_795_285_300_000
ANCHOR = {"source": 99, "target": 99, "digest": 1, "timestamp": NOW - 3_600_000}


def said(**part):
    known = {"begins": (0, 0), "through": (100, 100), "examined": (100, 100), "read": 100, "since": NOW - 60_000}
    confirmed = Confirmed("orders", "a", "b", **{**known, **part})
    state = WatchState("backup", at=NOW, round=1, partitions={("orders", 0): confirmed})
    found, shown = summarise(state, now_ms=NOW), figures(state, NOW)
    assert (shown.unproven_records, shown.proven_age_seconds) == (found["unproven_records"], found["unproven_seconds"])
    return found["unproven_records"], found["unproven_seconds"]


@pytest.mark.parametrize(
    "part, expected",
    [
        ({"source_end": 100}, (0, 0)),
        ({}, (0, 0)),
        ({"source_end": 350, "anchor": ANCHOR, "proven_at": NOW - 9_000}, (250, 3600)),
        ({"source_end": 350, "anchor": {**ANCHOR, "timestamp": NOW + 9_000_000}, "proven_at": NOW - 9_000}, (250, 9)),
        ({"source_end": 100, "source_high": 104, "unread_since": NOW - 4_000}, (4, 4)),
        ({"source_end": 100, "through": (90, 90), "proven_at": NOW - 7_000}, (10, 7)),
        ({"source_end": 100, "through": (90, 90)}, (10, 60)),
        ({"source_end": 350}, (250, 60)),
        ({"source_end": 350, "anchor": {**ANCHOR, "timestamp": -1}}, (250, 60)),
        ({"source_end": 100, "waiting": 7, "proven_at": NOW - 7_200_000}, (7, 7200)),
        ({"source_end": 100, "waiting": 7, "oldest_waiting": NOW - 5000, "proven_at": NOW - 7_200_000}, (7, 5)),
    ],
    ids=[
        "whole",
        "older state",
        "unread",
        "ahead",
        "open transaction",
        "behind a difference",
        "nothing before it",
        "nothing proven",
        "no timestamp",
        "waiting without",
        "waiting",
    ],
)
def test_what_is_not_proven_and_for_how_long(part, expected):
    assert said(**part) == expected


@pytest.mark.parametrize(("reason", "expected"), [(GONE, (0, 0)), (COMPACTED, (0, 0)), (HIDDEN, (7, 5))])
def test_of_what_is_not_watched_any_more_nothing_is_waited_for(reason, expected):
    part = Confirmed("orders", "a", "b", waiting=7, oldest_waiting=NOW - 5000)
    state = WatchState("backup", at=NOW, round=1, partitions={("orders", 0): part}, not_watched={"orders": reason})
    found, shown = summarise(state, now_ms=NOW), figures(state, NOW)
    assert (found["unproven_records"], found["unproven_seconds"]) == expected
    assert (shown.unproven_records, shown.proven_age_seconds) == expected


def silent_for(seconds, reason=None, took=0.0, **part):
    """A watch of which all is proven, and that ended its last round so many seconds ago."""
    known = {"begins": (0, 0), "through": (100, 100), "examined": (100, 100), "read": 100, "source_end": 100}
    confirmed = Confirmed("orders", "a", "b", **{**known, **part})
    at = NOW - int(seconds * 1000)
    watched = {"orders": reason} if reason else {}
    state = WatchState(
        "backup", at=at, round=1, seconds=took, not_watched=watched, partitions={("orders", 0): confirmed}
    )
    return summarise(state, now_ms=NOW), figures(state, NOW)


@pytest.mark.parametrize(("seconds", "took"), [(3, 0), (3, 2), (259_200, 0)])
def test_what_came_since_the_last_round_began_is_not_proven(seconds, took):
    found, shown = silent_for(seconds, took=took)
    assert (found["unproven_records"], found["unproven_seconds"]) == (0, seconds + took)
    assert shown.proven_age_seconds == shown.topics["orders"].proven_age_seconds == seconds + took


def test_of_a_round_that_ended_in_the_future_nobody_knows_what_it_did_not_prove():
    found, dummy = silent_for(-60)
    assert (found["age_seconds"], found["unproven_seconds"]) == (None, None)


@pytest.mark.parametrize(("reason", "expected"), [(LEADERLESS, 600), (HIDDEN, 600), (GONE, 1), (None, 600)])
def test_nor_is_what_came_since_a_topic_could_be_looked_at_last(reason, expected):
    found, shown = silent_for(1, reason, looked_at=NOW - 600_000)
    assert found["unproven_seconds"] == shown.proven_age_seconds == expected


def test_of_what_was_never_looked_at_since_it_was_made_again_all_is_unproven():
    found, dummy = silent_for(1, LEADERLESS, looked_at=0, since=NOW - 7_000)
    assert found["unproven_seconds"] == 7
