# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""From counts to a verdict, and from parts to the whole."""

from __future__ import annotations

ORDER = ("PROVEN", "DUPLICATES", "NOT_PROVABLE", "DIFFERENT", "LOSS")


def of_partition(counts, excused_head=0, not_provable=False):
    """LOSS if anything is missing that may not be; DUPLICATES if that is all; DIFFERENT for the rest. What is ``lost`` had never been copied."""
    if counts["missing"] or counts["missing_head"] > excused_head or counts["missing_tail"]:
        return "LOSS"
    if any(counts[kind] for kind in ("reordered", "altered", "foreign", "aborted")):
        return "DIFFERENT"
    if not_provable:
        return "NOT_PROVABLE"
    return "DUPLICATES" if counts["duplicated"] else "PROVEN"


def worst(verdicts):
    """LOSS > DIFFERENT > NOT_PROVABLE > DUPLICATES > PROVEN; of nothing at all: NOT_PROVABLE."""
    return max(verdicts, key=ORDER.index, default="NOT_PROVABLE")


def complete(verdict):
    """Whether nothing is missing, altered or strange."""
    return verdict in ("PROVEN", "DUPLICATES")


def exit_code(verdict):
    """0 proven, 1 shown to be different, 2 could not tell."""
    return {"PROVEN": 0, "NOT_PROVABLE": 2}.get(verdict, 1)
