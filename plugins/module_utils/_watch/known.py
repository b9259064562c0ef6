# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records of a fault nobody has been told of: an accepted difference excuses what it says, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .state import Difference

# Names of one thing, which depend on what lies around it: the target lacks a record, or has one of nobody.
LACKED = ("missing", "missing_head", "missing_tail", "lost")
STRANGE = ("foreign", "aborted")
# What may differ where the content does, and the fields could not be read.
CONTENT = {"key", "value", "headers"}


def unknown(fault: Difference, known: Sequence[Difference]) -> np.ndarray:
    """Of each record of a fault, whether it is new.

    Known is the same kind, in the same fields, at the same offsets of both sides. A record that moved is known also
    where its own place was told to lack it: elsewhere it is a further copy. So is an altered one where, besides, its
    place on the target was told to hold one of nobody.
    """
    new = np.ones(max(1, fault.count), bool)
    lacked, strange = ~new, ~new
    for other in known:
        left, right = _shift(fault.source_offset, other.source_offset), _shift(fault.target_offset, other.target_offset)
        if _says(other, fault) and left == right:
            _cover(new, left, other.count, False)
        elif _says(other, fault) and None in (fault.source_offset, fault.target_offset):
            _cover(new, right if left is None else left, other.count, False)
        elif other.kind in LACKED:
            _cover(lacked, left, other.count, True)
        elif other.kind in STRANGE:
            _cover(strange, right, other.count, True)
    return new & ~(lacked if fault.kind == "reordered" else lacked & strange)


def _shift(mine: int | None, theirs: int | None) -> int | None:
    return None if mine is None or theirs is None else theirs - mine


def _cover(records: np.ndarray, shift: int | None, count: int, value: bool) -> None:
    if shift is not None:
        records[max(0, shift) : max(0, shift + max(1, count))] = value


def _says(other: Difference, fault: Difference) -> bool:
    """Whether a difference names what a fault is, wherever both are."""
    if any(other.kind in alike and fault.kind in alike for alike in (LACKED, STRANGE)):
        return True
    if other.kind != fault.kind:
        return False
    if other.field == fault.field:
        return True
    fields = [set((found.field or "").split(",")) for found in (other, fault)]
    # Of one of them it could not be told which fields of the content they are.
    return "content" in (other.field, fault.field) and all(named <= {*CONTENT, "content"} for named in fields)
