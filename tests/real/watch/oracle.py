# SPDX-License-Identifier: GPL-3.0-or-later
"""What a campaign planted, and the judgement of a watch by that and by what plain consumers read of both sides."""

from __future__ import annotations

import threading
from bisect import bisect_left
from dataclasses import dataclass, field

from tests.real.proof.support import read_back

from .planting_logs import Story

# Differences by which a fault may be named. A record that comes late out of order was missing until it came; a strange
# record where another one is missing is one that was altered.
KINDS = {
    "lost": {"missing", "missing_tail", "altered"},
    "altered": {"altered", "missing", "foreign"},
    "swapped": {"reordered", "missing"},
    "foreign": {"foreign", "altered"},
    "aborted": {"aborted", "foreign", "altered"},
}


@dataclass(frozen=True)
class Fault:
    """A planted fault: the record, by the value that it alone has."""

    kind: str
    place: tuple[str, int]
    value: bytes


@dataclass
class Journal:
    """Kept by the threads that plant.

    :ivar copies: values that were written to the target again, and stop nothing.
    :ivar stories: of topics whose whole logs were spoiled. :ivar apart: their names, also where a story broke off.
    """

    faults: list[Fault] = field(default_factory=list)
    copies: list[bytes] = field(default_factory=list)
    stories: list[Story] = field(default_factory=list)
    apart: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def plant(self, kind, place, *values):
        """Note faults before they are written: the watch may be fast."""
        with self.lock:
            self.faults += [Fault(kind, place, value) for value in values]

    def planted(self):
        """Values of all faults."""
        with self.lock:
            return {fault.value for fault in self.faults}


class Oracle:
    """Judges states, once both sides are at rest.

    :ivar apart: topics that have an oracle of their own.
    :ivar faults: ``[(fault, source offsets, target offsets)]``; a mirror without transactions copies again what it
        has altered.
    """

    def __init__(self, pair, journal, places):
        sides = {name: read_back(cluster, places) for name, cluster in pair.items()}
        self.offsets = {name: {place: sorted(rows) for place, rows in side.items()} for name, side in sides.items()}
        found = {(fault.place, fault.value): (fault, set(), set()) for fault in journal.faults}
        for number, side in enumerate(("source", "target"), 1):
            for place, rows in sides[side].items():
                for offset, row in rows.items():
                    if (place, row[1]) in found:
                        found[place, row[1]][number].add(offset)
        self.faults, self.apart = list(found.values()), journal.apart

    def covers(self, difference):
        """Offsets that a difference names on both sides: so many records from its offset on."""
        place, found = (difference.topic, difference.partition), []
        for side, offset in (("source", difference.source_offset), ("target", difference.target_offset)):
            listed = self.offsets[side].get(place, [])
            at = bisect_left(listed, offset) if offset is not None else len(listed)
            found.append(set(listed[at : at + difference.count]))
        return found

    def unnamed(self, state):
        """Faults that no difference of a fitting kind names, and differences that name what nobody planted."""
        named = [(found, *self.covers(found)) for found in state.differences if found.topic not in self.apart]
        missed, right = [], {}
        for fault, sources, targets in self.faults:
            if not any(
                (difference.topic, difference.partition) == fault.place
                and difference.kind in KINDS[fault.kind]
                and (sources & left or targets & there)
                for difference, left, there in named
            ):
                missed.append((fault, sources, targets))
            known = right.setdefault(fault.place, (set(), set()))
            known[0].update(sources)
            known[1].update(targets)
        nothing = (set(), set())
        wrong = [
            difference
            for difference, left, there in named
            for known in [right.get((difference.topic, difference.partition), nothing)]
            if left - known[0] or there - known[1] or not left | there
        ]
        return missed, wrong

    def passed(self, state):
        """Faults that what is proven has passed, although the state has no accepted difference that names them."""
        accepted = {}
        for difference in state.differences:
            if difference.accepted:
                known = accepted.setdefault((difference.topic, difference.partition), (set(), set()))
                for side, more in zip(known, self.covers(difference), strict=True):
                    side.update(more)
        found = []
        for fault, *sides in self.faults:
            part = state.partitions.get(fault.place)
            if part is None or part.begins is None:
                continue
            known = accepted.get(fault.place, (set(), set()))
            for side, offsets in enumerate(sides):
                # What comes late in another order is a further copy where it was named missing.
                proven = {offset for offset in offsets if part.begins[side] <= offset < part.through[side]}
                if proven - known[side] and not (side == 1 and fault.kind == "swapped"):
                    found.append((fault, sides, part.through, state.round))
        return found
