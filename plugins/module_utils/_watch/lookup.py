# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether records that the target has, and that nothing is left over for, are further copies of the source's."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.shapes import Isolation, Partition
from .._proof import classify
from .._proof.sides import KafkaSide
from .track import Track

# Records of a side in which a further copy is looked for, back from where both sides were last compared.
BACK = 4000000
PORTION = 500000
# Differences whose records on the target are no copies.
OF_OTHERS = ("foreign", "altered", "aborted")


class Lookup:
    """What is known of records that only the target has: what the source holds, and what was proven on the target."""

    def __init__(self, source: KafkaSide, target: KafkaSide, track: Track) -> None:
        self.source, self.target, self.track = source, target, track

    def find(self, digests: np.ndarray, judged: int) -> np.ndarray:
        """Bits for each digest: KNOWN where the source has or had it committed, ABORTED where it has it uncommitted.

        :param judged: how many of the records that wait are judged. What is like one behind them is no copy of it: its
            turn has not come.
        """
        pending, part, place = self.track.pending, self.track.part, self.track.place
        held = pending.digest()
        code = np.where(np.isin(digests, held[:judged]), classify.KNOWN, 0).astype(np.int8)
        high = int(pending.offset[judged - 1]) + 1 if judged else part.examined[0]
        low = self._first(self.source, place, digests, part.read, part.examined[0])
        _search(self.source, place, digests, code, classify.KNOWN, "read_committed", low, high)
        self._find_proven(digests, code)
        early = (code == 0) & np.isin(digests, held[judged:])
        others = np.where(early, classify.KNOWN, code).astype(np.int8)
        _search(self.source, place, digests, others, classify.ABORTED, "read_uncommitted", low, part.read)
        return np.where(early, 0, others).astype(np.int8)

    def before(self, digests: list[int]) -> list[bool]:
        """Whether the source has, or had, each of them before what was examined."""
        if not digests:
            return []
        part, place = self.track.part, self.track.place
        wanted, code = np.array(digests, np.uint64), np.zeros(len(digests), np.int8)
        low = self._first(self.source, place, wanted, part.read, part.examined[0])
        _search(self.source, place, wanted, code, classify.KNOWN, "read_committed", low, part.examined[0])
        self._find_proven(wanted, code)
        return (code > 0).tolist()

    def _find_proven(self, digests: np.ndarray, code: np.ndarray) -> None:
        """Know what the source has deleted by the copy of it that was compared then; changes ``code``."""
        part, track = self.track.part, self.track
        unknown = code == 0
        if part.begins is None or not unknown.any():
            return
        if self.source.starts([track.place]).get(track.place, 0) <= part.begins[0]:
            return
        high = part.examined[1]
        # What lies before the watch's beginning was compared with nothing.
        low = max(part.begins[1], self._first(self.target, track.copy, digests[unknown], high, high))
        found = np.where(unknown, 0, classify.KNOWN).astype(np.int8)
        _search(self.target, track.copy, digests, found, classify.KNOWN, "read_committed", low, high)
        if (found[unknown] > 0).any():
            code |= np.where(unknown & ~np.isin(digests, self._of_others()), found, 0).astype(np.int8)

    def _of_others(self) -> np.ndarray:
        """Digests of the target's records that were named, since they are no copies.

        Where the target has deleted a first part of what was named, as many records are taken from its log start on:
        how many of them are left is not known, and a repeat that is named in vain can be accepted.
        """
        topic, number = self.track.copy
        start, high = self.target.starts([self.track.copy]).get(self.track.copy, 0), self.track.part.examined[1]
        found = [np.array([], np.uint64)]
        for fault in (*self.track.faults, *self.track.accepted):
            if fault.kind in OF_OTHERS and fault.target_offset is not None:
                left = fault.count
                first = min(max(start, fault.target_offset), high)
                for records in self.target.scan(topic, number, first, high):
                    found.append(records.digest()[:left])
                    left -= len(found[-1])
                    if not left:
                        break
        return np.concatenate(found)

    def _first(self, side: KafkaSide, place: Partition, digests: np.ndarray, end: int, examined: int) -> int:
        """A side's offset before which it has none of the target's records: all there are older.

        :param end: where nothing is as young. :param examined: where both sides were last compared.
        """
        fresh = self.track.fresh
        moments = fresh.timestamp[np.isin(fresh.digest(), digests)]
        oldest = int(moments.min()) if len(moments) else -1
        # A broker finds the first record that is as young; one millisecond more, since an index may skip an equal one.
        young = side.offset_at(place, oldest - 1) if oldest > 0 else 0
        starts = side.starts([place])
        if young is None and place in starts:
            return end
        return max(starts.get(place, 0), young or 0, examined - BACK)


def _search(
    side: KafkaSide,
    place: Partition,
    digests: np.ndarray,
    code: np.ndarray,
    bit: int,
    isolation: Isolation,
    low: int,
    high: int,
) -> None:
    """Look back through a log from an offset, the newest portion first; changes ``code``."""
    while low < high and (code == 0).any():
        begin = max(low, high - PORTION)
        for records in side.scan(*place, begin, high, isolation):
            code |= np.where((code == 0) & np.isin(digests, records.digest()), bit, 0).astype(np.int8)
        high = begin
