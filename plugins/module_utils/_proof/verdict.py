# SPDX-License-Identifier: GPL-3.0-or-later
"""From counts to a verdict, and from parts to the whole."""

from __future__ import annotations

from collections.abc import Iterable

from .shapes import Counts

ORDER = ("PROVEN", "DUPLICATES", "NOT_PROVABLE", "DIFFERENT", "LOSS")


def of_partition(counts: Counts, excused_head: int = 0, not_provable: bool = False) -> str:
    """LOSS if anything is missing that may not be; DUPLICATES if that is all; DIFFERENT for the rest. What is ``lost``
    had never been copied.
    """
    if counts["missing"] or counts["missing_head"] > excused_head or counts["missing_tail"]:
        return "LOSS"
    if any(counts[kind] for kind in ("reordered", "altered", "foreign", "aborted")):
        return "DIFFERENT"
    if not_provable:
        return "NOT_PROVABLE"
    return "DUPLICATES" if counts["duplicated"] else "PROVEN"


def worst(verdicts: Iterable[str]) -> str:
    """LOSS > DIFFERENT > NOT_PROVABLE > DUPLICATES > PROVEN; of nothing at all: NOT_PROVABLE."""
    return max(verdicts, key=ORDER.index, default="NOT_PROVABLE")


def complete(verdict: str) -> bool:
    """Whether nothing is missing, altered or strange."""
    return verdict in ("PROVEN", "DUPLICATES")


def exit_code(verdict: str) -> int:
    """0 proven, 1 shown to be different, 2 could not tell."""
    return {"PROVEN": 0, "NOT_PROVABLE": 2}.get(verdict, 1)
