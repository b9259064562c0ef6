# SPDX-License-Identifier: GPL-3.0-or-later
"""From a report to its page."""

from __future__ import annotations

import json

from .shapes import Proven, Report

try:
    import jinja2
except ImportError:
    jinja2 = None  # type: ignore[assignment]

from .._errors import KafkaDrError
from .._values.redact import redact
from . import plot
from .proof import number
from .style import CSS
from .template import PAGE
from .view import view


def environment() -> jinja2.Environment:
    """Jinja with everything escaped and nothing undefined.

    :raises KafkaDrError: Jinja2 is missing.
    """
    if jinja2 is None:
        raise KafkaDrError(
            "A page needs the Python library Jinja2, which ansible-core brings", remedy="pip install jinja2"
        )
    templates = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters["number"] = lambda value: value if isinstance(value, bool) else number(value)
    templates.globals.update(over_time=plot.over_time, over_drills=plot.over_drills)
    templates.filters["pretty"] = lambda value: json.dumps(value, indent=1, sort_keys=True)
    return templates


def render(report: Report, proven: Proven = (), made_from: str = "report.json") -> str:
    """The page of one report.

    :param report: of a drill, a stage or a proof; its secrets, had it any, are hidden first.
    :param proven: ``[(stage, report of a proof)]``, shown in full.
    :returns: HTML.
    :raises UsageError: it is no report.
    """
    page_view = view(redact(report), [(stage, redact(proof)) for stage, proof in proven])
    return (
        environment()
        .from_string(PAGE)
        .render(view=page_view, title=f"{page_view['title']}: {page_view['word']}", css=CSS, made_from=made_from)
    )
