# SPDX-License-Identifier: GPL-3.0-or-later
"""JUnit XML, as CI systems read it: a drill's checks, a stage's steps and proofs, a proof's partitions, what may
be wrong with a standing proof as test cases.
"""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

from .._values.listing import named
from .._values.redact import redact
from .proof import KINDS
from .shapes import Report
from .standing import KINDS as KINDS_OF_TROUBLE
from .view import kind_of
from .view_stage import UNKNOWN, WRONG

# A test case: ``name``, ``state`` (empty, failure, error), ``message``, ``text``, ``type``, ``seconds``.
Case = dict[str, Any]
# A suite: its name, cases, and properties.
Suite = tuple[str, list[Case], dict[str, Any]]

# What XML 1.0 cannot hold.
_IMPOSSIBLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def junit(report: Report) -> str:
    """The document, one test suite.

    A failed case has a ``failure`` with what was expected and found; what could not be told is an ``error``.

    :param report: of a drill, a stage, a proof or a standing proof.
    :raises UsageError: it is no report.
    """
    report = redact(report)
    kind = kind_of(report)
    name, cases, properties = {"drill": _drill, "stage": _stage, "watch": _watch, "proof": _proof}[kind](report)
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": name,
            "tests": str(len(cases)),
            "failures": str(sum(1 for case in cases if case["state"] == "failure")),
            "errors": str(sum(1 for case in cases if case["state"] == "error")),
            "skipped": "0",
            "time": _time(report.get("seconds")),
        },
    )
    listed = ElementTree.SubElement(suite, "properties")
    for key, value in properties.items():
        if value is not None:
            ElementTree.SubElement(listed, "property", {"name": key, "value": _clean(value)})
    for case in cases:
        element = ElementTree.SubElement(
            suite, "testcase", {"classname": name, "name": _clean(case["name"]), "time": _time(case.get("seconds"))}
        )
        if case["state"]:
            ElementTree.SubElement(
                element, case["state"], {"message": _clean(case["message"]), "type": case["type"]}
            ).text = _clean(case["text"])
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _time(seconds: float | None) -> str:
    return f"{seconds:.3f}" if isinstance(seconds, (int, float)) else "0.000"


def _clean(value: Any) -> str:
    return _IMPOSSIBLE.sub("?", value if isinstance(value, str) else json.dumps(value))


def _case(
    name: str, state: str = "", message: str = "", text: str = "", kind: str = "", seconds: float | None = None
) -> Case:
    return {
        "name": name,
        "state": state,
        "message": message,
        "text": text or message,
        "type": kind or state,
        "seconds": seconds,
    }


def _drill(report: Report) -> Suite:
    cases: list[Case] = []
    seen: dict[str, int] = {}
    for check in report["checks"]:
        seen[check["name"]] = seen.get(check["name"], 0) + 1
        name = check["name"] if seen[check["name"]] == 1 else f"{check['name']}_{seen[check['name']]}"
        message = f"expected {check['expected']}, found {check['found']}"
        cases.append(_case(name) if check["passed"] else _case(name, "failure", message, kind="check"))
    if not cases:
        cases.append(_case("drill_went_through", "error", "expected checks to be made, found none"))
    rpo = report.get("rpo") or {}
    return (
        f"drill.{report['scenario']}",
        cases,
        {
            "platform": report.get("platform"),
            "rto_seconds": report.get("rto_seconds"),
            "rpo_records": rpo.get("records"),
            "rpo_seconds": rpo.get("seconds"),
            "reprocessed": sum((report.get("reprocessed") or {}).values()),
            "overrides": ", ".join(report.get("overrides") or []) or None,
            **{f"version.{key}": value for key, value in (report.get("versions") or {}).items()},
        },
    )


def _stage(report: Report) -> Suite:
    cases = [
        _case(f"{step['name']} {step['at']}", seconds=step["seconds"])
        for step in report["steps"]
        if step["state"] not in ("different", "not_provable")
    ]
    for proof in report["proofs"]:
        if proof.get("latest", True) and proof["state"] != "proven":
            message = f"expected PROVEN, found {proof['verdict']}: {'; '.join(proof['reasons']) or 'no reason'}"
            cases.append(
                _case(f"proof {proof['at']}", "error" if proof["state"] == "not_provable" else "failure", message)
            )
    lacking = report.get("left_behind") or []
    if lacking:
        found = named(lacking, separator="; ")
        cases.append(
            _case("left_behind", "failure", f"expected all that the source had, found {found}", "\n".join(lacking))
        )
    copy = report.get("copy")
    if copy in (*WRONG, UNKNOWN) and not any(case["state"] for case in cases):
        message = f"expected a proven copy, found that the stage ended with {copy}"
        cases.append(_case("copy", "error" if copy == UNKNOWN else "failure", message))
    ended = report["verdict"] == "done"
    cases.append(
        _case("stage_ended", "" if ended else "failure", "" if ended else f"expected done, found {report['verdict']}")
    )
    return (
        f"stage.{report['stage']}",
        cases,
        {
            "about": report["about"],
            "run": report["run"],
            "lost": (report["lost"] or {}).get("total"),
            "overrides": ", ".join(report["overrides"]) or None,
        },
    )


def _watch(report: Report) -> Suite:
    found = {trouble["kind"]: trouble for trouble in report["troubles"] if trouble["severity"] != "info"}
    cases = [
        _case(kind, "failure", f"expected none, found {found[kind]['found']}", found[kind]["remedy"])
        if kind in found
        else _case(kind)
        for kind in (*KINDS_OF_TROUBLE, *sorted(set(found) - set(KINDS_OF_TROUBLE)))
    ]
    watch = report["watch"] or {}
    return (
        f"watch.{report['mirror']}",
        cases,
        {key: watch.get(key) for key in ("records", "unproven_records", "unproven_seconds", "age_seconds")},
    )


def _proof(report: Report) -> Suite:
    cases = []
    for topic in report["topics"]:
        for part in topic.get("partitions") or []:
            counts = {kind: part[kind] for kind in KINDS if kind != "beyond" and part.get(kind)}
            cases.append(
                _of_verdict(
                    f"{topic['topic']}-{part['partition']}",
                    part["verdict"],
                    counts,
                    part.get("reasons") or [],
                    part.get("differences") or [],
                )
            )
        if not topic.get("partitions") or topic["verdict"] not in [part["verdict"] for part in topic["partitions"]]:
            cases.append(_of_verdict(topic["topic"], topic["verdict"], {}, topic.get("reasons") or [], []))
    if not cases or report["verdict"] == "NOT_PROVABLE":
        cases.append(_of_verdict("whole", report["verdict"], {}, report.get("reasons") or [], []))
    totals = report["totals"]
    return (
        "proof",
        cases,
        {
            "source": report.get("source"),
            "target": report.get("target"),
            "verdict": report["verdict"],
            "records_source": totals.get("records_source"),
            "records_target": totals.get("records_target"),
        },
    )


def _of_verdict(
    name: str, verdict: str, counts: dict[str, int], reasons: list[str], differences: list[dict[str, Any]]
) -> Case:
    if verdict == "PROVEN":
        return _case(name)
    message = (
        f"expected PROVEN, found {verdict}"
        f"{': ' + ', '.join('%s %d' % count for count in counts.items()) if counts else ''}"
    )
    lines = list(reasons) + [
        (
            f"{difference.get('kind')} source offset {difference.get('source_offset')} target offset "
            f"{difference.get('target_offset')} records {difference.get('count', 1)}"
        )
        for difference in differences[:100]
    ]
    return _case(
        name, "error" if verdict == "NOT_PROVABLE" else "failure", message, "\n".join([message, *lines]), verdict
    )
