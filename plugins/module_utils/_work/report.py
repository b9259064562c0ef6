# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``report``."""

from __future__ import annotations

import os
from typing import Any

from .._report import files
from .._report.stage import report_of
from .._report.view import kind_of


def report(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Read, render, write what differs."""
    if params["src"]:
        report, source, path = files.load(params["src"]), os.path.basename(params["src"]), params["src"]
    else:
        report, source, path = (
            report_of(params["entries"], params["stage"], params["run"], params["failed"]),
            "the ledger",
            "",
        )
    texts = files.contents(report, files.beside(report, path), source, keep=not params["src"])
    changed = files.write(params["dest"], texts, check_mode)
    return {
        "changed": bool(changed),
        "files": changed,
        "path": os.path.join(params["dest"], "report.html"),
        "kind": kind_of(report),
        "verdict": report["verdict"],
    }
