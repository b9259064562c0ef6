# SPDX-License-Identifier: GPL-3.0-or-later
"""The view of a proof: what is proven for which offsets, and each difference."""

from __future__ import annotations

import shlex
import time
from typing import Any

from .lanes import lane
from .shapes import Report

# More than this many lanes or differences make no page that anybody reads; what is left out is said.
LANES = 400
DIFFERENCES = 1000
KINDS = (
    "missing",
    "missing_head",
    "missing_tail",
    "lost",
    "altered",
    "reordered",
    "duplicated",
    "foreign",
    "aborted",
    "beyond",
)
MEANING = {
    "missing": "in the source, not in the target, with later records that are: a loss",
    "missing_head": "before the first record that both have",
    "missing_tail": "after the last record that both have",
    "lost": "not copied yet when the mirror stopped: it lies beyond what the mirror had reached",
    "altered": "the same record with another field",
    "reordered": "both have it, in another order",
    "duplicated": "the target has more copies than the source",
    "foreign": "the source never had it",
    "aborted": "never committed at the source, data in the target",
    "beyond": "outside the source's bounds, not judged",
}
# The order of the proof's own verdicts, best first.
WORST = ("PROVEN", "DUPLICATES", "NOT_PROVABLE", "DIFFERENT", "LOSS")
_TONES = {"PROVEN": "good", "DUPLICATES": "warn", "NOT_PROVABLE": "warn", "LOSS": "bad", "DIFFERENT": "bad"}


def tone(verdict: str | None) -> str:
    """``good``, ``warn`` (complete with duplicates, or could not be told) or ``bad``."""
    return _TONES.get(verdict or "", "warn")


def sentence(report: Report) -> str:
    """The verdict in one sentence."""
    totals = report.get("totals") or {}
    source, target = report.get("source") or "the source", report.get("target") or "the target"
    verdict = report.get("verdict")
    lost, head = totals.get("lost", 0), totals.get("missing_head", 0)
    left_out = [
        text % number(count)
        for text, count in (("%s had not been copied and are lost", lost), ("%s had expired", head))
        if count
    ]
    but = f" that were to be there ({', '.join(left_out)})" if left_out else ""
    if verdict == "PROVEN":
        if not totals.get("records_source"):
            return "Both sides are empty in what was compared."
        return (
            f"{target} holds every one of the {number(totals.get('records_source', 0) - lost - head)} records of "
            f"{source}{but}, in order and unaltered, within the ranges below."
        )
    if verdict == "DUPLICATES":
        return (
            f"{target} holds every record of {source}{but}, and {number(totals.get('duplicated', 0))} of them more "
            "often than the source does."
        )
    if verdict == "NOT_PROVABLE":
        return f"It is not known whether {target} holds what {source} held: the comparison showed neither."
    named = [
        f"{number(totals[kind])} {kind.replace('_', ' ')}" for kind in KINDS if totals.get(kind) and kind != "beyond"
    ]
    return f"{target} does not hold what {source} held: {', '.join(named) or 'see the reasons'}."


def missing(totals: dict[str, int], judged: str) -> tuple[str, str, str]:
    """How many records the target lacks, where, and how bad that is.

    :param judged: the tone of the verdict; where that is not ``bad``, what is missing at an end was allowed to be.
    """
    places = [
        (totals.get(kind, 0), place)
        for kind, place in (
            ("missing_head", "at the head"),
            ("missing", "in between"),
            ("missing_tail", "at the tail"),
            ("lost", "lost, never copied"),
        )
    ]
    lacking = [(count, place) for count, place in places if count]
    note = ", ".join(place if len(lacking) == 1 else f"{number(count)} {place}" for count, place in lacking)
    bad = judged == "bad" or totals.get("missing", 0) > 0
    allowed = ", as allowed" if totals.get("missing_head") or totals.get("missing_tail") else ""
    return (
        number(sum(count for count, dummy in lacking)),
        note if bad or not lacking else note + allowed,
        ("bad" if bad else "warn") if lacking else "",
    )


def number(value: Any) -> str:
    """With thin spaces between thousands, as nobody reads them otherwise."""
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else str(value)


def view(report: Report, stage: str = "") -> dict[str, Any]:
    """What the page shows of one report of the form of docs/proof.md.

    :param stage: the stage that it belongs to, if any.
    """
    left = {"lanes": LANES, "differences": DIFFERENCES}
    topics = sorted(
        report.get("topics") or [],
        key=lambda topic: (
            -WORST.index(topic.get("verdict")) if topic.get("verdict") in WORST else 1,
            topic.get("topic", ""),
        ),
    )
    return {
        "stage": stage,
        "where": "",
        "verdict": report.get("verdict", "NOT_PROVABLE"),
        "tone": tone(report.get("verdict")),
        "sentence": sentence(report),
        "source": report.get("source", ""),
        "target": report.get("target", ""),
        "began": report.get("began", ""),
        "seconds": report.get("seconds"),
        "reasons": _reasons(report),
        "totals": report.get("totals") or {},
        "kinds": [(kind, MEANING[kind]) for kind in KINDS if (report.get("totals") or {}).get(kind)],
        "miss_probability": report.get("miss_probability", ""),
        "engine": report.get("engine") or {},
        "options": report.get("options") or {},
        "topics": [_topic(topic, left) for topic in topics],
        "command": command(report),
    }


def _reasons(report: Report) -> list[str]:
    """Those of the whole; what is said of a topic or a partition stands there."""
    names = tuple(topic.get("topic", "") + ": " for topic in report.get("topics") or [])
    return [reason for reason in report.get("reasons") or [] if not names or not reason.startswith(names)]


def _topic(topic: dict[str, Any], left: dict[str, int]) -> dict[str, Any]:
    parts = [_partition(part, topic, left) for part in topic.get("partitions") or []]
    renamed = topic.get("target_topic") not in (None, topic.get("topic"))
    return {
        "topic": topic.get("topic", ""),
        "target_topic": topic["target_topic"] if renamed else "",
        "mode": topic.get("mode", ""),
        "verdict": topic.get("verdict", ""),
        "tone": tone(topic.get("verdict")),
        "reasons": [reason for reason in topic.get("reasons") or [] if reason != "empty"],
        "records": sum(part["records_source"] for part in parts),
        "partitions": parts,
        "proven": sum(1 for part in parts if part["tone"] == "good"),
    }


def _partition(part: dict[str, Any], topic: dict[str, Any], left: dict[str, int]) -> dict[str, Any]:
    runs, differences = part.get("offset_map") or [], part.get("differences") or []
    printed = differences[: left["differences"]]
    left["differences"] -= len(printed)
    lanes = {}
    if left["lanes"] > 0:
        left["lanes"] -= 1
        # A compacted topic is compared by its last values, so that its map has holes that are none.
        whole = part.get("verdict") == "PROVEN" and "compact" in topic.get("mode", "")
        lanes = {
            side: lane(part.get(side + "_range"), runs, differences, side, whole, tone(part.get("verdict")) != "bad")
            for side in ("source", "target")
        }
    return {
        "partition": part.get("partition"),
        "verdict": part.get("verdict", ""),
        "tone": tone(part.get("verdict")),
        "source_range": part.get("source_range") or [0, 0],
        "target_range": part.get("target_range") or [0, 0],
        "records_source": part.get("records_source", 0),
        "records_target": part.get("records_target", 0),
        "counts": [(kind, part[kind]) for kind in KINDS if part.get(kind)],
        "reasons": [reason for reason in part.get("reasons") or [] if reason != "empty"],
        "lanes": lanes,
        "differences": [_difference(difference) for difference in printed],
        "left_out": (part.get("differences_left_out") or 0) + len(differences) - len(printed),
    }


def _difference(difference: dict[str, Any]) -> dict[str, Any]:
    stamp = difference.get("timestamp")
    return {
        "kind": difference.get("kind", ""),
        "source": _span(difference.get("source_offset"), difference.get("count", 1)),
        "target": _span(difference.get("target_offset"), difference.get("count", 1)),
        "count": difference.get("count", 1),
        "field": difference.get("field") or "",
        "at": moment(stamp / 1000.0) if isinstance(stamp, (int, float)) and stamp >= 0 else "",
    }


def _span(offset: int | None, count: int | None) -> str:
    if offset is None:
        return ""
    return str(offset) if count in (None, 1) else f"from {offset}"


def moment(seconds: float) -> str:
    """Seconds since the epoch as a person reads it, in UTC."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds)) + " UTC"
    except (OverflowError, ValueError, OSError):
        return ""


def command(report: Report) -> str:
    """The command that makes this proof again; a manifest's directory is not in the report."""
    options = report.get("options") or {}
    if not options.get("topics"):
        return ""
    source, target = report.get("source", ""), report.get("target", "")
    manifest = source == "the manifest"
    words = [
        "proof_manifest=DIRECTORY" if manifest else f"proof_source={source}",
        f"proof_target={target}",
        f"proof_topics={options['topics']}",
    ]
    if options.get("rename", "identity") != "identity":
        words.append(f"proof_rename={options['rename']}")
    words += [f"{name}=true" for name, key in (("proof_ignore_timestamps", "ignore_timestamps"),) if options.get(key)]
    return "ansible-playbook -i inventory streamsafe.kafka_dr.verify_restore " + " ".join(
        "-e " + shlex.quote(word) for word in words
    )
