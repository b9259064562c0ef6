# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What a page shows, of any of the three reports: verdict first, then figures, time, proofs, checks."""

from __future__ import annotations

from .._errors import UsageError
from . import proof as proofs
from .proof import missing, moment, number
from .timeline import lines, span_of, timeline

RTO_FROM = {"switchover": "the begin of the move"}


def kind_of(report):
    """Which report this is: ``drill``, ``stage`` or ``proof``.

    :raises UsageError: none of them.
    """
    if isinstance(report, dict):
        if "scenario" in report and "checks" in report:
            return "drill"
        if "stage" in report and "steps" in report and "run" in report:
            return "stage"
        if "verdict" in report and "totals" in report and "topics" in report:
            return "proof"
    raise UsageError(
        "This is no report",
        expected="the report.json of a drill or a proof, or a stage as the ledger tells it",
        found="keys %s" % ", ".join(sorted(report)[:12]) if isinstance(report, dict) else type(report).__name__,
    )


def view(report, proven=()):
    """The page's content.

    :param report: the report, without secrets.
    :param proven: ``[(stage, report of a proof)]``, to be shown in full.
    """
    return {"drill": _drill, "stage": _stage, "proof": _proof}[kind_of(report)](report, list(proven))


def _figure(label, value, note="", tone=""):
    return {"label": label, "value": value, "note": note, "tone": tone}


def duration(seconds):
    """Seconds as a person says them."""
    if seconds is None:
        return "not reached"
    if seconds < 120:
        return "%.1f s" % seconds
    if seconds < 7200:
        return "%d min %02d s" % divmod(round(seconds), 60)
    return "%d h %02d min" % divmod(round(seconds / 60), 60)


def _base(kind, report, tone, word, sentence):
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
        "reasons": report.get("reasons") or [],
        "overrides": report.get("overrides") or [],
        "positions": _positions(report.get("positions") or {}),
        "versions": {key: value for key, value in (report.get("versions") or {}).items() if value},
        "command": report.get("command") or "",
        "gates": kind != "proof",
        "held": [],
    }


def _positions(told):
    """Of what a stage noted about the groups' positions, what a person asks for."""
    at = told.get("positions_at")
    lines = [
        ("groups", told.get("groups")),
        ("partitions committed", told.get("to_commit")),
        ("the source was", told.get("source")),
        ("last seen in the source", moment(at) if isinstance(at, (int, float)) else None),
        ("repeated for want of exactness", told.get("reprocess_at_most")),
        ("repeated at most, if processed unseen", told.get("unseen_at_most")),
    ]
    how = [(name.replace("_", " "), "%d partitions" % count) for name, count in (told.get("confidence") or {}).items() if count]
    return [(label, value) for label, value in lines if value is not None] + how if told else []


def _drill(report, proven):
    checks = report["checks"]
    failed = [one for one in checks if not one["passed"]]
    passed = report.get("verdict") == "passed"
    said = (
        "All %d checks held." % len(checks)
        if passed and checks
        else "%d of %d checks did not hold: %s." % (len(failed), len(checks), ", ".join(one["name"] for one in failed))
        if failed
        else "No check was made."
    )
    page = _base("drill", report, "good" if passed else "bad", "PASSED" if passed else "FAILED", said)
    page["title"] = "Drill: %s" % report["scenario"]
    # A stage that fails fails the drill, unless the drill is there to see it refuse.
    page["refusals_wanted"] = passed
    page["meta"] = [
        ("Platform", report.get("platform", "")),
        ("Began", moment(report["began"]) if report.get("began") else ""),
        ("Lasted", duration(report["seconds"]) if report.get("seconds") else ""),
        ("Records acknowledged", number(report["acknowledged"]) if report.get("acknowledged") else ""),
        ("Records processed", number(report["processed"]) if report.get("processed") else ""),
    ]
    page["held"] = [one for one in report.get("gates") or [] if one["held"]]
    page["figures"] = _drill_figures(report)
    page["topics"] = [
        {
            "topic": topic,
            "lost": report["lost"].get(topic, 0),
            "reprocessed": (report.get("reprocessed") or {}).get(topic, 0),
            "duplicates": (report.get("duplicates_on_topic") or {}).get(topic, 0),
        }
        for topic in report.get("lost") or {}
    ]
    lost_at, rto = report.get("lost_at"), report.get("rto_seconds")
    marks = [
        ("move begins" if report["scenario"] == "switchover" else "region lost", lost_at),
        ("work goes on", lost_at + rto if lost_at and rto is not None else None),
    ]
    page["timeline"] = timeline(report.get("stages") or [], marks)
    flow, lag = report.get("flow") or {}, (report.get("mirrors") or {}).get("lag") or {}
    rates = {"acknowledged": flow["acknowledged"], "processed": flow.get("processed") or [], **_copied(report)} if flow.get("acknowledged") else {}
    # Both over the same time, so that one stands under the other and the loss is in one place.
    span = span_of(rates, lag)
    page["flow"], page["lag"] = lines(rates, marks, span=span), lines(lag, marks, whole=True, span=span)
    page["checks"] = checks
    shown = {id(one): stage for stage, one in proven}
    page["proofs"] = [proofs.view(one, stage) for stage, one in proven]
    if not shown:
        page["proofs"] = [_bare(one) for one in report.get("proofs") or []]
    return page


def _copied(report):
    """What the mirrors copied a second, all of them together; nothing where it was not looked at."""
    flows = ((report.get("mirrors") or {}).get("copied") or {}).values()
    seconds = {}
    for one in flows:
        for at, count in one:
            seconds[at] = seconds.get(at, 0) + count
    return {"copied by mirrors": sorted(seconds.items())} if seconds else {}


def _drill_figures(report):
    rpo, again = report.get("rpo") or {}, report.get("reprocessed") or {}
    begin = RTO_FROM.get(report["scenario"], "the loss")
    reached = report.get("rto_seconds") is not None
    figures = [
        _figure(
            "RTO",
            duration(report.get("rto_seconds")) if reached else "not measured",
            "from %s to the first new record processed" % begin if reached else "applications were not seen at work again",
            "" if reached else "bad",
        )
    ]
    if rpo.get("records") is None:
        figures.append(_figure("RPO", "not measured", "the drill did not come that far", "bad"))
    else:
        note = "lost of %s acknowledged" % number(report.get("acknowledged", 0))
        if rpo["records"]:
            note += "; the oldest %s before the loss" % duration(rpo["seconds"])
        figures.append(_figure("RPO", "%s records" % number(rpo["records"]), note))
    if again:
        twice = sum((report.get("duplicates_on_topic") or {}).values())
        figures.append(
            _figure(
                "Re-processed",
                "%s records" % number(sum(again.values())),
                "of %s; duplicates on the topics: %s" % (number(report.get("processed", 0)), number(twice)),
                "bad" if twice else "",
            )
        )
    return figures


def _bare(one):
    """A proof of which only the ledger's line is known."""
    report = dict(one, topics=[], options={})
    made = proofs.view(report, one.get("stage", ""))
    made["sentence"] = made["sentence"].replace("ranges below", "ranges of the whole report") if one.get("totals") else ""
    made["where"] = one.get("report", "")
    return made


def _stage(report, proven):
    tone = {"done": "good", "refused": "bad", "never_began": "bad"}.get(report["verdict"], "warn")
    different = [one for one in report["proofs"] if one.get("state") == "different"]
    untold = [one for one in report["proofs"] if one.get("state") == "not_provable"]
    before = report.get("ended_before")
    told = "The last run that the ledger knows ended %s." % before if before else "The ledger knows no run of it that ended."
    never = "The stage was asked for and failed before it began: nothing was changed. Its job says why. " + told
    said = {"done": "The stage ended.", "refused": "The stage was refused.", "never_began": never}.get(
        report["verdict"], "The stage was begun and has not ended: it is at work, or was cut off. Run it again, and it goes on."
    )
    if different:
        tone, said = "bad", said + " A proof shows a difference."
    elif untold:
        tone, said = "warn" if tone == "good" else tone, said + " A proof could not tell whether the copy is complete."
    elif report["proofs"]:
        said += " Every proof it asked for shows a complete copy."
    word = {"done": "DONE", "refused": "REFUSED", "never_began": "NEVER BEGAN"}.get(report["verdict"], "UNFINISHED")
    page = _base("stage", report, tone, "DIFFERENT" if different and word == "DONE" else word, said)
    page["title"] = "Stage: %s" % ", ".join(filter(None, (report["stage"], report["about"])))
    page["meta"] = [
        ("Began", report["began"]),
        ("Ended", report["ended"]),
        ("Run", report["run"] + (", went on from " + ", ".join(report["runs"][:-1]) if len(report["runs"]) > 1 else "")),
        ("By", report["by"]),
        ("Kind", "planned" if report["planned"] else "unplanned" if report["stage"] == "failover" else ""),
    ]
    page["held"] = [{"stage": report["stage"], "held": report["gates"]}] if report.get("gates") else []
    page["figures"] = [
        _figure("Lasted", duration(report["seconds"]) if report["seconds"] is not None else "unknown", "by the ledger's times, in whole seconds")
    ]
    lost = report["lost"] or {}
    if lost.get("total") is not None:
        seen = moment(report["witnessed_at"]) if isinstance(report.get("witnessed_at"), (int, float)) else ""
        page["figures"].append(
            _figure("RPO", "%s offsets" % number(lost["total"]), "witnessed in the source, not copied" + ("; last seen %s" % seen if seen else ""))
        )
        page["topics"] = [
            {"topic": topic, "lost": count, "reprocessed": None, "duplicates": None} for topic, count in sorted((lost.get("topics") or {}).items())
        ]
    again = (report["positions"] or {}).get("reprocess_at_most")
    if again is not None:
        page["figures"].append(_figure("Re-processed", "at most %s" % number(again), "for want of exact positions; beside what ran after the last witness"))
    page["steps"] = report["steps"]
    bars = [{"name": one["name"].replace("_", " "), "seconds": one["seconds"], "began": one["began"]} for one in report["steps"]]
    page["timeline"] = timeline([{"name": report["stage"], "steps": bars}])
    page["proofs"] = [proofs.view(one, stage) for stage, one in proven] or [_bare(one) for one in report["proofs"]]
    return page


def _proof(report, proven):
    shown = proofs.view(report)
    word = shown["verdict"].replace("_", " ")
    page = _base("proof", report, shown["tone"], word, shown["sentence"])
    page["title"] = "Proof: %s against %s" % (report.get("target") or "target", report.get("source") or "source")
    totals = shown["totals"]
    page["meta"] = [
        ("Began", shown["began"]),
        ("Lasted", duration(shown["seconds"]) if shown["seconds"] is not None else ""),
        ("Topics", shown["options"].get("topics", "")),
        ("Names", shown["options"].get("rename", "")),
        ("Bytes read", number(totals.get("bytes_read", 0))),
    ]
    page["figures"] = [
        _figure("Records in the source", number(totals.get("records_source", 0))),
        _figure("Records in the target", number(totals.get("records_target", 0))),
        _figure("Missing", *missing(totals, shown["tone"])),
    ]
    page["reasons"] = shown["reasons"]
    shown["reasons"] = []
    shown["sentence"] = ""
    page["proofs"] = [shown]
    page["command"] = page["command"] or shown["command"]
    engine = shown["engine"]
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
