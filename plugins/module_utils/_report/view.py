# SPDX-License-Identifier: GPL-3.0-or-later
"""What a page shows, of any of the reports: verdict first, then figures, time, proofs, checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._errors import UsageError
from . import proof as proofs
from .proof import missing, number
from .shapes import Proven, Report
from .view_drill import drill_page
from .view_parts import base, duration, figure
from .view_stage import stage_page
from .view_watch import watch_page


def kind_of(report: Any) -> str:
    """Which report this is: ``drill``, ``stage``, ``watch`` or ``proof``.

    :raises UsageError: none of them.
    """
    if isinstance(report, dict):
        if "scenario" in report and "checks" in report:
            return "drill"
        if "stage" in report and "steps" in report and "run" in report:
            return "stage"
        if "watch" in report and "troubles" in report:
            return "watch"
        if "verdict" in report and "totals" in report and "topics" in report:
            return "proof"
    raise UsageError(
        "This is no report",
        expected="the report.json of a drill or a proof, or a stage as the ledger tells it",
        found=f"keys {', '.join(sorted(report)[:12])}" if isinstance(report, dict) else type(report).__name__,
    )


def view(report: Report, proven: Proven = ()) -> dict[str, Any]:
    """The page's content.

    :param report: the report, without secrets.
    :param proven: ``[(stage, report of a proof)]``, to be shown in full.
    """
    return PAGES[kind_of(report)](report, list(proven))


def _proof(report: Report, proven: list[tuple[str, Report]]) -> dict[str, Any]:
    proof_view = proofs.view(report)
    word = proof_view["verdict"].replace("_", " ")
    page = base("proof", report, proof_view["tone"], word, proof_view["sentence"])
    page["title"] = f"Proof: {report.get('target') or 'target'} against {report.get('source') or 'source'}"
    totals = proof_view["totals"]
    page["meta"] = [
        ("Began", proof_view["began"]),
        ("Lasted", duration(proof_view["seconds"]) if proof_view["seconds"] is not None else ""),
        ("Topics", proof_view["options"].get("topics", "")),
        ("Names", proof_view["options"].get("rename", "")),
        ("Bytes read", number(totals.get("bytes_read", 0))),
    ]
    page["figures"] = [
        figure("Records in the source", number(totals.get("records_source", 0))),
        figure("Records in the target", number(totals.get("records_target", 0))),
        figure("Missing", *missing(totals, proof_view["tone"])),
    ]
    page["reasons"] = proof_view["reasons"]
    proof_view["reasons"] = []
    proof_view["sentence"] = ""
    page["proofs"] = [proof_view]
    page["command"] = page["command"] or proof_view["command"]
    engine = proof_view["engine"]
    page["versions"] = {
        key: value
        for key, value in (
            ("engine", engine.get("name")),
            ("version", engine.get("version")),
            ("master", engine.get("master")),
            ("python", engine.get("python")),
        )
        if value
    }
    return page


PAGES: dict[str, Callable[[Report, list[tuple[str, Report]]], dict[str, Any]]] = {
    "drill": drill_page,
    "stage": stage_page,
    "watch": watch_page,
    "proof": _proof,
}
