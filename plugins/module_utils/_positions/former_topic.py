# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions in a topic that was deleted and made again under its name, or whose copy was: what was said of the former
one says nothing about the present one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .shapes import Span, TimedPair

if TYPE_CHECKING:
    from .outline import Outline

from itertools import pairwise


class FormerTopic:
    """What tells a position of the present topic from one of the topic before it, for one partition.

    :param history: ``[(upstream, downstream, seconds since the epoch)]`` of all pairs, those of the former topic among
        them, in the order written.
    :param recreated: when a witness first saw another topic id, in seconds; 0 if never.
    :param known_end: the end of the source's log as it is, or as the witness saw it last; None if it did not.
    :param known_at: until when that held, in seconds.
    """

    def __init__(
        self, history: Iterable[TimedPair], recreated: float = 0.0, known_end: int | None = None, known_at: float = 0.0
    ) -> None:
        self.known_end, self.known_at = known_end, known_at
        self.history: list[TimedPair] = []
        anew: list[float] = []
        for pair in history:
            if self.history and pair[1] < self.history[-1][1]:
                # The target's topic is another one since. Whether the source's is as well, nobody can tell.
                self.history, anew = [], [pair[2]]
            self.history.append(pair)
        # Where the source's offsets go back while the target's go on, the source is another topic, or is copied again:
        # what was said before is of before.
        back = [
            later[2] for earlier, later in pairwise(self.history) if later[0] <= earlier[0] and later[1] > earlier[1]
        ]
        self.fell_back = max(back, default=None)
        self.began_again = max([recreated, *anew, *back]) or None

    def holds(self, evidence: Outline, position: int, at: float | None) -> bool:
        """Whether a position is of the former topic: seen before the present one began, or beyond all that the present
        one ever held.

        :param at: when the position was seen, in seconds; None where it is read from the source itself.
        """
        if self._seen_before(at):
            return True
        end: int | None = None
        if evidence.source is not None:
            # A consumer that reads what is not committed yet stands beyond the last stable offset.
            end = max(evidence.source[1], self.known_end or 0)
        elif at is not None and at <= self.known_at:
            end = self.known_end
        return end is not None and position > _furthest(evidence, end)

    def reach(self, evidence: Outline) -> int | None:
        """The highest position that anything but a checkpoint speaks for; None where no end of the source is known."""
        return None if self.known_end is None else _furthest(evidence, self.known_end)

    def _seen_before(self, at: float | None) -> bool:
        """Whether a position seen then was seen before the present topic began."""
        return at is not None and self.began_again is not None and at < self.began_again

    def answer(self, evidence: Outline, position: int, at: float | None) -> Span:
        """``(target offset, records that may be repeated)``: behind the copies of the former topic's records before the
        position, as far as they are known.
        """
        # Of a position beyond all that the present topic held nobody knows when it was reached: pairs of the present
        # topic must not count.
        until = at if self._seen_before(at) else None
        known = [
            (upstream, downstream)
            for upstream, downstream, seen in self.history
            if upstream <= position
            and downstream < evidence.target_end
            and (self.fell_back is None or seen < self.fell_back)
            and (seen <= until if until is not None else self.fell_back is not None)
        ]
        if not known:
            return evidence.target_start, max(0, min(position, evidence.target_end - evidence.target_start))
        upstream, downstream = max(known, key=lambda pair: pair[1])
        answer = max(evidence.target_start, downstream + (upstream != position))
        return answer, max(0, min(position - upstream - 1, evidence.target_end - answer))


def _furthest(evidence: Outline, end: int) -> int:
    """The highest position that the source's end, a pair or Connect's offset speaks for."""
    return max([end, *(upstream + 1 for upstream, dummy in evidence.segment), evidence.through or 0])
