# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars over time, in per cent, so that a page of any width draws them without scaling its letters; and lines over time,
to be drawn.
"""

from __future__ import annotations

import math
from typing import Any

from .shapes import Marks, Series


def timeline(stages: list[dict[str, Any]], marks: Marks = ()) -> dict[str, Any] | None:
    """Stages and their steps as bars.

    :param stages: ``[{name, seconds, steps[{name, seconds, began}]}]``; ``began`` is seconds since the epoch. Where any
        step lacks it, all bars are laid end to end.
    :param marks: ``[(label, seconds since the epoch)]``, drawn only where steps have their times.
    :returns: ``{total, timed, rows[{name, level, seconds, x, width, failed}], marks[{label, x, at}]}``, or None without
        steps.
    """
    steps = [step for stage in stages for step in stage.get("steps") or []]
    if not steps:
        return None
    timed = all(step.get("began") for step in steps)
    first = min(step["began"] for step in steps) if timed else 0.0
    ends = [step["began"] + step["seconds"] for step in steps] if timed else [sum(step["seconds"] for step in steps)]
    points = [at for dummy, at in marks if at] if timed else []
    total = max(ends + points) - first or 1.0
    placed: list[dict[str, Any]] = [
        {"label": label, "x": _percent(when - first, total), "at": round(when - first, 1)}
        for label, when in marks
        if when and timed
    ]
    return {
        "total": round(total, 1),
        "timed": timed,
        "rows": _rows(stages, first if timed else None, total),
        "marks": [mark for mark in placed if 0 <= mark["x"] <= 100],
    }


def _rows(stages: list[dict[str, Any]], first: float | None, total: float) -> list[dict[str, Any]]:
    """A bar for each stage and each of its steps; end to end where ``first``, the time of the first step, is None."""
    rows, at = [], 0.0
    for stage in stages:
        of_stage = []
        for step in stage.get("steps") or []:
            begin = at if first is None else step["began"] - first
            at += step["seconds"]
            of_stage.append(_bar(step["name"], "step", begin, step["seconds"], total, step.get("failed")))
        if of_stage:
            begin = min(row["begin"] for row in of_stage)
            end = max(row["begin"] + row["seconds"] for row in of_stage)
            whole = _bar(stage["name"], "stage", begin, end - begin, total, any(row["failed"] for row in of_stage))
            rows += [whole, *of_stage]
    return rows


def _percent(part: float, total: float) -> float:
    return round(100.0 * part / total, 3)


def _bar(name: str, level: str, begin: float, seconds: float, total: float, failed: Any) -> dict[str, Any]:
    return {
        "name": name,
        "level": level,
        "begin": begin,
        "seconds": round(seconds, 2),
        "x": _percent(begin, total),
        "width": max(0.15, _percent(seconds, total)),
        "failed": bool(failed),
    }


def span_of(*several: Series) -> tuple[float, float] | None:
    """The first and the last time in series; None where there is none."""
    times = [at for series in several for values in series.values() for at, dummy in values]
    return (min(times), max(times)) if times else None


def lines(
    series: Series, marks: Marks = (), whole: bool = False, span: tuple[float, float] | None = None
) -> dict[str, Any] | None:
    """Lines over time.

    :param series: ``{name: [(seconds since the epoch, value)]}``, ascending; where a value is None nothing was to be
        seen, and the line is broken.
    :param whole: draw the highest value too, however far it stands out.
    :param span: the times of the left and the right edge; those of the series where it is not given.
    :returns: ``{top, cut, first, seconds, series[{name, peak, broken, points[(seconds since first, value)]}],
        marks[{label, at}]}``, or None without at least two points.
    """
    points = [point for values in series.values() for point in values]
    if len({at for at, dummy in points}) < 2:
        return None
    first, last = span or span_of(series) or (0.0, 0.0)
    found = sorted(value for dummy, value in points if value)
    usual, most = (found[len(found) // 2], found[-1]) if found else (1, 1)
    # What piled up meanwhile is worked off in a burst; drawn to its height, it would leave nothing to see of the rest.
    cut = not whole and most > 5 * usual
    # A little air, so that the highest line is not cut in two by the edge.
    top = (3 * usual if cut else math.ceil(1.05 * most)) or 1
    drawn = [
        {
            "name": name,
            "peak": max([value for dummy, value in values if value is not None] or [0]),
            "broken": any(value is None for dummy, value in values),
            "points": [(round(at - first, 2), value) for at, value in values],
        }
        for name, values in series.items()
    ]
    visible = [{"label": label, "at": round(at - first, 1)} for label, at in marks if at and first <= at <= last]
    return {"top": top, "cut": cut, "first": first, "seconds": round(last - first), "series": drawn, "marks": visible}
