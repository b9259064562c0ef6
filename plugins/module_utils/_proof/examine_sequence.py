# SPDX-License-Identifier: GPL-3.0-or-later
"""The second pass over a partition that is not compacted: both sides are sequences of records."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import chunks
from .._digest.records import Records
from .._digest.shapes import Block, Span
from .._errors import NotProvableError
from . import align, classify, excuses, stretches, unread
from .shapes import Gap, Side
from .source_lookup import SourceLookup
from .task import ExamineTask

# What was found, and all matched runs of records.
Outcome = tuple[classify.Found, list[Block]]


class SequenceExamination:
    """One partition. ``unnamed``: not every difference was named; ``reasons`` say why.

    :param left, right: chunks of source and target.
    """

    def __init__(
        self,
        source: Side,
        target: Side,
        task: ExamineTask,
        left: chunks.Chunks,
        right: chunks.Chunks,
        lookup: SourceLookup,
    ) -> None:
        self.source, self.target, self.task, self.lookup = source, target, task, lookup
        self.left, self.right = left, right
        self.left_ids, self.right_ids = chunks.identities(left, right)
        self.left_starts, self.right_starts = left.starts(), right.starts()
        self.reasons: list[str] = []
        self.unnamed = False

    def run(self) -> Outcome:
        """Compare between matched chunks; where a match may mislead, compare once more between fewer of them."""
        anchors = align.blocks(self.left_ids, self.right_ids)
        found, blocks = self._between(anchors)
        if found.counts["reordered"] and not self.unnamed:
            # A chunk that is matched may stand for a twin of its records, and then what was only lost or doubled reads
            # as moved. Chunks at both ends never do, and between them records tell it exactly.
            again = self._again(anchors, self._outer(anchors))
            if again and again[0].counts["reordered"] < found.counts["reordered"]:
                return again
        if _holes(found) and not self.unnamed:
            # The same with the end of what was copied: matched to a twin that was written later, it makes a hole of
            # what had not been copied.
            again = self._again(anchors, self._below(anchors))
            if again and not _holes(again[0]):
                return again
        return found, blocks

    def _again(self, anchors: list[Block], fewer: list[Block]) -> Outcome | None:
        """Compare between fewer matched chunks; None where there are not fewer, or not everything can be named."""
        if len(fewer) == len(anchors) or self._span(fewer) > stretches.MOST:
            return None
        outcome = self._between(fewer)
        complete = not self.unnamed
        self.reasons, self.unnamed = [], False
        return outcome if complete else None

    def _outer(self, anchors: list[Block]) -> list[Block]:
        """Matched chunks at the very begin and the very end."""
        ends = len(self.left_ids), len(self.right_ids)
        return [(i, j, count) for i, j, count in anchors if (i, j) == (0, 0) or (i + count, j + count) == ends]

    def _below(self, anchors: list[Block]) -> list[Block]:
        """Matched chunks that begin below what is known to have been copied; all of them where that is not known."""
        if self.task.mirrored_through is None:
            return anchors
        edge = int(np.searchsorted(self.left.rows["first_offset"], self.task.mirrored_through))
        return [(i, j, min(count, edge - i)) for i, j, count in anchors if i < edge]

    def _span(self, anchors: list[Block]) -> int:
        """Records of the longer side that lie between matched chunks."""
        return max(
            int(starts[-1]) - sum(int(starts[block[side] + block[2]] - starts[block[side]]) for block in anchors)
            for side, starts in ((0, self.left_starts), (1, self.right_starts))
        )

    def _between(self, anchors: list[Block], whole: bool = False) -> Outcome:
        """Read what lies between matched chunks and classify it.

        :param whole: read a long missing head or tail to its end too.
        """
        gaps, skipped = stretches.choose(
            anchors, self.left_starts, self.right_starts, stretches.MOST, not self.lookup.readable, whole
        )
        self.lookup.hint(self.left, self.left_ids, self.right_ids, anchors)
        lost, lost_at, extra, extra_at = self._read_gaps(gaps)
        blocks = self._align(anchors, lost, lost_at, extra, extra_at)
        cut_off = stretches.cut_off(skipped, len(self.left.rows))
        if not whole and any(self._goes_on(gap, extra, extra_at, blocks) for gap in cut_off):
            return self._between(anchors, whole=True)
        found = classify.classify(
            Records.join(lost),
            Records.join(extra),
            _ordinals(lost, lost_at),
            _ordinals(extra, extra_at),
            blocks,
            self.task.timestamps,
            self.lookup.find,
            excuses.head_gone(self.task.head),
            self.task.source_started,
            self.task.mirrored_through,
        )
        counted = unread.Unread(self.task, self.left, self.right, found, blocks)
        for gap in skipped:
            self._refuse_undecided(gap)
            counted.add(gap)
        self.reasons += counted.reasons
        self.unnamed = self.unnamed or counted.unnamed
        return found, blocks

    def _refuse_undecided(self, gap: Gap) -> None:
        """A chunk that the copy holds in part is no difference where the rest may be missing, and only records tell.

        :raises NotProvableError: the source's records cannot be read, and what is excused would explain the stretch.
        """
        low, high, target_low, target_high = gap
        lost = int(self.left_starts[high] - self.left_starts[low])
        extra = int(self.right_starts[target_high] - self.right_starts[target_low])
        if self.lookup.readable or not 0 < extra < lost:
            return
        through, begin = self.task.mirrored_through, int(self.left_starts[low])
        tail = through is not None and extra >= chunks.place(self.left.runs, through) - begin
        if tail or (low == 0 and excuses.head_gone(self.task.head)):
            raise NotProvableError(
                f"Topic {self.task.topic} partition {self.task.partition}: the target holds {extra} of a stretch of "
                f"{lost} records, and the manifest holds no records that tell which",
                remedy="Save the manifest with --detail records",
            )

    def _align(
        self, anchors: list[Block], lost: list[Records], lost_at: list[int], extra: list[Records], extra_at: list[int]
    ) -> list[Block]:
        """All matched runs of records: those of the matched chunks, and those found within the gaps."""
        starts, target_starts = self.left_starts, self.right_starts
        blocks = [(int(starts[i]), int(target_starts[j]), int(starts[i + n] - starts[i])) for i, j, n in anchors]
        timestamps = self.task.timestamps
        for source, source_at, target, target_at in zip(lost, lost_at, extra, extra_at, strict=True):
            inner = align.blocks(source.digest(timestamps), target.digest(timestamps))
            blocks.extend((source_at + i, target_at + j, count) for i, j, count in inner)
        return sorted(blocks)

    def _read_gaps(self, gaps: list[Gap]) -> tuple[list[Records], list[int], list[Records], list[int]]:
        """Records of each gap on both sides, with the ordinals they begin at."""
        task = self.task
        lost = self._read(self.source, task.topic, self.left, [gap[:2] for gap in gaps], self.left_starts)
        self.lookup.known = [records.digest(task.timestamps) for records in lost]
        extra = self._read(self.target, task.target_topic, self.right, [gap[2:] for gap in gaps], self.right_starts)
        return (
            lost,
            [int(self.left_starts[gap[0]]) for gap in gaps],
            extra,
            [int(self.right_starts[gap[2]]) for gap in gaps],
        )

    def _read(
        self, side: Side, topic: str, digested: chunks.Chunks, gaps: list[Span], starts: np.ndarray
    ) -> list[Records]:
        """Records of stretches of chunks. :raises NotProvableError: they are not those that were digested."""
        ranges = [
            (int(digested.rows["first_offset"][low]), int(digested.rows["last_offset"][high - 1]) + 1)
            if high > low
            else (0, 0)
            for low, high in gaps
        ]
        parts = side.records(topic, self.task.partition, ranges) if ranges else []
        for part, (low, high) in zip(parts, gaps, strict=True):
            if len(part) != starts[high] - starts[low]:
                raise NotProvableError(
                    f"Topic {topic} partition {self.task.partition} on {side.name} changed while it was compared",
                    expected=f"{starts[high] - starts[low]} records",
                    found=len(part),
                )
        return parts

    def _goes_on(self, cut_off: Gap, extra: list[Records], extra_at: list[int], blocks: list[Block]) -> bool:
        """Whether the source has, in the head or tail that was not read, what the target holds and could not be
        matched: then the copy did not end before it.
        """
        left_over = Records.join(
            [
                part.take(stretches.unmatched(np.arange(at, at + len(part)), blocks))
                for part, at in zip(extra, extra_at, strict=True)
            ]
        )
        if not len(left_over):
            return False
        rows = self.left.rows
        low, high = int(rows["first_offset"][cut_off[0]]), int(rows["last_offset"][cut_off[1] - 1]) + 1
        wanted = left_over.digest(self.task.timestamps)
        return any(
            np.isin(part.digest(self.task.timestamps), wanted).any()
            for part in self.source.scan(self.task.topic, self.task.partition, low, high)
        )


def _holes(found: classify.Found) -> int:
    return found.counts["missing"] + found.counts["missing_head"]


def _ordinals(parts: list[Records], starts: list[int]) -> np.ndarray:
    if not parts:
        return np.empty(0, np.int64)
    ordinals = [np.arange(start, start + len(part)) for part, start in zip(parts, starts, strict=True)]
    return np.concatenate(ordinals).astype(np.int64)
