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
    size = high - low
    if size <= 0:
        return []
    cells = min(cells, size)
    states = ["ok" if whole else "none"] * cells

    def fill(begin: int, count: int, state: str) -> None:
        first = max(0, (begin - low) * cells // size)
        last = min(cells - 1, ((begin + max(1, count) - low) * cells - 1) // size)
        for at in range(first, last + 1):
            if _RANK[state] > _RANK[states[at]]:
                states[at] = state

    key = side + "_offset"
    for run in runs:
        fill(run[key], run["count"], "ok")
    for one in differences:
        if one.get(key) is not None:
            fill(
                one[key],
                one.get("count") or 1,
                _LANE.get(one["kind"], "bad") if excused or one["kind"] not in _EXCUSED else "bad",
            )
    return _runs(states, cells)


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
            "x": round(100.0 * one["begin"] / cells, 3),
            "width": round(100.0 * (one["end"] - one["begin"]) / cells, 3),
            "tone": one["tone"],
        }
        for one in found
    ]
