# SPDX-License-Identifier: GPL-3.0-or-later
"""What is proven is read again: what has changed since is named, and nothing else, however retention cuts both logs."""

from __future__ import annotations

import random

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import scrubbing, summary
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState
from tests.support.scrubbing_in_memory import LOG, Scrub


def test_what_is_as_it_was_is_told_with_its_time(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    assert scrub.step(scrubbing.DAY // 3) == []
    # A third of a day, a third of all.
    assert scrub.track.part.scrub_at == [14, 14, 14, 60] and scrub.track.part.scrubbed is None
    assert scrub.day() == [] and scrub.track.part.scrubbed > 5000


def test_nothing_is_read_where_nobody_asked(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    scrub.scrubber.days = 0
    assert scrub.day() == [] and scrub.track.part.scrub_at is None


@pytest.mark.parametrize("portion", [3, 7, 100])
@pytest.mark.parametrize("where", [0, 6, 7, 30, 58])
def test_a_record_that_changed_is_named(monkeypatch, portion, where):
    scrub = Scrub(monkeypatch, LOG, LOG, portion)
    scrub.target.log[where] = 900
    found = scrub.day()
    assert {(row[1], row[2]) for row in found} <= {(where, None), (None, where), (where, where)}
    assert sum(row[1] is not None for row in found) == 1
    part = scrub.track.part
    assert part.through == (where, where) and part.records == where and part.examined == (60, 60)
    assert part.scrubbed is None and "read again" in part.notes[-1]


def test_a_change_is_of_this_log_also_where_the_clock_was_set_back(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    scrub.track.part.since = 10**15
    scrub.target.log[30] = 900
    assert scrub.day() and all(row.found_at >= 10**15 for row in scrub.track.found)


def test_what_was_accepted_is_not_named_again(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, [*LOG[:20], 900, *LOG[21:]])
    for fault in list(scrub.track.faults):
        scrub.track.accept(fault)
    assert scrub.told and scrub.day() == []
    assert scrub.track.part.scrubbed


def test_an_accepted_change_is_passed_over_then(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    scrub.target.log[33] = 900
    assert scrub.day()
    scrub.told = list(scrub.track.found)
    for fault in list(scrub.track.faults):
        scrub.track.accept(fault)
    assert scrub.day() == [] and scrub.track.part.scrubbed and scrub.track.part.through == (60, 60)


def test_behind_a_difference_nothing_is_read(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, [*LOG[:20], 900, *LOG[21:]])
    assert scrub.track.held and scrub.day() == [] and scrub.track.part.scrubbed is None


@pytest.mark.parametrize("portion", [5, 1000])
@pytest.mark.parametrize("seed", range(40))
def test_copies_and_retention_are_no_faults(monkeypatch, seed, portion):
    rng = random.Random(seed)
    target = []
    for at, value in enumerate(LOG):
        target.append(value)
        while rng.random() < 0.15:
            target.append(LOG[rng.randrange(max(0, at - 9), at + 1)])
    scrub = Scrub(monkeypatch, LOG, target, portion)
    assert not scrub.told
    for dummy in range(30):
        for side in (scrub.source, scrub.target):
            if rng.random() < 0.3:
                side.start = min(len(side.log) - 2, side.start + rng.randrange(12))
        assert scrub.step(scrubbing.DAY // rng.choice([3, 9, 27])) == []


@pytest.mark.parametrize("seed", range(40))
def test_a_change_is_named_beside_retention(monkeypatch, seed):
    rng = random.Random(seed)
    scrub = Scrub(monkeypatch, LOG, LOG, portion=9)
    for side in (scrub.source, scrub.target):
        side.start = rng.randrange(25)
    where = rng.randrange(max(scrub.source.start, scrub.target.start) + 1, 59)
    scrub.target.log[where] = 900
    found = scrub.day()
    assert [row[1] for row in found if row[1] is not None] == [where]
    assert scrub.track.part.through == (where, where)


@pytest.mark.parametrize("portion", [7, 20])
def test_a_rest_that_vanished_is_named(monkeypatch, portion):
    scrub = Scrub(monkeypatch, LOG, LOG, portion)
    scrub.target.gone = set(range(20, 59))
    assert scrub.day() == [("missing", 20, None, 39)] and scrub.track.part.scrubbed is None


@pytest.mark.parametrize("portion", [7, 1000])
@pytest.mark.parametrize("log", [[7] * 60, LOG[:20] + [LOG[19]] * 4 + LOG[20:]])
def test_retention_between_twins_is_no_fault(monkeypatch, portion, log):
    scrub = Scrub(monkeypatch, log, log, portion)
    scrub.target.start = 21
    assert scrub.day() == []


@pytest.mark.parametrize("portion", [7, 1000])
def test_a_change_beside_an_accepted_one_is_named(monkeypatch, portion):
    scrub = Scrub(monkeypatch, LOG, [*LOG[:20], 900, *LOG[21:]], portion)
    for fault in list(scrub.track.faults):
        scrub.track.accept(fault)
    scrub.target.log[21:23] = [901, 902]
    assert scrub.day() == [("foreign", None, 21, 2), ("missing", 21, None, 2)]
    assert [fault.timestamp for fault in scrub.track.faults] == [1901, 1121]


def test_twins_that_a_stretch_cuts_apart_are_no_fault(monkeypatch):
    log = [*LOG[:19], LOG[18], *LOG[19:]]
    scrub = Scrub(monkeypatch, log, [*log[:8], 900, *log[8:]], 20)
    for fault in list(scrub.track.faults):
        scrub.track.accept(fault)
    assert scrub.day() == [] and scrub.track.part.scrubbed


@pytest.mark.parametrize("times", [1, 3])
def test_more_copies_than_are_read_at_once_are_no_fault(monkeypatch, times):
    scrub = Scrub(monkeypatch, LOG, LOG[:30] + LOG[:30] * times + LOG[30:], 7, 50)
    assert not scrub.told and scrub.day() + scrub.day() == [] and scrub.track.part.scrubbed


def test_retention_while_it_is_read_is_no_fault(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG[:10] + LOG[2:10] + LOG[10:], 10)
    scrub.step(scrubbing.DAY // 6)
    scrub.source.starts_after = 7
    assert scrub.day() == [] and scrub.track.part.scrubbed


def test_another_log_under_the_same_name_is_no_fault(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    scrub.target.log = [value + 500 for value in LOG]
    assert scrub.day() == [] and scrub.track.part.scrub_at is None
    # The portion that waits lets the next round see what became of it.
    scrub.target.log = LOG[:10]
    assert scrub.day() == []


def test_a_pass_ends_though_retention_has_passed_it(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, [value for at in LOG for value in (at, at)], 50)
    scrub.day()
    part = scrub.track.part
    part.scrubbed, part.scrub_at, scrub.source.start = None, [25, 50, 25, 60], 40
    scrub.scrubber._allowed = 0
    assert scrub.day() == [] and part.scrubbed


def test_a_pass_ends_where_the_proven_range_did_when_it_began(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    part = scrub.track.part
    part.through = (40, 40)
    scrub.step(scrubbing.DAY // 3)
    assert part.scrub_at == [7, 7, 7, 40]
    part.through = (60, 60)
    while part.scrubbed is None:
        scrub.step(scrubbing.DAY // 8)
    assert part.scrub_at is None


def test_logs_without_a_common_record_wait_for_a_day(monkeypatch):
    scrub = Scrub(monkeypatch, [7] * 60, [7] * 60, 7, 21)
    scrub.target.start = 20
    assert scrub.day() == [] and scrub.track.part.notes == [scrubbing.APART]
    scrub.track.part.target_id = "made again"
    scrub.target.start = 0
    assert scrub.day() == [] and scrub.track.part.scrubbed


@pytest.mark.parametrize("side", ["source", "target"])
def test_where_retention_left_no_record_on_one_side_there_is_nothing_to_compare(monkeypatch, side):
    scrub = Scrub(monkeypatch, LOG, LOG, 100)
    log = getattr(scrub, side)
    # What is left is the end of a transaction.
    log.start, log.gone = 59, {59}
    assert scrub.day() == [] and scrub.track.part.scrubbed and not scrub.track.part.notes


def test_what_the_source_deleted_has_no_age():
    state = WatchState("m")
    state.partitions = {
        ("t", 0): Confirmed("t", "a", "b", begins=(0, 0), through=(60, 60), scrubbed=5),
        ("t", 1): Confirmed("t", "a", "b", begins=(0, 0), through=(60, 60), source_start=60),
    }
    assert summary.scrubbed_at(state) == 5
