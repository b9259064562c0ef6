# SPDX-License-Identifier: GPL-3.0-or-later
"""What a target deletes is its policy's work only where it was seen to expire before."""

from __future__ import annotations

import itertools

import pytest

np = pytest.importorskip("numpy")

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import expiring  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.expiring import (  # noqa: E402
    EARLY,
    HOUR,
    KEEPS_ALL,
    ExpiryLook,
    Retention,
    confirmed,
    early,
    expired_below,
    note_start,
    retention,
    soon,
    take,
    today,
    vanished,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.track import Track  # noqa: E402

NOW = 1_800_000_000_000
DAY = 24 * HOUR
WEEK = Retention(7 * DAY)
COPY = ("a.orders", 0)


def track(start=0, kept=WEEK, **more):
    known = {"begins": (0, 0), "through": (1000, 1000), "examined": (1000, 1000), "records": 1000}
    part = Confirmed("a.orders", "s", "t", **{**known, "target_start": start, **more})
    return Track(("orders", 0), part, retention=kept)


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        ({"retention.ms": "1000", "retention.bytes": "-1"}, Retention(1000)),
        ({"retention.ms": "-1", "retention.bytes": "7"}, Retention(None, True)),
        ({"retention.ms": "0", "retention.bytes": "0"}, Retention(0, True)),
        ({}, KEEPS_ALL),
        ({"cleanup.policy": "compact", "retention.ms": "1000"}, KEEPS_ALL),
        # No record is so old.
        ({"retention.ms": str((1 << 63) - 1)}, KEEPS_ALL),
        ({"retention.ms": str(expiring.FOREVER), "retention.bytes": "7"}, Retention(None, True)),
        ({"retention.ms": str(expiring.FOREVER - 1)}, Retention(expiring.FOREVER - 1)),
    ],
)
def test_what_a_policy_deletes(configs, expected):
    assert retention(configs) == expected


def test_a_log_start_that_moves_to_what_has_expired_is_as_it_should_be():
    found = track()
    take(found, [[NOW + EARLY, 300]], NOW)
    note_start(found, 300, NOW)
    assert found.part.target_start == 300 and vanished(found.part) == 0


@pytest.mark.parametrize("kept", [WEEK, KEEPS_ALL])
def test_what_is_gone_before_its_time_is_counted_until_the_source_has_deleted_it(kept):
    found = track(kept=kept, map_runs=[[0, 0, 100], [110, 100, 900]])
    found.retention = WEEK
    take(found, [[NOW + EARLY, 300]], NOW)
    found.retention = kept
    note_start(found, 350, NOW)
    gone = 50 if kept == WEEK else 350
    assert found.part.vanished == [[gone, 360]] and found.dirty
    # It is counted once.
    note_start(found, 350, NOW)
    assert vanished(found.part) == gone
    found.part.source_start = 360
    assert vanished(found.part) == 0


def test_what_a_shorter_retention_would_have_deleted_is_missed_under_a_longer_one():
    found = track(kept=Retention(HOUR))
    take(found, [[NOW, 1000]], NOW)
    assert expired_below(found.part, Retention(HOUR), NOW) == 1000 == expired_below(found.part, Retention(1), NOW)
    assert expired_below(found.part, WEEK, NOW) == 0 == expired_below(found.part, KEEPS_ALL, NOW)
    found.retention = WEEK
    take(found, [[NOW + HOUR, 10]], NOW)
    assert (found.part.expiring, found.part.expiring_for) == ([[NOW + HOUR, 10]], WEEK.milliseconds)


def test_what_lies_behind_a_difference_is_missed_too():
    found = track(through=(400, 400))
    note_start(found, 900, NOW)
    assert vanished(found.part) == 900


@pytest.mark.parametrize(("kept", "allowed"), [(7 * DAY, EARLY), (5 * HOUR, 6 * 60_000), (HOUR // 2, 60_000)])
def test_a_record_may_be_deleted_a_little_early(kept, allowed):
    assert early(kept) == allowed


def test_the_size_of_a_log_may_delete_at_any_time():
    found = track(kept=Retention(7 * DAY, True))
    note_start(found, 350, NOW)
    assert found.part.vanished == [] and found.part.target_start == 350


def test_where_a_log_began_before_anybody_looked_says_nothing():
    found = track(start=None)
    note_start(found, 350, NOW)
    assert found.part.vanished == [] and found.part.target_start == 350


def test_what_expires_later_is_no_excuse_today():
    found = track()
    take(found, [[NOW + EARLY, 0], [NOW + 2 * HOUR, 300]], NOW)
    assert expired_below(found.part, WEEK, NOW) == 0
    assert expired_below(found.part, WEEK, NOW + 2 * HOUR - EARLY) == 300


def test_a_later_look_keeps_what_was_known_and_forgets_what_is_past():
    found = track()
    take(found, [[NOW + HOUR, 100], [NOW + 2 * HOUR, 200], [NOW + 3 * HOUR, 200], [NOW + 4 * HOUR, 400]], NOW)
    assert found.part.expiring == [[NOW + HOUR, 100], [NOW + 2 * HOUR, 200], [NOW + 4 * HOUR, 400]]
    later = NOW + 2 * HOUR
    take(found, [[later + EARLY, 250]], later)
    assert found.part.expiring == [[later, 200], [later + EARLY, 250], [NOW + 4 * HOUR, 400]]


def test_many_losses_are_kept_in_few_rows():
    found = track()
    for start in range(1, 31):
        note_start(found, start * 10, NOW + start)
    assert len(found.part.vanished) == expiring.GONE_KEPT and vanished(found.part) == 300


class Target:
    """A log of timestamps, of which records can be deleted at any call."""

    def __init__(self, monkeypatch, stamps):
        self.stamps, self.start, self.asked, self.meanwhile = stamps, 0, 0, lambda: None
        monkeypatch.setattr(expiring, "list_offsets", lambda client, copies, place: dict.fromkeys(copies, self.start))
        monkeypatch.setattr(expiring, "offsets_at", self.at)

    def at(self, client, moments):
        self.asked += 1
        self.meanwhile()
        young = (at for at, stamp in enumerate(self.stamps) if at >= self.start and stamp >= moments[COPY])
        return {COPY: next(young, None)}


def look(tracks, target, now=0.0):
    ExpiryLook(target).step(tracks, {COPY: len(target.stamps)}, NOW, now)


@pytest.mark.parametrize("kept", [60_000, HOUR // 2, DAY, 7 * DAY, 365 * DAY])
def test_between_two_looks_no_moment_is_left_out_of_what_a_record_may_be_early(kept):
    apart = early(kept)
    for moments in (soon(kept), today(kept)):
        assert moments[0] <= apart and all(later - moment <= apart for moment, later in itertools.pairwise(moments))
    assert len(today(kept)) <= 60 and today(kept)[-1] >= min(DAY, kept)


def test_late_records_expire_as_they_come():
    found = track(through=(100, 100), examined=(100, 100))
    found.part.expiring, found.part.expiring_for = [[NOW, 100]], WEEK.milliseconds
    stamps = np.array([NOW - 8 * DAY] * 5 + [NOW] + [NOW - 8 * DAY])
    confirmed(found, np.arange(100, 107), stamps, NOW)
    assert expired_below(found.part, WEEK, NOW) == 105
    # A younger one is before them by then.
    found.part.examined = (107, 107)
    confirmed(found, np.arange(107, 110), stamps[:3], NOW)
    assert expired_below(found.part, WEEK, NOW) == 105


def test_it_asks_what_expires_next_and_today(monkeypatch):
    target = Target(monkeypatch, [NOW - 7 * DAY + hour * HOUR for hour in range(100)])
    found = track(through=(100, 100))
    look([found], target)
    assert expired_below(found.part, WEEK, NOW) == 1
    assert [expired_below(found.part, WEEK, NOW + hour * HOUR) for hour in (1, 5, 23, 48)] == [2, 6, 24, 24]
    asked = target.asked
    look([found], target, now=10.0)
    assert target.asked == asked, "it was asked again at once"
    look([found], target, now=400.0)
    assert target.asked - asked == expiring.SOON


def test_of_what_is_deleted_while_it_asks_nothing_is_known(monkeypatch):
    target = Target(monkeypatch, [NOW] * 100)

    def deleted():
        target.start = 99

    target.meanwhile = deleted
    found = track(through=(100, 100))
    look([found], target)
    assert found.part.expiring == [] and found.looked_ahead < 0


@pytest.mark.parametrize(
    "found", [track(kept=KEEPS_ALL), track(unstamped=True), track(begins=None), track(start=None), track(stopped="why")]
)
def test_it_does_not_ask_where_nothing_would_follow(monkeypatch, found):
    target = Target(monkeypatch, [NOW] * 100)
    look([found], target)
    assert target.asked == 0


@pytest.mark.parametrize(
    ("target", "source", "excused"),
    [
        (Retention(7), Retention(7), Retention(7)),
        (Retention(1), Retention(7), Retention(7)),
        (Retention(7), Retention(1), Retention(7)),
        (Retention(7, True), Retention(), Retention(None, True)),
        (Retention(), Retention(7, True), Retention()),
    ],
)
def test_a_copy_is_kept_as_long_as_either_side_keeps_its_records(target, source, excused):
    assert expiring.longer(target, source) == excused
