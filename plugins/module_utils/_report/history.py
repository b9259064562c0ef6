# SPDX-License-Identifier: GPL-3.0-or-later
"""Past drills on one page: RTO and RPO over time, each drill with its verdict."""

from __future__ import annotations

import os
from typing import Any

from .._errors import FormatError, UsageError
from .._values.redact import redact
from .files import load
from .page import environment
from .proof import moment
from .shapes import Report
from .style import CSS
from .template_history import PAGE
from .view import kind_of
from .view_parts import duration


def collect(directory: str) -> tuple[list[tuple[str, Report]], list[tuple[str, str]]]:
    """Every drill's report below a directory, oldest first, each drill once.

    :returns: ``[(path, report)]`` and ``[(path, why it was left out)]``; what is a report of another kind is left out
        silently.
    """
    found: dict[tuple[Any, str], tuple[Any, str, Report]] = {}
    refused: list[tuple[str, str]] = []
    for folder, folders, names in os.walk(directory):
        # A spoiled drill turns red on purpose, a proof's report is none of a drill.
        folders[:] = sorted(folder for folder in folders if folder not in ("proofs", "logs"))
        if "report.json" not in names:
            continue
        path = os.path.join(folder, "report.json")
        try:
            report = load(path)
            if kind_of(report) != "drill":
                continue
        except (UsageError, FormatError) as error:
            refused.append((path, str(error)))
            continue
        when = report.get("began") or os.path.getmtime(path)
        # The newest report stands in the directory and among the kept ones.
        found.setdefault((when if report.get("began") else path, report["scenario"]), (when, path, report))
    return [
        (path, dict(report, began=when)) for when, path, report in sorted(found.values(), key=lambda drill: drill[:2])
    ], refused


def rows(drills: list[tuple[str, Report]], page_directory: str) -> list[dict[str, Any]]:
    """What the table shows, newest first."""
    table = []
    for path, report in drills:
        rpo, page = report.get("rpo") or {}, os.path.join(os.path.dirname(path), "report.html")
        failed = [check["name"] for check in report["checks"] if not check["passed"]]
        table.append(
            {
                "began": report["began"],
                "at": moment(report["began"]),
                "scenario": report["scenario"],
                "platform": report.get("platform", ""),
                "sabotage": report.get("sabotage") or "",
                "passed": report.get("verdict") == "passed",
                "failed": failed,
                "rto": report.get("rto_seconds"),
                "rpo": rpo.get("records"),
                "rto_text": duration(report["rto_seconds"]) if report.get("rto_seconds") is not None else "–",
                "rpo_seconds": rpo.get("seconds"),
                "reprocessed": sum((report.get("reprocessed") or {}).values()) if report.get("reprocessed") else None,
                "kafka": (report.get("versions") or {}).get("kafka", ""),
                "link": os.path.relpath(page, page_directory).replace(os.sep, "/") if os.path.isfile(page) else "",
            }
        )
    return list(reversed(table))


def charts(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """RTO and RPO of each scenario: ``[{scenario, name, unit, top, count, dots[{at, value, passed}], without[at]}]``;
    ``at`` counts drills from 1.
    """
    drawn = []
    for scenario in sorted({row["scenario"] for row in table}):
        of_scenario = [row for row in reversed(table) if row["scenario"] == scenario]
        for name, unit, key in (("RTO", "s", "rto"), ("RPO", "records", "rpo")):
            values = [row[key] for row in of_scenario if row[key] is not None]
            if len(values) < 2:
                continue
            dots = [
                {"at": at, "value": row[key], "passed": row["passed"]}
                for at, row in enumerate(of_scenario, 1)
                if row[key] is not None
            ]
            drawn.append(
                {
                    "scenario": scenario,
                    "name": name,
                    "unit": unit,
                    "top": max(values),
                    "count": len(of_scenario),
                    # A hundredth of a second says nothing about a drill.
                    "last": round(values[-1], 1),
                    "failed": any(not dot["passed"] for dot in dots),
                    "dots": dots,
                    "without": [at for at, row in enumerate(of_scenario, 1) if row[key] is None],
                    "first": of_scenario[0]["at"],
                    "end": of_scenario[-1]["at"],
                }
            )
    return drawn


def page(directory: str, target: str) -> tuple[str, list[dict[str, Any]]]:
    """The page over all drills below a directory.

    :param target: the page's own path; links lead from there.
    :returns: HTML, and the :func:`rows` of its table.
    :raises UsageError: there are none.
    """
    drills, refused = collect(directory)
    if not drills:
        raise UsageError(
            "There is no drill to tell of",
            expected=f"report.json below {directory}",
            found="; ".join(f"{path}: {why}" for path, why in refused[:3]) or "none",
            remedy="Run a drill first, or name another directory",
        )
    table = redact(rows(drills, os.path.dirname(os.path.abspath(target))))
    # A drill that was spoiled on purpose has to turn red; it tells nothing of how drills go.
    meant = [row for row in table if not row["sabotage"]] or table
    passed = sum(1 for row in meant if row["passed"])
    text = (
        environment()
        .from_string(PAGE)
        .render(
            rows=table,
            last=meant[0],
            meant=len(meant),
            charts=charts(meant),
            refused=redact(refused),
            passed=passed,
            css=CSS,
            title=f"Drills: {passed} of {len(meant)} passed",
        )
    )
    return text, table
