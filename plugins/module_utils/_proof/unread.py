# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences in stretches that the second pass does not read: they are counted by their chunks."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import chunks
from .._digest.shapes import Block
from . import excuses
from .classify import Found
from .shapes import Gap
from .task import ExamineTask


class Unread:
    """Adds stretches to what was found by reading. ``unnamed``: some of them differ in a way that only their records
    would tell; ``reasons`` say so.

    :param left, right: chunks of source and target. :param blocks: all matched runs of records, ascending.
    """

    def __init__(
        self, task: ExamineTask, left: chunks.Chunks, right: chunks.Chunks, found: Found, blocks: list[Block]
    ) -> None:
        self.task, self.left, self.right, self.found = task, left, right, found
        self.left_starts, self.right_starts = left.starts(), right.starts()
        self.first = blocks[0][0] if blocks else None
        self.last = blocks[-1][0] + blocks[-1][2] if blocks else None
        self.unnamed = False
        self.reasons: list[str] = []

    def add(self, gap: Gap) -> None:
        """Count one stretch of chunks: records on both sides are altered, what one side has more is missing or
        foreign.
        """
        low, high, target_low, target_high = gap
        lost = int(self.left_starts[high] - self.left_starts[low])
        extra = int(self.right_starts[target_high] - self.right_starts[target_low])
        if extra:
            self.unnamed = True
            self.reasons.append(
                f"{lost} records of the source and {extra} of the target differ and are counted, not named"
            )
            self._add_altered(low, target_low, min(lost, extra))
            self.found.counts["foreign"] += max(0, extra - lost)
        if lost > extra:
            self._add_missing(int(self.left_starts[low]) + extra, int(self.left_starts[high]))

    def _add_altered(self, chunk: int, target_chunk: int, count: int) -> None:
        if count:
            self.found.counts["altered"] += count
            source, target = self.left.rows[chunk], self.right.rows[target_chunk]
            self.found.add_run(
                "altered", source["first_offset"], target["first_offset"], source["min_timestamp"], count
            )

    def _add_missing(self, begin: int, end: int) -> None:
        """Count records of the source, by their ordinals, that the target does not have."""
        through, cut = self.task.mirrored_through, end
        at_tail = self.last is None or begin >= self.last
        if through is not None and at_tail:
            cut = min(max(begin, chunks.place(self.left.runs, through)), end)
        kind = self._kind(begin, end)
        edges = self.left.starts()
        for name, low, high in ((kind, begin, cut), ("lost", cut, end)):
            if high <= low:
                continue
            self.found.counts[name] += high - low
            held = np.clip(edges[1:], low, high) - np.clip(edges[:-1], low, high)
            if name == "missing_head":
                # In a chunk that was not read, every record counts as its youngest, or as one without a timestamp.
                rows = self.left.rows
                counts_as = np.where(rows["min_timestamp"] < 0, rows["min_timestamp"], rows["max_timestamp"])
                youngest = np.repeat(counts_as, held)
                self.found.head_timestamps = np.concatenate([self.found.head_timestamps, youngest])
            timestamp = self.left.rows["min_timestamp"][int(np.flatnonzero(held)[0])]
            offset = int(chunks.ordinals_to_offsets(self.left.runs, np.array([low]))[0])
            self.found.add_run(name, offset, None, timestamp, high - low)

    def _kind(self, begin: int, end: int) -> str:
        if self.last is not None and begin >= self.last:
            return "missing_tail"
        if self.first is not None and end > self.first:
            return "missing"
        return "missing_tail" if self.first is None and not excuses.head_gone(self.task.head) else "missing_head"
