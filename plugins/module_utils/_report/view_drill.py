# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a drill."""

from __future__ import annotations

from typing import Any

from . import proof as proofs
from .proof import moment, number
from .shapes import Report
from .timeline import lines, span_of, timeline
from .view_parts import bare_proof, base, duration, figure

RTO_FROM = dict.fromkeys(("switchover", "roundtrip"), "the start of the move")


def drill_page(report: Report, proven: list[tuple[str, Report]]) -> dict[str, Any]:
    """The content of the page, with the proofs that are at hand."""
    passed = report.get("verdict") == "passed"
    page = base("drill", report, "good" if passed else "bad", "PASSED" if passed else "FAILED", _verdict(report))
    page["title"] = f"Drill: {report['scenario']}"
    # A stage that fails fails the drill, unless the drill is there to see it refuse.
    page["refusals_wanted"] = passed
    page["meta"] = [
        ("Platform", report.get("platform", "")),
        ("Began", moment(report["began"]) if report.get("began") else ""),
        ("Lasted", duration(report["seconds"]) if report.get("seconds") else ""),
        ("Records acknowledged", number(report["acknowledged"]) if report.get("acknowledged") else ""),
        ("Records processed", number(report["processed"]) if report.get("processed") else ""),
    ]
    page["held"] = [gate for gate in report.get("gates") or [] if gate["held"]]
    page["figures"] = _drill_figures(report)
    page["topics"] = _topics(report)
    _draw(page, report)
    page["checks"] = report["checks"]
    page["proofs"] = [proofs.view(proof, stage) for stage, proof in proven]
    if not proven:
        page["proofs"] = [bare_proof(proof) for proof in report.get("proofs") or []]
    return page


def _verdict(report: Report) -> str:
    checks = report["checks"]
    failed = [check["name"] for check in checks if not check["passed"]]
    if report.get("verdict") == "passed" and checks:
        return f"All {len(checks)} checks held."
    if failed:
        return f"{len(failed)} of {len(checks)} checks did not hold: {', '.join(failed)}."
    return "No check was made."


def _topics(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "topic": topic,
            "lost": report["lost"].get(topic, 0),
            "reprocessed": (report.get("reprocessed") or {}).get(topic, 0),
            "duplicates": (report.get("duplicates_on_topic") or {}).get(topic, 0),
        }
        for topic in report.get("lost") or {}
    ]


def _draw(page: dict[str, Any], report: Report) -> None:
    """Add what is drawn over time: the timeline of the stages, the flow of records, the lag."""
    lost_at, rto = report.get("lost_at"), report.get("rto_seconds")
    marks = [
        ("move begins" if report["scenario"] in ("switchover", "roundtrip") else "region lost", lost_at),
        ("work goes on", lost_at + rto if lost_at and rto is not None else None),
    ]
    page["timeline"] = timeline(report.get("stages") or [], marks)
    flow, lag = report.get("flow") or {}, (report.get("mirrors") or {}).get("lag") or {}
    rates = (
        {"acknowledged": flow["acknowledged"], "processed": flow.get("processed") or [], **_copied(report)}
        if flow.get("acknowledged")
        else {}
    )
    # Both over the same time, so that one stands under the other and the loss is in one place.
    span = span_of(rates, lag)
    page["flow"], page["lag"] = lines(rates, marks, span=span), lines(lag, marks, whole=True, span=span)


def _copied(report: Report) -> dict[str, list[tuple[float, float]]]:
    """What the mirrors copied a second, all of them together; nothing where it was not looked at."""
    flows = ((report.get("mirrors") or {}).get("copied") or {}).values()
    seconds: dict[float, float] = {}
    for flow in flows:
        for at, count in flow:
            seconds[at] = seconds.get(at, 0) + count
    return {"copied by mirrors": sorted(seconds.items())} if seconds else {}


def _parts(report: Report) -> str:
    """What the RTO consists of, where it was divided."""
    parts = (report.get("rto_parts") or {}).items()
    return ": " + ", ".join(f"{name.replace('_', ' ')} {duration(seconds)}" for name, seconds in parts) if parts else ""


def _drill_figures(report: Report) -> list[dict[str, str]]:
    rpo, again = report.get("rpo") or {}, report.get("reprocessed") or {}
    begin = RTO_FROM.get(report["scenario"], "the loss")
    reached = report.get("rto_seconds") is not None
    figures = [
        figure(
            "RTO",
            duration(report.get("rto_seconds")) if reached else "not measured",
            f"from {begin} to the first new record processed{_parts(report)}"
            if reached
            else "applications were not seen at work again",
            "" if reached else "bad",
        )
    ]
    if rpo.get("records") is None:
        figures.append(figure("RPO", "not measured", "the drill did not come that far", "bad"))
    else:
        note = f"lost of {number(report.get('acknowledged', 0))} acknowledged"
        if rpo["records"]:
            note += f"; the oldest {duration(rpo['seconds'])} before the loss"
        figures.append(figure("RPO", f"{number(rpo['records'])} records", note))
    if again:
        twice = sum((report.get("duplicates_on_topic") or {}).values())
        figures.append(
            figure(
                "Re-processed",
                f"{number(sum(again.values()))} records",
                f"of {number(report.get('processed', 0))}; duplicates on the topics: {number(twice)}",
                "bad" if twice else "",
            )
        )
    return figures
