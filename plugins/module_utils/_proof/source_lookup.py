# SPDX-License-Identifier: GPL-3.0-or-later
"""Look records that only the target has up in the source: in the compared range, beyond it, and uncommitted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.chunks import Chunks
from .._digest.records import Records
from .._digest.shapes import Block, Isolation, Span
from . import classify
from .shapes import Side
from .task import ExamineTask

# Records of hinted chunks that are read before the whole range is scanned.
MOST_HINTED = 1000000


class SourceLookup:
    """The source of one partition.

    ``known`` are digests of the source's records that were read already; ``hints`` are ranges of offsets that probably
    hold what is looked for.
    """

    def __init__(self, source: Side, task: ExamineTask) -> None:
        self.source, self.task = source, task
        self.known: list[np.ndarray] = []
        self.hints: list[Span] = []

    @property
    def readable(self) -> bool:
        """Whether the source's records can be read: not where a manifest holds chunks only."""
        return self.source.detailed(self.task.topic)

    def hint(self, source: Chunks, left_ids: np.ndarray, right_ids: np.ndarray, anchors: list[Block]) -> None:
        """Take as hints the source's chunks that may explain extras: those equal to a target chunk that was not
        matched, with their neighbours, and those before a gap.
        """
        matched = np.zeros(len(right_ids), bool)
        wanted: set[int] = set()
        for i, j, count in anchors:
            matched[j : j + count] = True
            wanted.update(range(i + count - 2, i + count))
        for chunk in np.flatnonzero(np.isin(left_ids, right_ids[~matched])).tolist():
            wanted.update(range(chunk - 1, chunk + 2))
        self.hints, total = [], 0
        for chunk in sorted(number for number in wanted if 0 <= number < len(left_ids)):
            total += int(source.rows["count"][chunk])
            if total > MOST_HINTED:
                break
            low, high = int(source.rows["first_offset"][chunk]), int(source.rows["last_offset"][chunk]) + 1
            if self.hints and self.hints[-1][1] == low:
                self.hints[-1] = (self.hints[-1][0], high)
            else:
                self.hints.append((low, high))

    def find(self, digests: np.ndarray) -> np.ndarray:
        """What the source has of these digests, as bits: KNOWN in bounds, LATER beyond them, ABORTED uncommitted."""
        code = np.zeros(len(digests), np.int8)
        for records in chain(self._later(), self._undecided()):
            code |= _bits(digests, records.digest(self.task.timestamps), classify.LATER)
        for known in self.known:
            code |= _bits(digests, known, classify.KNOWN)
        if (code == 0).any() and self.readable:
            self._read(digests, code)
            if not self.source.live and not self.task.target_bounded:
                # A manifest cannot say what the source wrote after it: at the tail, what it does not know is beyond it.
                code[code == 0] = classify.LATER
        return code

    def _read(self, digests: np.ndarray, code: np.ndarray) -> None:
        """Read the source, where it is probable first, for what ``code`` does not explain yet; changes ``code``."""
        topic, partition, timestamps = self.task.topic, self.task.partition, self.task.timestamps
        for records in self.source.records(topic, partition, self.hints, keep="content") if self.hints else []:
            code |= _bits(digests, records.digest(timestamps), classify.KNOWN)
        low, high = self.task.source_range
        passes: tuple[tuple[int, Isolation], ...] = (
            (classify.KNOWN, "read_committed"),
            (classify.ABORTED, "read_uncommitted"),
        )
        for bit, isolation in passes:
            if not (code == 0).any() or (bit == classify.ABORTED and not self.source.live):
                break
            if bit == classify.ABORTED:
                high = max(high, self._end("read_committed"))
            for records in self.source.scan(topic, partition, low, high, isolation):
                code |= np.where(code == 0, _bits(digests, records.digest(timestamps), bit), 0).astype(np.int8)

    def find_keys(self, keys: np.ndarray, digests: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whether each key, and whether each digest, occurs in the source beyond its bound."""
        key_there, digest_there = np.zeros(len(keys), bool), np.zeros(len(digests), bool)
        for records in self._later():
            key_there |= np.isin(keys, records.key_high)
            digest_there |= np.isin(digests, records.digest(self.task.timestamps))
        return key_there, digest_there

    def _later(self) -> Iterator[Records]:
        """Records of the source beyond the bound, in portions."""
        high, end = self.task.source_range[1], self._end("read_committed")
        if end > high:
            yield from self.source.scan(self.task.topic, self.task.partition, high, end)

    def _undecided(self) -> Iterator[Records]:
        """Records of the source behind a transaction that is open there: a mirror that reads uncommitted has them."""
        stable, end = max(self.task.source_range[1], self._end("read_committed")), self._end("read_uncommitted")
        if end > stable:
            yield from self.source.scan(self.task.topic, self.task.partition, stable, end, "read_uncommitted")

    def _end(self, isolation: Isolation) -> int:
        """Where the source ends now; 0 where it is no cluster, or has no such partition any more."""
        place = (self.task.topic, self.task.partition)
        return self.source.ends([place], isolation).get(place, 0) if self.source.live else 0


def _bits(digests: np.ndarray, known: np.ndarray, bit: int) -> np.ndarray:
    return np.where(np.isin(digests, known), bit, 0).astype(np.int8)
