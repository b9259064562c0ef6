# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of offsets as runs: arrays of pairs (first offset, count), ascending and apart."""

from __future__ import annotations

from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

Runs = Any  # an array of int64 pairs
# Offsets between two runs that are read along: a request of its own costs more.
NEAR = 20000


def as_runs(pairs: Any) -> Runs:
    """Pairs (first, count) in any order, as runs; those that touch or overlap are made one."""
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    rows = rows[rows[:, 1] > 0]
    if not len(rows):
        return rows
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    ends = np.maximum.accumulate(rows[:, 0] + rows[:, 1])
    starts = np.flatnonzero(np.concatenate([[True], rows[1:, 0] > ends[:-1]]))
    last = np.append(starts[1:], len(rows)) - 1
    return np.stack([rows[starts, 0], ends[last] - rows[starts, 0]], axis=1)


def of_offsets(offsets: Any) -> Runs:
    """Single offsets as runs."""
    offsets = np.asarray(offsets, np.int64)
    return as_runs(np.stack([offsets, np.ones(len(offsets), np.int64)], axis=1))


def count(runs: Runs) -> int:
    """How many offsets."""
    return int(runs[:, 1].sum())


def without(runs: Runs, other: Runs) -> Runs:
    """The offsets of ``runs`` that are not in ``other``."""
    if not len(runs) or not len(other):
        return runs
    kept, at = [], 0
    others = other.tolist()
    for first, length in runs.tolist():
        end = first + length
        while at < len(others) and others[at][0] + others[at][1] <= first:
            at += 1
        look = at
        while look < len(others) and others[look][0] < end:
            begin, gone = others[look]
            if begin > first:
                kept.append((first, begin - first))
            first = max(first, begin + gone)
            look += 1
        if first < end:
            kept.append((first, end - first))
    return as_runs(kept)


def joined(*many: Runs) -> Runs:
    """The offsets that are in any of them."""
    return as_runs([pair for runs in many for pair in runs.tolist()])


def both(runs: Runs, other: Runs) -> Runs:
    """The offsets that are in both."""
    return without(runs, without(runs, other))


def within(runs: Runs, low: int, high: int | None = None) -> Runs:
    """The offsets at or beyond ``low``, and below ``high``."""
    begins = np.maximum(runs[:, 0], low)
    ends = runs[:, 0] + runs[:, 1]
    if high is not None:
        ends = np.minimum(ends, high)
    return as_runs(np.stack([begins, np.maximum(ends - begins, 0)], axis=1))


def holds(runs: Runs, offsets: Any) -> Any:
    """Which of these offsets are in the runs (array of bool)."""
    offsets = np.asarray(offsets, np.int64)
    if not len(runs):
        return np.zeros(len(offsets), bool)
    at = np.searchsorted(runs[:, 0], offsets, "right") - 1
    return (at >= 0) & (offsets < runs[at, 0] + runs[at, 1])


def paired(runs: Runs, other: Runs) -> list[list[int]]:
    """Rows ``[offset, offset in other, count]``: the first offset of one belongs to the first of the other, and so on.
    No row where they are not as many.
    """
    if count(runs) != count(other):
        return []
    rows, others = [], iter(other.tolist())
    begin = room = 0
    for first, length in runs.tolist():
        while length:
            if not room:
                begin, room = next(others)
            taken = min(length, room)
            rows.append([first, begin, taken])
            first, begin, length, room = first + taken, begin + taken, length - taken, room - taken
    return rows


def reading(runs: Runs, near: int = NEAR) -> list[tuple[int, int]]:
    """Ranges ``(low, high)`` to read for these runs; what lies closely together is read at once."""
    ranges: list[tuple[int, int]] = []
    for first, length in runs.tolist():
        if ranges and first - ranges[-1][1] <= near:
            ranges[-1] = (ranges[-1][0], first + length)
        else:
            ranges.append((first, first + length))
    return ranges


def bounds(runs: Runs) -> tuple[int | None, int | None]:
    """The first and the last offset; None of nothing."""
    return (int(runs[0, 0]), int(runs[-1].sum() - 1)) if len(runs) else (None, None)
