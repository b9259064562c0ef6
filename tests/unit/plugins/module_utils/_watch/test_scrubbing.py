# SPDX-License-Identifier: GPL-3.0-or-later
"""What is proven is read again: what has changed since is named, and nothing else, however retention cuts both logs."""

from __future__ import annotations

import random

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.read_events import RangeGoneError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import scrubbing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.scrubbing import Scrubber
from tests.support.following import PLACE, MemorySide, follow, records

LOG = list(range(100, 160))


class Log(MemorySide):
    """A log of which retention takes the beginning."""

    start = 0

    def starts(self, partitions):
        return dict.fromkeys(partitions, self.start)

    def offset_at(self, partition, moment):
        return next((at for at, value in enumerate(self.log) if at >= self.start and 1000 + value >= moment), None)

    def records(self, topic, partition, ranges, **dummy):
        if any(low < self.start for low, dummy in ranges):
            raise RangeGoneError("gone")
        return [records(self.log[low:high], low) for low, high in ranges]


class Scrub:
    """A partition that was proven, and is read again in portions."""

    def __init__(self, monkeypatch, source, target, portion=7, most=1000, **following):
        monkeypatch.setattr(scrubbing, "PORTION", portion)
        monkeypatch.setattr(scrubbing, "MOST", most)
        self.track = follow(source, target, **following).track
        self.source, self.target = Log(list(source)), Log(list(target))
        self.scrubber = Scrubber(self.source, self.target, 1)
        self.told = list(self.track.found)
        self.clock = 0

    def step(self, seconds):
        """So many seconds of a day in which everything is read."""
        self.clock += seconds
        before = len(self.track.found)
        self.scrubber._last = 0
        clock = scrubbing.time.monotonic()
        self.scrubber._last = clock - seconds
        self.scrubber.step([self.track], {PLACE: self.told}, 5000 + self.clock, clock)
        return [(row.kind, row.source_offset, row.target_offset, row.count) for row in self.track.found[before:]]

    def day(self):
        """A pass over everything."""
        found = []
        for dummy in range(12):
            found += self.step(scrubbing.DAY // 8)
        return found


def test_what_is_as_it_was_is_told_with_its_time(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    assert scrub.step(scrubbing.DAY // 3) == []
    # A third of a day, a third of all.
    assert scrub.track.part.scrub_at == [14, 14, 14] and scrub.track.part.scrubbed is None
    assert scrub.day() == [] and scrub.track.part.scrubbed > 5000


def test_nothing_is_read_where_nobody_asked(monkeypatch):
    scrub = Scrub(monkeypatch, LOG, LOG)
    scrub.scrubber.days = 0
    assert scrub.day() == [] and scrub.track.part.scrub_at is None


@pytest.mark.parametrize("portion", [3, 7, 100])
@pytest.mark.parametrize("where", [0, 6, 7, 30, 59])
def test_a_record_that_changed_is_named(monkeypatch, portion, where):
    scrub = Scrub(monkeypatch, LOG, LOG, portion)
    scrub.target.log[where] = 900
    found = scrub.day()
    assert {(row[1], row[2]) for row in found} <= {(where, None), (None, where), (where, where)}
    assert sum(row[1] is not None for row in found) == 1
    part = scrub.track.part
    assert part.through == (where, where) and part.records == where and part.examined == (60, 60)
    assert part.scrubbed is None and "read again" in part.notes[-1]


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
    where = rng.randrange(max(scrub.source.start, scrub.target.start) + 1, 60)
    scrub.target.log[where] = 900
    found = scrub.day()
    assert [row[1] for row in found if row[1] is not None] == [where]
    assert scrub.track.part.through == (where, where)
