# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts as inline SVG, drawn by matplotlib. Their colours are the page's own variables, so that they follow light,
dark and print.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

try:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator
except ImportError:
    matplotlib = None  # type: ignore[assignment]

from .proof import number
from .style import LIGHT, LINES, MARKS, THICK, THIN

# Width and height in points. On a phone the wide one would be drawn at a third of its size, letters and all.
SHAPES = {"wide": (900, 210), "narrow": (330, 190)}
MISSING = '<p class="small">No chart: it needs the Python library matplotlib on the machine that makes the page.</p>'
# Names of XML's own that HTML has no use for, and what would reach beyond the picture.
NOT_IN_HTML = re.compile(r' xmlns(:\w+)?="[^"]*"|<metadata>.*?</metadata>|<style .*?</style>|<!--.*?-->', re.DOTALL)


def over_time(drawn: dict[str, Any]) -> str:
    """Lines over the seconds of a drill.

    :param drawn: as :func:`.timeline.lines` gives it.
    :returns: HTML without a word that comes from a report.
    """

    def paint(axes: Axes) -> None:
        for at, series in enumerate(drawn["series"]):
            values = [math.nan if value is None else value for dummy, value in series["points"]]
            colour, dashes = LINES[at % len(LINES)]
            axes.plot(
                [seconds for seconds, dummy in series["points"]],
                values,
                color=LIGHT[colour],
                linestyle=(0, dashes),
                linewidth=THICK,
            )
        for at, mark in enumerate(drawn["marks"]):
            axes.axvline(mark["at"], color=LIGHT[MARKS[at % len(MARKS)]], linewidth=THIN)
        axes.set_xlim(0, drawn["seconds"])
        axes.set_ylim(0, drawn["top"])
        axes.set_xlabel("seconds")

    return _pictures(paint)


def over_drills(chart: dict[str, Any]) -> str:
    """A figure of each drill, in their order.

    :param chart: as :func:`.history.charts` gives it.
    :returns: HTML without a word that comes from a report.
    """

    def paint(axes: Axes) -> None:
        axes.plot(
            [dot["at"] for dot in chart["dots"]],
            [dot["value"] for dot in chart["dots"]],
            color=LIGHT["accent"],
            linewidth=THICK,
        )
        for passed, colour, shape in ((True, "accent", "o"), (False, "bad", "D")):
            dots = [dot for dot in chart["dots"] if dot["passed"] == passed]
            axes.plot(
                [dot["at"] for dot in dots], [dot["value"] for dot in dots], shape, color=LIGHT[colour], markersize=6
            )
        for at in chart["without"]:
            axes.axvline(at, ymax=0.12, color=LIGHT["bad"], linewidth=THIN)
        axes.set_ylim(0, 1.08 * chart["top"] or 1)
        axes.set_xlim(0.5, chart["count"] + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("drill")

    return _pictures(paint)


def _pictures(paint: Callable[[Axes], None]) -> str:
    if matplotlib is None:
        return MISSING
    return "".join(
        f'<div class="plot {name}" aria-hidden="true">{_picture(paint, *size)}</div>' for name, size in SHAPES.items()
    )


def _picture(paint: Callable[[Axes], None], width: int, height: int) -> str:
    # Text stays text, in the reader's own letters.
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "kafka-dr", "font.family": "sans-serif", "font.size": 11}
    ):
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        axes = figure.subplots()
        paint(axes)
        axes.grid(axis="y", color=LIGHT["line"], linewidth=1)
        axes.tick_params(colors=LIGHT["muted"], length=0)
        axes.xaxis.label.set_color(LIGHT["muted"])
        axes.yaxis.set_major_locator(MaxNLocator(4, min_n_ticks=2))
        axes.yaxis.set_major_formatter(
            FuncFormatter(lambda value, dummy: number(int(value)) if value == int(value) else f"{value:g}")
        )
        for name, side in axes.spines.items():
            side.set_visible(name == "bottom")
            side.set_color(LIGHT["line"])
        text = io.StringIO()
        figure.savefig(
            text, format="svg", transparent=True, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
        )
    drawn = NOT_IN_HTML.sub("", text.getvalue()[text.getvalue().index("<svg") :])
    for name, colour in LIGHT.items():
        drawn = drawn.replace(colour, f"var(--{name})")
    return drawn
