# SPDX-License-Identifier: GPL-3.0-or-later
"""A partition in memory that was proven, and is read again in portions."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.read_events import RangeGoneError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import scrubbing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.scrubbing import Scrubber

from .following import PLACE, MemorySide, follow, records

LOG = list(range(100, 160))


class Log(MemorySide):
    """A log of which retention takes the beginning, at once or after the first time that it is read."""

    start, starts_after, gone = 0, 0, frozenset()

    def starts(self, partitions):
        return dict.fromkeys(partitions, self.start)

    def ends(self, partitions, isolation="read_committed"):
        return dict.fromkeys(partitions, len(self.log))

    def offset_at(self, partition, moment):
        return next((at for at, value in enumerate(self.log) if at >= self.start and 1000 + value >= moment), None)

    def records(self, topic, partition, ranges, **dummy):
        if any(low < self.start for low, dummy in ranges):
            raise RangeGoneError("gone")
        # A consumer waits for what is not there yet, until its time is up.
        assert all(high <= len(self.log) for dummy, high in ranges), "it reads beyond the end"
        self.start = max(self.start, self.starts_after)
        found = [records(self.log[low:high], low) for low, high in ranges]
        return [part.take([offset not in self.gone for offset in part.offset.tolist()]) for part in found]


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
