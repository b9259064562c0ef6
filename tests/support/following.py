# SPDX-License-Identifier: GPL-3.0-or-later
"""A partition in memory on two sides, followed by a track as a watch follows it, and what may be proven of it."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.records import Records  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import judging  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, Tip  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.track import Track  # noqa: E402

PLACE = ("t", 0)
# Milliseconds at which a track is followed: later than the records' own.
LATER = 1_000_000


def records(values, low=0):
    """Records at offsets from ``low`` on; a value is the content, its timestamp follows from it."""
    content = np.array(values, np.uint64)
    return Records(offset=np.arange(low, low + len(values)), content=content, timestamp=1000 + content.astype(np.int64))


class MemorySide:
    """A log of values, of which a proof can ask."""

    live, name = True, "memory"

    def __init__(self, log, aborted=()):
        self.log, self.aborted = log, set(aborted)
        #: Offsets of which records were scanned.
        self.scanned = []

    def starts(self, partitions):
        return dict.fromkeys(partitions, 0)

    def records(self, topic, partition, ranges, **dummy):
        return [records(self.log[low:high], low) for low, high in ranges]

    def offset_at(self, partition, moment):
        if any(1000 + value >= moment for value in self.aborted):
            return 0
        return next((at for at, value in enumerate(self.log) if 1000 + value >= moment), None)

    def scan(self, topic, partition, low, high, isolation="read_committed"):
        self.scanned += range(low, high)
        more = sorted(self.aborted) if isolation == "read_uncommitted" else []
        yield records([*self.log[low:high], *more], low)


def _without(log, low, high, differences, name):
    """Values of a range of a log, without those that differences name."""
    left_out = {
        offset + at
        for found in differences
        if (offset := getattr(found, name)) is not None
        for at in range(found.count)
    }
    return [value for offset, value in enumerate(log[low:high], low) if offset not in left_out]


class Follower:
    """Feeds a track portions of two logs."""

    def __init__(self, aborted=()):
        self.source, self.target, self.aborted = [], [], aborted
        self.track = Track(PLACE, Confirmed("t", "a", "b"))
        self.clock = 0

    def round(self, source=(), target=(), judged=False, through=None, source_limit=None):
        """One round: the logs grow, the target is read whole, the source up to a limit."""
        self.source += source
        self.target += target
        self.clock += 1
        track = self.track
        low = track.target_read
        track.add_target(records(self.target[low:], low), len(self.target), self._tip(self.target))
        track.target_whole = True
        low, high = track.part.read, min(len(self.source), source_limit or len(self.source))
        track.add_source(records(self.source[low:high], low), high, self._tip(self.source[:high]))
        track.source_whole = track.source_read_whole = high == len(self.source)
        track.advance(LATER + self.clock, self.clock)
        if judged and track.part.begins is not None:
            sides = MemorySide(self.source, self.aborted), MemorySide(self.target)
            if judging.judge(track, *sides, through, LATER + self.clock):
                track.advance(LATER + self.clock, self.clock)
        self.check()

    @staticmethod
    def _tip(log):
        return Tip(len(log) - 1, 0, int(records(log[-1:]).digest()[0])) if log else None

    def kinds(self):
        return {found.kind: found.count for found in self.track.found}

    def accept(self, found):
        """A difference is explained."""
        self.track.accept(found)
        found.accepted = {"by": "ann", "reason": "test", "at": 1}
        self.check()

    def check(self):
        """What is proven is so: the source's range is on the target in order, and what the target has besides are
        further copies, but for what was accepted.
        """
        part = self.track.part
        if part.begins is None:
            return
        accepted = [found for found in self.track.found if found.accepted]
        wanted = _without(self.source, part.begins[0], part.through[0], accepted, "source_offset")
        held = _without(self.target, part.begins[1], part.through[1], accepted, "target_offset")
        for found in self.track.found:
            if not found.accepted:
                assert found.source_offset is None or part.through[0] <= found.source_offset
                assert found.target_offset is None or part.through[1] <= found.target_offset
        left = iter(held)
        assert all(value in left for value in wanted), (wanted, held)
        assert set(held) <= set(self.source[: part.through[0]]), (wanted, held)
        assert part.records <= len(wanted) or accepted
        for source, target, count in part.map_runs:
            assert self.source[source : source + count] == self.target[target : target + count]
        waiting = self.source[part.examined[0] : part.read]
        assert self.track.pending.content.tolist() == waiting


def follow(source, target, portion=7, aborted=(), through=None):
    """Both logs in portions, the target some records behind; then everything is judged."""
    follower = Follower(aborted)
    for at in range(0, max(len(source), len(target)) + portion, portion):
        follower.round(source[at : at + portion], target[max(0, at - 4) : max(0, at + portion - 4)])
    follower.round([], target[max(0, at + portion - 4) :])
    for dummy in range(3):
        follower.round(judged=True, through=through)
    return follower
