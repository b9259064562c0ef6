# SPDX-License-Identifier: GPL-3.0-or-later
"""The offset map of a proof, or of a watch, and its pairs among the offset syncs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from .shapes import Pair, Run, Span


class ProofMap:
    """The offset map of a proof: runs of source records and where their copies are.

    :param runs: ``[(source_offset, target_offset, count)]``, rising on both sides.
    :param source_range: ``[low, high)`` that was compared.
    :param target_range: ``[low, high)`` that was compared.
    :param one_to_one: nothing was found duplicated, reordered or foreign.
    :param ids: topic ids of source and target that were compared.
    :param partial: what the map is called where it does not begin where the logs do: pairs from before it count too.
    """

    def __init__(
        self,
        runs: list[Run],
        source_range: Span,
        target_range: Span,
        one_to_one: bool = True,
        ids: tuple[str | None, str | None] = (None, None),
        partial: str = "",
    ) -> None:
        self.runs, self.source_range, self.target_range, self.one_to_one, self.ids = (
            runs,
            source_range,
            target_range,
            one_to_one,
            ids,
        )
        self.partial = partial
        self._starts = [run[0] for run in runs]

    def copy_at(self, position: int) -> int | None:
        """The target offset of the copy of the first copied record at or after ``position``, None beyond the map."""
        if not self.source_range[0] <= position < self.source_range[1]:
            return None
        index = bisect_left(self._starts, position + 1) - 1
        if index >= 0:
            begin, target, count = self.runs[index]
            if position < begin + count:
                return target + position - begin
        return self.runs[index + 1][1] if index + 1 < len(self.runs) else None

    def pairs(self) -> Iterator[Pair]:
        """First and last record of each run as pairs."""
        for source, target, count in self.runs:
            yield source, target
            if count > 1:
                yield source + count - 1, target + count - 1


def merge_pairs(syncs: list[Pair], proof: ProofMap | None) -> list[Pair]:
    """Offset syncs in the order written, with the pairs of a proof sorted in; without those if the two do not agree on
    one rising map.
    """
    return (rising_pairs(syncs, proof) if proof is not None else None) or list(syncs)


def rising_pairs(syncs: list[Pair], proof: ProofMap) -> list[Pair] | None:
    """Offset syncs and the pairs of a proof as one rising map; None where they contradict each other."""
    if not proof.runs:
        return list(syncs)
    kept = syncs if proof.partial else [pair for pair in syncs if pair[0] >= proof.source_range[0]]
    rising = sorted({*proof.pairs(), *kept})
    agree = all(later[0] > earlier[0] and later[1] > earlier[1] for earlier, later in pairwise(rising))
    return rising if agree else None
