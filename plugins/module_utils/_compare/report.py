# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The report of a comparison; its form is that of docs/proof.md, for the Spark job and the module alike."""

from __future__ import annotations

import time

from .._digest import verdict
from .._digest.classify import COUNTS
from .._moment import said

BOUND = (
    "two different records have equal 64-bit digests with probability 2^-64; a changed chunk of n records is missed with probability at most "
    "n * 2^-61 times 2^-64 (sequence hash and sum)"
)


def build(comparison):
    """The report's keys without ``engine``."""
    topics = [_topic(topic) for topic in comparison.topics]
    totals = dict.fromkeys(("records_source", "records_target", "bytes_read", *COUNTS), 0)
    for topic in topics:
        for part in topic["partitions"]:
            for name in totals:
                totals[name] += part[name]
    outcome = verdict.worst([topic["verdict"] for topic in topics])
    reasons = list(comparison.reasons)
    for topic in _telling(topics, outcome):
        reasons.extend("%s: %s" % (topic["topic"], reason) for reason in topic["reasons"])
    if not totals["records_source"] and not totals["records_target"] and outcome == "PROVEN":
        reasons.insert(0, "empty")
    return {
        "verdict": outcome, "complete": verdict.complete(outcome), "reasons": reasons, "totals": totals, "miss_probability": BOUND,
        "source": comparison.source.name, "target": comparison.target.name, "began": said(comparison.began),
        "seconds": round(time.time() - comparison.began, 3),
        "options": {
            "topics": comparison.options.topics, "rename": comparison.options.rename,
            "ignore_timestamps": comparison.options.ignore_timestamps, "bounds": sorted(comparison.options.bounds or {}),
        },
        "topics": topics,
    }


def shown_different(report):
    """Whether any partition was shown to differ, whatever else could not be told."""
    return any(
        part["verdict"] in ("LOSS", "DIFFERENT", "DUPLICATES") for topic in report["topics"] for part in topic["partitions"]
    ) or report["verdict"] in ("LOSS", "DIFFERENT", "DUPLICATES")


def exit_code(report):
    """0 proven, 1 a difference was shown, 2 could not tell."""
    return 1 if shown_different(report) else verdict.exit_code(report["verdict"])


def _telling(parts, outcome):
    """Those of the parts whose reasons are reasons for the whole: where it is not complete, what is complete is none."""
    return [part for part in parts if verdict.complete(outcome) or not verdict.complete(part["verdict"])]


def _topic(topic):
    partitions = [_partition(pair) for pair in topic.pairs]
    verdicts = [part["verdict"] for part in partitions]
    if topic.not_provable:
        verdicts.append("NOT_PROVABLE")
    if topic.target is None:
        # Not even an empty copy: never complete, also where nothing of it had been copied.
        verdicts.append("NOT_PROVABLE")
    if topic.partition_difference:
        verdicts.append("DIFFERENT")
    reasons, outcome = list(topic.reasons), verdict.worst(verdicts)
    for part in _telling(partitions, outcome):
        for reason in part["reasons"]:
            text = "partition %d: %s" % (part["partition"], reason)
            if reason != "empty":
                reasons.append(text)
    if partitions and all(not part["records_source"] and not part["records_target"] for part in partitions):
        reasons.append("empty")
    return {
        "topic": topic.name, "target_topic": topic.target_name, "mode": topic.mode, "verdict": outcome, "reasons": reasons,
        "source_topic_id": topic.source["topic_id"], "target_topic_id": topic.target["topic_id"] if topic.target else None,
        "timestamps_compared": topic.timestamps, "partitions": partitions,
    }


def _partition(pair):
    reasons = list(pair.reasons)
    result = pair.result
    if result is None:
        if pair.error["message"] not in reasons:
            reasons.append(pair.error["message"])
        counts, outcome = dict.fromkeys(COUNTS, 0), "NOT_PROVABLE"
        result = {"offset_map": [], "differences": [], "difference_runs": 0}
    else:
        reasons.extend(result["reasons"])
        counts = result["counts"]
        excused, unsure = result["excused_head"], pair.error is not None
        if counts["missing_head"] and pair.target_moved:
            excused, unsure = counts["missing_head"], True
            reasons.append("%d records at the head were deleted from the target during the run" % counts["missing_head"])
        elif counts["missing_head"]:
            reasons.append(
                "%d of %d missing head records are older than the source's own retention" % (excused, counts["missing_head"]) if excused
                else "missing at the head: %d, which the source's policy would not have deleted" % counts["missing_head"]
            )
        if counts["lost"]:
            reasons.append("%d records at or beyond offset %d had not been copied and are lost" % (counts["lost"], pair.mirrored_through))
        if counts["missing_tail"] and pair.mirrored_through is not None:
            reasons.append("missing at the tail: %d, which the mirror had copied" % counts["missing_tail"])
        outcome = verdict.of_partition(counts, excused, unsure)
        if verdict.complete(outcome) and pair.left.count and not result["offset_map"]:
            outcome = "NOT_PROVABLE"
            reasons.append("the target holds nothing of it, so nothing was shown")
        if counts["beyond"] and verdict.complete(outcome):
            reasons.append("%d records on the target lie beyond the source's bounds and were not judged" % counts["beyond"])
        if not pair.left.count and not pair.right.count:
            reasons.append("empty")
    return {
        "partition": pair.number, "verdict": outcome, "reasons": reasons, "source_range": list(pair.source_range), "target_range": list(pair.target_range),
        "mirrored_through": pair.mirrored_through,
        "records_source": pair.left.count, "records_target": pair.right.count, "bytes_read": pair.left.bytes + pair.right.bytes, **counts,
        "offset_map": [{"source_offset": row[0], "target_offset": row[1], "count": row[2]} for row in result["offset_map"]],
        "differences": result["differences"], "differences_left_out": max(0, result["difference_runs"] - len(result["differences"])),
    }
