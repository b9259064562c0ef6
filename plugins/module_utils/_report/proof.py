# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The view of a proof: what is proven for which offsets, and each difference.

A *lane* is one side of one partition, drawn as runs of cells over its range. The offset map of the report is exact, so a cell is
green only if the map covers something in it and nothing in it differs.
"""

from __future__ import annotations

import shlex
import time

CELLS = 240
# More than this many lanes or differences make no page that anybody reads; what is left out is said.
LANES = 400
DIFFERENCES = 1000
KINDS = ("missing", "missing_head", "missing_tail", "lost", "altered", "reordered", "duplicated", "foreign", "aborted", "beyond")
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
_RANK = {"none": 0, "ok": 1, "out": 2, "warn": 3, "bad": 4}
_LANE = {"beyond": "out", "missing_head": "warn", "lost": "warn", "duplicated": "warn"}
_EXCUSED = ("missing_head",)
# The order of the proof's own verdicts, best first.
WORST = ("PROVEN", "DUPLICATES", "NOT_PROVABLE", "DIFFERENT", "LOSS")
_TONES = {"PROVEN": "good", "DUPLICATES": "warn", "NOT_PROVABLE": "warn", "LOSS": "bad", "DIFFERENT": "bad"}


def tone(verdict):
    """``good``, ``warn`` (complete with duplicates, or could not be told) or ``bad``."""
    return _TONES.get(verdict, "warn")


def sentence(report):
    """The verdict in one sentence."""
    totals = report.get("totals") or {}
    source, target = report.get("source") or "the source", report.get("target") or "the target"
    verdict = report.get("verdict")
    lost, head = totals.get("lost", 0), totals.get("missing_head", 0)
    left_out = [text % number(count) for text, count in (("%s had not been copied and are lost", lost), ("%s had expired", head)) if count]
    but = " that were to be there (%s)" % ", ".join(left_out) if left_out else ""
    if verdict == "PROVEN":
        if not totals.get("records_source"):
            return "Both sides are empty in what was compared."
        return "%s holds every one of the %s records of %s%s, in order and unaltered, within the ranges below." % (
            target,
            number(totals.get("records_source", 0) - lost - head),
            source,
            but,
        )
    if verdict == "DUPLICATES":
        return "%s holds every record of %s%s, and %s of them more often than the source does." % (target, source, but, number(totals.get("duplicated", 0)))
    if verdict == "NOT_PROVABLE":
        return "Whether %s holds what %s held could not be told: neither yes nor no was shown." % (target, source)
    named = ["%s %s" % (number(totals[kind]), kind.replace("_", " ")) for kind in KINDS if totals.get(kind) and kind != "beyond"]
    return "%s does not hold what %s held: %s." % (target, source, ", ".join(named) or "see the reasons")


def missing(totals, judged):
    """How many records the target lacks, where, and how bad that is.

    :param judged: the tone of the verdict; where that is not ``bad``, what is missing at an end was allowed to be.
    """
    places = [(totals.get(kind, 0), place) for kind, place in (
        ("missing_head", "at the head"), ("missing", "in between"), ("missing_tail", "at the tail"), ("lost", "lost, never copied"))]
    there = [(count, place) for count, place in places if count]
    note = ", ".join(place if len(there) == 1 else "%s %s" % (number(count), place) for count, place in there)
    bad = judged == "bad" or totals.get("missing", 0) > 0
    allowed = ", as allowed" if totals.get("missing_head") or totals.get("missing_tail") else ""
    return number(sum(count for count, dummy in there)), note if bad or not there else note + allowed, ("bad" if bad else "warn") if there else ""


def number(value):
    """With thin spaces between thousands, as nobody reads them otherwise."""
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else str(value)


def view(report, stage=""):
    """What the page shows of one report of the form of docs/proof.md.

    :param stage: the stage that it belongs to, if any.
    """
    left = {"lanes": LANES, "differences": DIFFERENCES}
    topics = sorted(report.get("topics") or [], key=lambda one: (-WORST.index(one.get("verdict")) if one.get("verdict") in WORST else 1, one.get("topic", "")))
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
        "topics": [_topic(one, left) for one in topics],
        "command": command(report),
    }


def _reasons(report):
    """Those of the whole; what is said of a topic or a partition stands there."""
    names = tuple(one.get("topic", "") + ": " for one in report.get("topics") or [])
    return [one for one in report.get("reasons") or [] if not names or not one.startswith(names)]


def _topic(topic, left):
    parts = [_partition(one, topic, left) for one in topic.get("partitions") or []]
    renamed = topic.get("target_topic") not in (None, topic.get("topic"))
    return {
        "topic": topic.get("topic", ""),
        "target_topic": topic["target_topic"] if renamed else "",
        "mode": topic.get("mode", ""),
        "verdict": topic.get("verdict", ""),
        "tone": tone(topic.get("verdict")),
        "reasons": [one for one in topic.get("reasons") or [] if one != "empty"],
        "records": sum(one["records_source"] for one in parts),
        "partitions": parts,
        "proven": sum(1 for one in parts if one["tone"] == "good"),
    }


def _partition(part, topic, left):
    runs, differences = part.get("offset_map") or [], part.get("differences") or []
    shown = differences[: left["differences"]]
    left["differences"] -= len(shown)
    lanes = {}
    if left["lanes"] > 0:
        left["lanes"] -= 1
        # A compacted topic is compared by its last values, so that its map has holes that are none.
        whole = part.get("verdict") == "PROVEN" and "compact" in topic.get("mode", "")
        lanes = {side: lane(part.get(side + "_range"), runs, differences, side, whole, tone(part.get("verdict")) != "bad") for side in ("source", "target")}
    return {
        "partition": part.get("partition"),
        "verdict": part.get("verdict", ""),
        "tone": tone(part.get("verdict")),
        "source_range": part.get("source_range") or [0, 0],
        "target_range": part.get("target_range") or [0, 0],
        "records_source": part.get("records_source", 0),
        "records_target": part.get("records_target", 0),
        "counts": [(kind, part[kind]) for kind in KINDS if part.get(kind)],
        "reasons": [one for one in part.get("reasons") or [] if one != "empty"],
        "lanes": lanes,
        "differences": [_difference(one) for one in shown],
        "left_out": (part.get("differences_left_out") or 0) + len(differences) - len(shown),
    }


def _difference(one):
    stamp = one.get("timestamp")
    return {
        "kind": one.get("kind", ""),
        "source": _span(one.get("source_offset"), one.get("count", 1)),
        "target": _span(one.get("target_offset"), one.get("count", 1)),
        "count": one.get("count", 1),
        "field": one.get("field") or "",
        "at": moment(stamp / 1000.0) if isinstance(stamp, (int, float)) and stamp >= 0 else "",
    }


def _span(offset, count):
    if offset is None:
        return ""
    return str(offset) if count in (None, 1) else "from %d" % offset


def moment(seconds):
    """Seconds since the epoch as a person reads it, in UTC."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds)) + " UTC"
    except (OverflowError, ValueError, OSError):
        return ""


def lane(span, runs, differences, side, whole=False, excused=False, cells=CELLS):
    """One side of a partition as runs of equal cells.

    :param span: ``[low, high)``.
    :param runs: the offset map.
    :param differences: runs of differences.
    :param whole: whether all of the range counts as proven.
    :param excused: whether a missing head or tail is none that counts.
    :returns: ``[{x, width, tone}]`` in per cent; ``tone`` is ok, warn, bad or out (of the bounds). Cells of which nothing is said
        (markers of transactions) are left out.
    """
    low, high = span or (0, 0)
    size = high - low
    if size <= 0:
        return []
    cells = min(cells, size)
    states = ["ok" if whole else "none"] * cells

    def fill(begin, count, state):
        first = max(0, (begin - low) * cells // size)
        last = min(cells - 1, ((begin + max(1, count) - low) * cells - 1) // size)
        for at in range(first, last + 1):
            if _RANK[state] > _RANK[states[at]]:
                states[at] = state

    key = side + "_offset"
    for run in runs:
        fill(run[key], run["count"], "ok")
    for one in differences:
        if one.get(key) is not None:
            fill(one[key], one.get("count") or 1, _LANE.get(one["kind"], "bad") if excused or one["kind"] not in _EXCUSED else "bad")
    return _runs(states, cells)


def _runs(states, cells):
    found = []
    for at, state in enumerate(states):
        if state == "none":
            continue
        if found and found[-1]["tone"] == state and found[-1]["end"] == at:
            found[-1]["end"] = at + 1
        else:
            found.append({"begin": at, "end": at + 1, "tone": state})
    return [{"x": round(100.0 * one["begin"] / cells, 3), "width": round(100.0 * (one["end"] - one["begin"]) / cells, 3), "tone": one["tone"]} for one in found]


def command(report):
    """The command that makes this proof again; a manifest's directory is not in the report."""
    options = report.get("options") or {}
    if not options.get("topics"):
        return ""
    source, target = report.get("source", ""), report.get("target", "")
    manifest = source == "the manifest"
    words = ["proof_manifest=DIRECTORY" if manifest else "proof_source=%s" % source, "proof_target=%s" % target, "proof_topics=%s" % options["topics"]]
    if options.get("rename", "identity") != "identity":
        words.append("proof_rename=%s" % options["rename"])
    words += ["%s=true" % name for name, key in (("proof_ignore_timestamps", "ignore_timestamps"),) if options.get(key)]
    return "ansible-playbook -i inventory streamsafe.kafka_dr.verify_restore " + " ".join("-e " + shlex.quote(word) for word in words)
