# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known about one partition and its copy before any record is read: pairs, ends, and what others say.

A *pair* (upstream, downstream) says that the target acknowledged the source record at ``upstream`` at ``downstream``.
MirrorMaker 2 writes pairs as offset syncs, a proof's offset map holds them as runs. The order in which pairs were
written matters: it shows where a topic was re-created and where a mirror copied something twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from . import going_back
from .former_topic import FormerTopic
from .offset_map import ProofMap
from .shapes import Pair, Span


class Outline:
    """What pairs and ends say about one partition.

    :param pairs: in the order in which they were written.
    :param target: log start of the copy, and its last stable offset or where the mirror's writing ended.
    :param source: log start and last stable offset of the source; None where it is lost.
    :param through: mirrored through: the offset after the last source record copied, as Connect says; None if unknown.
    :param exactly_once: the mirror was seen to copy in transactions: nothing is copied twice, and ``through`` is atomic
        with the copies.
    :param mixed: it was seen to have copied without transactions before: what that may have copied again counts.
    :param checkpoints: MirrorMaker 2's own answers. They may be about an earlier copy, so that they bound nothing.
    :param sealed: the target's end is known to be where the mirror's writing ended; otherwise the last records may be
        others'.
    :param former: what tells positions of an earlier topic of this name; None where the times of pairs are not known.

    ``stale`` says that the source is not the one that the pairs are about; ``copied_again`` that the mirror copied
    something again and did not come past what it had. With either, nothing counts as exact, and what is left bounds
    from below.
    """

    def __init__(
        self,
        pairs: Iterable[Pair],
        target: Span,
        source: Span | None = None,
        through: int | None = None,
        exactly_once: bool = False,
        checkpoints: Iterable[Pair] = (),
        proof: ProofMap | None = None,
        sealed: bool = False,
        mixed: bool = False,
        former: FormerTopic | None = None,
    ) -> None:
        self.sealed = sealed
        # With transactions up to every second offset is a control record.
        self.weight = 2 if exactly_once else 1
        self.target_start, self.target_end = target
        self.source, self.through, self.proof, self.former = source, through, proof, former
        self.exactly_once = exactly_once and not mixed
        self.checkpoints = [pair for pair in checkpoints if pair[1] <= self.target_end]
        self.copied_again = False
        living = living_pairs(pairs, self.target_end)
        # A source that ends before a pair is a re-created topic: pairs still bound from below.
        self.stale = source is not None and any(upstream >= source[1] for upstream, dummy in living)
        self.newest = living[-1] if living else None
        self._use(living)
        back = self.first_open(hidden=False)
        if back is not None:
            self._cut(back)
        self.doubtful_from = None if self.exactly_once else self._open_place(self.first_open(hidden=True))

    def _use(self, pairs: list[Pair]) -> None:
        self.pairs = pairs
        self.segments_before, self.segment = self._last_segment(pairs)
        by_source = sorted(pairs)
        self._upstreams = [upstream for upstream, dummy in by_source]
        self._highest = list(accumulate((downstream for dummy, downstream in by_source), max))
        self._at = dict(by_source)

    @staticmethod
    def _last_segment(pairs: list[Pair]) -> tuple[int, list[Pair]]:
        """Since the source offsets went back last (a restart that copied again, or a re-created source): where it
        begins, and its pairs.
        """
        begin = 0
        for index in range(1, len(pairs)):
            if pairs[index][0] <= pairs[index - 1][0]:
                begin = index
        return begin, pairs[begin:]

    def _cut(self, index: int) -> None:
        """Keep the pairs up to ``index`` (-1: none). Whatever was copied later, the copies of what follows them lie
        behind them.
        """
        self.copied_again = True
        self._use(self.pairs[: index + 1])

    def first_open(self, hidden: bool) -> int | None:
        """Index of the first pair after which the mirror went back, or (``hidden``) may have, and is not shown to have
        caught up with itself.
        """
        # What lies behind the last pair may be others', or a second copy of what was cut off.
        known = self.sealed and not self.copied_again
        end = self.target_end if known or not self.pairs else max(self.pairs[-1][1] + 1, self.target_start)
        if not hidden:
            return going_back.seen(self.pairs, end, self.weight)
        at = [
            going_back.seen(self.pairs, end, self.weight),
            going_back.unseen(self.pairs, end, self.target_start, self.weight),
        ]
        return min((index for index in at if index is not None), default=None)

    def _open_place(self, index: int | None) -> int | None:
        if index is None:
            return None
        return self.pairs[index][1] if index >= 0 else self.target_start

    def around(self, position: int) -> tuple[Pair | None, Pair | None]:
        """The last pair at or before, and the first pair at or after ``position``, in the last segment; None where
        there is none.
        """
        index = bisect_left(self.segment, (position, -1))
        if index < len(self.segment) and self.segment[index][0] == position:
            return self.segment[index], self.segment[index]
        return (self.segment[index - 1] if index else None), (
            self.segment[index] if index < len(self.segment) else None
        )

    def at_least(self, position: int) -> int:
        """A target offset that is never above the truth: whatever pair lies before the position, its copy does too."""
        lowest = self.target_start
        index = bisect_left(self._upstreams, position)
        if index:
            lowest = max(lowest, self._highest[index - 1] + 1)
        lowest = max(lowest, self._at.get(position, 0))
        return min(lowest, self.target_end)


def living_pairs(pairs: Iterable[Pair], target_end: int) -> list[Pair]:
    """The pairs of the present target topic: one that goes back on the target began a new one, one beyond its end
    belongs to a lost one.
    """
    living: list[Pair] = []
    for upstream, downstream in pairs:
        if living and downstream <= living[-1][1]:
            if (upstream, downstream) == living[-1]:
                continue
            living = []
        living.append((upstream, downstream))
    beyond = [index for index, pair in enumerate(living) if pair[1] >= target_end]
    return living[beyond[-1] + 1 :] if beyond else living
