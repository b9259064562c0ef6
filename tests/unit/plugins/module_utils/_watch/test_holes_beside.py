# SPDX-License-Identifier: GPL-3.0-or-later
"""A partition that goes on with nothing of what waits takes no other's turn: a hole there is named all the same."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import judging, portion
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.track import Track
from tests.support.following import LATER, MemorySide, records
from tests.support.rounds_in_memory import MemoryReader, Rounds

BATCH, AHEAD, ALIGNED = 25, 100, 400
STUCK, OTHER = ("a", 0), ("b", 0)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Each bound a ten thousandth of its own."""
    for name, value in (("BATCH", BATCH), ("TOTAL", 100), ("AHEAD", AHEAD), ("AHEAD_TOTAL", ALIGNED)):
        monkeypatch.setattr(portion, name, value)
    monkeypatch.setattr(judging, "ALIGNED", ALIGNED)


class Reader:
    """Reads the logs of several partitions."""

    records = 0

    def __init__(self, logs):
        self.logs = logs

    def read(self, wanted, starts):
        found = {}
        for item in wanted:
            found.update(MemoryReader(self.logs[item.place]).read([item], starts))
        return found


class Side(MemorySide):
    """The logs of several partitions, of which a proof can ask."""

    def __init__(self, logs):
        super().__init__([])
        self.logs = logs

    def records(self, topic, partition, ranges, **dummy):
        return MemorySide(self.logs[topic, partition]).records(topic, partition, ranges)

    def offset_at(self, partition, moment):
        return MemorySide(self.logs[partition]).offset_at(partition, moment)

    def scan(self, topic, partition, low, high, isolation="read_committed"):
        return MemorySide(self.logs[topic, partition]).scan(topic, partition, low, high, isolation)


class Beside:
    """A watch of several partitions. ``source``, ``target``: ``{partition: values}``; they may grow."""

    def __init__(self, source, target):
        self.source, self.target = source, target
        self.watch = watch = Rounds([], []).watch
        watch.source, watch.target = Side(source), Side(target)
        watch.portions.readers = {"source": Reader(source), "target": Reader(target)}
        watch.tracks = {
            place: Track(place, Confirmed(place[0], "x", "y", since=1), source_new=True, target_new=True)
            for place in source
        }

    def rounds(self, count=80):
        for dummy in range(count):
            starts = dict.fromkeys(self.source, 0)
            source, target = ({place: len(log) for place, log in logs.items()} for logs in (self.source, self.target))
            ends = portion.Ends(starts, target, target, source, source, starts)
            active = [track for track in self.watch.tracks.values() if track.part.stopped is None]
            self.watch.portions.read(active, ends, LATER)
            for track in active:
                self.watch._step(track, ends, {}, LATER)
            self.watch._keep(0.0)

    def named(self, place):
        return [(found.kind, found.source_offset, found.count) for found in self.watch.tracks[place].faults]

    def waiting(self, place):
        return len(self.watch.tracks[place].pending)


def behind(first, total=2000):
    """The mirror is far behind, and somebody wrote into the copy."""
    source = list(range(first, first + total))
    return source, [*source[:10], 7]


@pytest.mark.parametrize("hole", [BATCH - 5, BATCH + 5, 60, 90, 150, 390])
def test_a_hole_that_comes_later_than_one_that_is_stuck_is_named(hole):
    stuck, other = behind(1000), list(range(9000, 9000 + 10 + hole + 60))
    watched = Beside({STUCK: stuck[0], OTHER: other[:10]}, {STUCK: stuck[1], OTHER: other[:10]})
    watched.rounds()
    assert watched.waiting(STUCK) == ALIGNED and not watched.named(OTHER)
    watched.source[OTHER] += other[10:]
    watched.target[OTHER] += other[10 + hole :]
    watched.rounds()
    assert watched.named(OTHER) == [("missing", 10, hole)] and not watched.waiting(OTHER)
    assert watched.waiting(STUCK) == ALIGNED and watched.watch.tracks[STUCK].part.stopped is None


def test_the_one_that_is_stuck_is_named_as_soon_as_its_target_goes_on():
    stuck, other = behind(1000), behind(9000)
    watched = Beside({STUCK: stuck[0], OTHER: other[0]}, {STUCK: stuck[1], OTHER: other[1]})
    watched.rounds()
    watched.target[STUCK] += stuck[0][10:]
    watched.target[OTHER] += other[0][10:]
    watched.rounds(160)
    assert watched.named(STUCK) == watched.named(OTHER) == [("foreign", None, 1)]
    assert not watched.waiting(STUCK) and not watched.waiting(OTHER)


def test_memory_stays_bounded_however_many_are_stuck():
    logs = {(f"t{number}", 0): behind(10_000 * number) for number in range(1, 9)}
    watched = Beside({place: log[0] for place, log in logs.items()}, {place: log[1] for place, log in logs.items()})
    watched.rounds(200)
    waiting = sorted(watched.waiting(place) for place in logs)
    assert waiting.count(ALIGNED) == portion.READ_ON and waiting[-portion.READ_ON - 1] <= AHEAD


def test_what_is_full_keeps_its_turn():
    """One more record of it stops it."""
    full, part = stuck("a", AHEAD), stuck("b", 1)
    assert portion._furthest([part, full]) is full
    assert portion._furthest([part]) is None
    part.tried = (ALIGNED - 1, *part.reached[1:])
    assert portion._furthest([part]) is part, "it was not tried with all that is read"


def test_what_is_full_is_read_on_whatever_waits():
    spent, full, few = [stuck(f"t{number}", 1) for number in range(portion.READ_ON)], stuck("f", AHEAD), stuck("g", 1)
    for track in (full, few):
        track.pending, track.part.read = records(range(AHEAD)), AHEAD
        track.tried = track.reached
    assert portion._furthest([*spent, few]) is None
    assert portion._furthest([*spent[1:], few]) is few
    assert portion._furthest([*spent, few, full]) is full


def stuck(topic, held):
    """A partition of which as many records of the source wait as are aligned."""
    track = Track((topic, 0), Confirmed(topic, "a", "b"), target_read_whole=True)
    track.add_source(records(range(ALIGNED)), ALIGNED, None)
    track.add_target(records(range(5000, 5000 + held)), held, None)
    track.tried = track.reached
    return track
