# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds of a watch over a partition in memory: what it reads and when, what it keeps, and how it goes on from that."""

from __future__ import annotations

from types import SimpleNamespace

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import portion, reading, rounds, rows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.track import Epochs, Track
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tracks import restored

from .following import LATER, PLACE, MemorySide, records


class MemoryReader:
    """Reads a side's log from its start on, as :class:`reading.SideReader` does."""

    records = 0

    def __init__(self, log):
        self.log = log

    def read(self, wanted, starts):
        found = {}
        for item in wanted:
            start, epochs = starts[item.place], Epochs()
            tip = item.tip if item.tip is not None and item.tip.offset >= start else None
            low = tip.offset if tip is not None else max(start, item.low)
            skipped = max(0, min(start, item.high) - item.low) if tip is None else 0
            epochs.add(low, 0)
            found[item.place] = reading._piece(records(self.log[low : max(low, item.high)], low), epochs, tip, skipped)
        return found


class Kept:
    """What was written of the state."""

    def __init__(self):
        self.rows, self.clock = [], SimpleNamespace(now_ms=lambda: LATER)

    def write(self, written):
        self.rows += list(written)

    def state(self):
        return rows.fold([(at, *row, None) for at, row in enumerate(self.rows)])["m"]


class Rounds:
    """A watch of one partition. The logs are lists of values; retention moves ``starts`` (source, target)."""

    def __init__(self, source, target, through=None):
        self.source, self.target, self.through, self.starts = list(source), list(target), through, [0, 0]
        self.kept = Kept()
        self.open(WatchState("m", "s", "t", began=1))
        part = Confirmed("t", "a", "b", since=1)
        self.watch.tracks[PLACE] = Track(PLACE, part, source_new=True, target_new=True)

    def open(self, state=None):
        """Go on from what was kept."""
        self.watch = watch = rounds.Watch.__new__(rounds.Watch)
        watch.options, watch.keeper, watch.state = (
            rounds.Options("m", "t", settle=0),
            self.kept,
            state or self.kept.state(),
        )
        watch.tracks, watch.state.windows, watch.dropped = restored(watch.state), {}, {}
        watch.rounds, watch.behind = 0, False
        watch.source, watch.target = MemorySide(self.source), MemorySide(self.target)
        watch.witness = SimpleNamespace(last_round=lambda now: None)
        watch.portions = portions = portion.Portions.__new__(portion.Portions)
        portions.readers = {"source": MemoryReader(self.source), "target": MemoryReader(self.target)}
        portions.doubted, portions._verified, portions._back, portions._moving = {}, {}, {}, set()

    @property
    def track(self):
        return self.watch.tracks[PLACE]

    @property
    def part(self):
        return self.track.part

    def ends(self):
        starts, ends = [{PLACE: start} for start in self.starts], ({PLACE: len(self.source)}, {PLACE: len(self.target)})
        return portion.Ends(starts[1], ends[1], ends[1], ends[0], ends[0], starts[0])

    def round(self):
        """Read, confirm, judge, which needs no time to settle here, and keep."""
        ends = self.ends()
        active = [track for track in self.watch.tracks.values() if track.part.stopped is None]
        self.watch.portions.read(active, ends, LATER)
        for track in active:
            if track.part.stopped is None and track.place not in self.watch.portions.doubted:
                self.watch._step(track, ends, {} if self.through is None else {PLACE: self.through}, LATER)
        self.watch._keep(0.0)
