# SPDX-License-Identifier: GPL-3.0-or-later
"""One side of one partition, drawn as runs of cells over its range of offsets.

The offset map of a proof's report is exact: a cell is green only if the map covers something in it and nothing in it
differs.
"""

from __future__ import annotations

from typing import Any

CELLS = 240
_RANK = {"none": 0, "ok": 1, "out": 2, "warn": 3, "bad": 4}
_LANE = {"beyond": "out", "missing_head": "warn", "lost": "warn", "duplicated": "warn"}
_EXCUSED = ("missing_head",)


def lane(
    span: list[int] | None,
    runs: list[dict[str, int]],
    differences: list[dict[str, Any]],
    side: str,
    whole: bool = False,
    excused: bool = False,
    cells: int = CELLS,
) -> list[dict[str, Any]]:
    """One side of a partition as runs of equal cells.

    :param span: ``[low, high)``.
    :param runs: the offset map.
    :param differences: runs of differences.
    :param whole: whether all of the range counts as proven.
    :param excused: whether a missing head or tail is none that counts.
    :returns: ``[{x, width, tone}]`` in per cent; ``tone`` is ok, warn, bad or out (of the bounds). Cells of which
        nothing is known (markers of transactions) are left out.
    """
    low, high = span or (0, 0)
    if high <= low:
        return []
    states = _Cells(low, high - low, min(cells, high - low), "ok" if whole else "none")
    key = side + "_offset"
    for run in runs:
        states.fill(run[key], run["count"], "ok")
    for difference in differences:
        if difference.get(key) is not None:
            kind = difference["kind"]
            state = _LANE.get(kind, "bad") if excused or kind not in _EXCUSED else "bad"
            states.fill(difference[key], difference.get("count") or 1, state)
    return _runs(states.states, len(states.states))


class _Cells:
    """Equal cells over a range of offsets; each keeps the worst state that it was filled with."""

    def __init__(self, low: int, size: int, cells: int, state: str) -> None:
        self.low = low
        self.size = size
        self.states = [state] * cells

    def fill(self, begin: int, count: int, state: str) -> None:
        cells = len(self.states)
        first = max(0, (begin - self.low) * cells // self.size)
        last = min(cells - 1, ((begin + max(1, count) - self.low) * cells - 1) // self.size)
        for at in range(first, last + 1):
            if _RANK[state] > _RANK[self.states[at]]:
                self.states[at] = state


def _runs(states: list[str], cells: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for at, state in enumerate(states):
        if state == "none":
            continue
        if found and found[-1]["tone"] == state and found[-1]["end"] == at:
            found[-1]["end"] = at + 1
        else:
            found.append({"begin": at, "end": at + 1, "tone": state})
    return [
        {
            "x": round(100.0 * run["begin"] / cells, 3),
            "width": round(100.0 * (run["end"] - run["begin"]) / cells, 3),
            "tone": run["tone"],
        }
        for run in found
    ]
