# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a stage, as the ledger tells it."""

from __future__ import annotations

from typing import Any

from .._values.listing import named
from . import proof as proofs
from .proof import moment, number
from .shapes import Report
from .timeline import timeline
from .view_parts import bare_proof, base, duration, figure

# Verdicts of the entry that ends a stage which no page calls good.
RIGHT, WRONG, UNKNOWN = ("PROVEN", "DUPLICATES"), ("DIFFERENT", "LOSS"), "NOT_PROVABLE"


def stage_page(report: Report, proven: list[tuple[str, Report]]) -> dict[str, Any]:
    """The content of the page, with the proofs that are at hand."""
    tone, word, sentence = _verdict(report)
    page = base("stage", report, tone, word, sentence)
    active = report.get("active")
    page["title"] = f"Stage: {', '.join(filter(None, (report['stage'], report['about'])))}"
    page["meta"] = [
        ("Began", report["began"]),
        ("Ended", report["ended"]),
        (
            "Run",
            report["run"] + (", went on from " + ", ".join(report["runs"][:-1]) if len(report["runs"]) > 1 else ""),
        ),
        ("By", report["by"]),
        ("Active region", f"{active['region']}, epoch {active['epoch']}" if active else ""),
        ("Kind", "planned" if report["planned"] else "unplanned" if report["stage"] == "failover" else ""),
    ]
    page["held"] = [{"stage": report["stage"], "held": report["gates"]}] if report.get("gates") else []
    page["figures"] = [
        figure(
            "Lasted",
            duration(report["seconds"]) if report["seconds"] is not None else "unknown",
            "by the ledger's times, in whole seconds",
        )
    ]
    _add_losses(page, report)
    page["steps"] = report["steps"]
    bars = [
        {"name": step["name"].replace("_", " "), "seconds": step["seconds"], "began": step["began"]}
        for step in report["steps"]
    ]
    page["timeline"] = timeline([{"name": report["stage"], "steps": bars}])
    page["proofs"] = [proofs.view(proof, stage) for stage, proof in proven] or [
        bare_proof(proof) for proof in report["proofs"]
    ]
    return page


def _verdict(report: Report) -> tuple[str, str, str]:
    """Tone, word and sentence."""
    tone = {"done": "good", "refused": "bad", "never_began": "bad"}.get(report["verdict"], "warn")
    states = _shown(report)
    lacking = report.get("left_behind") or []
    wrong = "different" in states or lacking or report.get("copy") in WRONG
    before = report.get("ended_before")
    last_run = (
        f"The last run that the ledger knows ended {before}." if before else "The ledger knows no run of it that ended."
    )
    never = "The stage was asked for and failed before it began: nothing was changed. Its job says why. " + last_run
    sentence = {"done": "The stage ended.", "refused": "The stage was refused.", "never_began": never}.get(
        report["verdict"],
        "The stage was begun and has not ended: it is at work, or was cut off. Run it again, and it goes on.",
    )
    if report["failed"] and report["verdict"] != "never_began":
        sentence += (
            f" This is the last run in the ledger, begun by {report['by'] or 'somebody unnamed'} at "
            f"{_last_begin(report)}. If the job that failed started later, it failed before its stage began and "
            "changed nothing: that job says why."
        )
    if "different" in states:
        tone, sentence = "bad", sentence + " A proof shows a difference."
    elif "not_provable" in states:
        tone = "warn" if tone == "good" else tone
        sentence += " A proof could not tell whether the copy is complete."
    elif states:
        sentence += " The last proof of each copy shows that it was complete."
    if lacking:
        sentence += f" A person accepted to move without all that the source had: {named(lacking, separator='; ')}."
    elif report.get("copy") in (*WRONG, UNKNOWN) and not states & {"different", "not_provable"}:
        sentence += f" The move ended with the verdict {report['copy']}."
    tone = "bad" if wrong else "warn" if report.get("copy") == UNKNOWN and tone == "good" else tone
    word = {"done": "DONE", "refused": "REFUSED", "never_began": "NEVER BEGAN"}.get(report["verdict"], "UNFINISHED")
    return tone, "DIFFERENT" if wrong and word == "DONE" else word, sentence


def _shown(report: Report) -> set[str]:
    """What the last proof of each copy showed."""
    return {proof["state"] for proof in report["proofs"] if proof.get("latest", True)}


def _last_begin(report: Report) -> str:
    """When the last of the runs began; the ones before it are what it went on from."""
    begun = [step["at"] for step in report["steps"] if step["name"] == "begun"]
    return str(begun[-1] if begun else report["began"])


def _add_losses(page: dict[str, Any], report: Report) -> None:
    """What was lost, and what is processed again."""
    lost = report["lost"] or {}
    states = _shown(report)
    # A run that catches up has no proof, and repeats how the move ended.
    shown = states == {"proven"} if states else report.get("copy") in RIGHT
    proven = report["planned"] and shown and not report.get("left_behind")
    if "total" in lost and lost["total"] is None and not proven:
        page["figures"].append(figure("RPO", "unknown", "nobody can say how much the target lacks"))
    elif lost.get("total") is not None:
        seen = moment(report["witnessed_at"]) if isinstance(report.get("witnessed_at"), (int, float)) else ""
        page["figures"].append(
            figure(
                "RPO",
                f"{number(lost['total'])} offsets",
                "witnessed in the source, not copied" + (f"; last seen {seen}" if seen else ""),
            )
        )
        page["topics"] = [
            {"topic": topic, "lost": count, "reprocessed": None, "duplicates": None}
            for topic, count in sorted((lost.get("topics") or {}).items())
        ]
    again = (report["positions"] or {}).get("reprocess_at_most")
    if again is not None:
        page["figures"].append(
            figure(
                "Re-processed",
                f"at most {number(again)}",
                "for want of exact positions; beside what ran after the last witness",
            )
        )
