# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages of all reports begin from."""

from __future__ import annotations

from typing import Any

from . import proof as proofs
from .proof import moment
from .shapes import Report


def figure(label: str, value: str, note: str = "", tone: str = "") -> dict[str, str]:
    """One of the figures at the top of a page."""
    return {"label": label, "value": value, "note": note, "tone": tone}


def duration(seconds: float | None) -> str:
    """Seconds as a person says them."""
    if seconds is None:
        return "not reached"
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return "%d min %02d s" % divmod(round(seconds), 60)
    return "%d h %02d min" % divmod(round(seconds / 60), 60)


def base(kind: str, report: Report, tone: str, word: str, sentence: str) -> dict[str, Any]:
    """A page with nothing on it yet but the verdict, and what every report has."""
    return {
        "kind": kind,
        "tone": tone,
        "word": word,
        "sentence": sentence,
        "figures": [],
        "meta": [],
        "timeline": None,
        "flow": None,
        "lag": None,
        "refusals_wanted": False,
        "topics": [],
        "checks": [],
        "proofs": [],
        "steps": [],
        "standing": None,
        "reasons": report.get("reasons") or [],
        "overrides": report.get("overrides") or [],
        "positions": _positions(report.get("positions") or {}),
        "versions": {key: value for key, value in (report.get("versions") or {}).items() if value},
        "command": report.get("command") or "",
        "gates": kind in ("drill", "stage"),
        "held": [],
    }


def _positions(noted: dict[str, Any]) -> list[tuple[str, Any]]:
    """Of what a stage noted about the groups' positions, what a person asks for."""
    at = noted.get("positions_at")
    lines = [
        ("groups", noted.get("groups")),
        ("partitions committed", noted.get("to_commit")),
        ("the source was", noted.get("source")),
        ("last seen in the source", moment(at) if isinstance(at, (int, float)) else None),
        ("repeated for want of exactness", noted.get("reprocess_at_most")),
        ("repeated at most, if processed unseen", noted.get("unseen_at_most")),
    ]
    how = [
        (name.replace("_", " "), f"{count} partitions")
        for name, count in (noted.get("confidence") or {}).items()
        if count
    ]
    return [(label, value) for label, value in lines if value is not None] + how if noted else []


def bare_proof(entry: dict[str, Any]) -> dict[str, Any]:
    """A proof of which only the ledger's line is known."""
    report = dict(entry, topics=[], options={})
    proof_view = proofs.view(report, entry.get("stage", ""))
    proof_view["sentence"] = (
        proof_view["sentence"].replace("ranges below", "ranges of the whole report") if entry.get("totals") else ""
    )
    proof_view["where"] = entry.get("report", "")
    return proof_view
