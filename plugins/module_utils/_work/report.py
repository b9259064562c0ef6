# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``report``."""

from __future__ import annotations

import os
from typing import Any

from .._report import files
from .._report.shapes import Report
from .._report.stage import report_of
from .._report.standing import report_of as standing_report
from .._report.view import kind_of


def report(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Read, render, write what differs."""
    report, source, path = _asked(params)
    texts = files.contents(report, files.beside(report, path), source, keep=not params["src"])
    changed = files.write(params["dest"], texts, check_mode)
    return {
        "changed": bool(changed),
        "files": changed,
        "path": os.path.join(params["dest"], "report.html"),
        "kind": kind_of(report),
        "verdict": report["verdict"],
    }


def _asked(params: dict[str, Any]) -> tuple[Report, str, str]:
    """The report, what it is made from, and its path where it has one."""
    if params["src"]:
        return files.load(params["src"]), os.path.basename(params["src"]), params["src"]
    if params["watch"] is not None:
        limits = params["max_watch_age"], params["max_unproven_age"]
        return standing_report(params["watch"], params["mirror"], *limits), "the state of the watch", ""
    return report_of(params["entries"], params["stage"], params["run"], params["failed"]), "the ledger", ""
