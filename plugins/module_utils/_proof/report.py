# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a comparison; its form is that of docs/proof.md, for the Spark job and the module alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import Counts, Report

if TYPE_CHECKING:
    from .comparison import Comparison, Options
    from .pairs import Pair, Topic

import time
from collections.abc import Iterable, Mapping

from .._values.moment import moment
from . import verdict
from .found import COUNTS, no_differences
from .offset_rows import OffsetRows

# What is counted for each partition, and summed.
TOTALS = ("records_source", "records_target", "bytes_read", *COUNTS)
BOUND = (
    "two different records have equal 64-bit digests with probability 2^-64; a changed chunk of n records is missed "
    "with probability at most n * 2^-61 times 2^-64 (sequence hash and sum)"
)


def build(comparison: Comparison) -> Report:
    """The report's keys without ``engine``."""
    topics = [_topic(topic) for topic in comparison.topics]
    totals = summed(part for topic in topics for part in topic["partitions"])
    outcome = verdict.worst(
        [topic["verdict"] for topic in topics] + (["NOT_PROVABLE"] if comparison.not_provable else [])
    )
    reasons = list(comparison.reasons)
    for topic in _telling(topics, outcome):
        reasons.extend(f"{topic['topic']}: {reason}" for reason in topic["reasons"])
    if not totals["records_source"] and not totals["records_target"] and outcome == "PROVEN":
        reasons.insert(0, "empty")
    return {
        "verdict": outcome,
        "complete": verdict.complete(outcome),
        "reasons": reasons,
        "totals": totals,
        "miss_probability": BOUND,
        "source": comparison.source.name,
        "target": comparison.target.name,
        "began": moment(comparison.began),
        "seconds": round(time.time() - comparison.began, 3),
        "options": asked(comparison.options),
        "topics": topics,
    }


def summed(counts: Iterable[Mapping[str, int]]) -> Counts:
    """The totals of partitions, or of other totals."""
    totals = dict.fromkeys(TOTALS, 0)
    for row in counts:
        for name in totals:
            totals[name] += row[name]
    return totals


def asked(options: Options) -> dict[str, Any]:
    """What a report says of the options that decide over its verdict."""
    return {
        "topics": options.topics,
        "rename": options.rename,
        "ignore_timestamps": options.ignore_timestamps,
        "bounds": sorted(options.bounds or {}),
    }


def shown_different(report: Report) -> bool:
    """Whether any partition was shown to differ, whatever else could not be told."""
    return any(
        part["verdict"] in ("LOSS", "DIFFERENT", "DUPLICATES")
        for topic in report["topics"]
        for part in topic["partitions"]
    ) or report["verdict"] in ("LOSS", "DIFFERENT", "DUPLICATES")


def exit_code(report: Report) -> int:
    """0 proven, 1 a difference was shown, 2 could not tell."""
    return 1 if shown_different(report) else verdict.exit_code(report["verdict"])


def _telling(parts: list[dict[str, Any]], outcome: str) -> list[dict[str, Any]]:
    """Those of the parts whose reasons are reasons for the whole: where it is not complete, what is complete is
    none.
    """
    return [part for part in parts if verdict.complete(outcome) or not verdict.complete(part["verdict"])]


def _topic(topic: Topic) -> dict[str, Any]:
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
            text = f"partition {part['partition']}: {reason}"
            if reason != "empty":
                reasons.append(text)
    if partitions and all(pair.error is None and not pair.left.count and not pair.right.count for pair in topic.pairs):
        reasons.append("empty")
    return {
        "topic": topic.name,
        "target_topic": topic.target_name,
        "mode": topic.mode,
        "verdict": outcome,
        "reasons": reasons,
        "source_topic_id": topic.source["topic_id"],
        "target_topic_id": topic.target["topic_id"] if topic.target else None,
        "timestamps_compared": topic.timestamps,
        "partitions": partitions,
    }


def _partition(pair: Pair) -> dict[str, Any]:
    reasons = list(pair.reasons)
    if pair.result is None:
        if pair.error and pair.error["message"] not in reasons:
            reasons.append(pair.error["message"])
        result, outcome = no_differences(), "NOT_PROVABLE"
    else:
        result = pair.result
        outcome, why = _judge(pair, result)
        reasons += why
    return {
        "partition": pair.number,
        "verdict": outcome,
        "reasons": reasons,
        "source_range": list(pair.source_range),
        "target_range": list(pair.target_range),
        "mirrored_through": pair.mirrored_through,
        "records_source": pair.left.count,
        "records_target": pair.right.count,
        "bytes_read": pair.left.size + pair.right.size,
        **result["counts"],
        "young_beyond": result["young_beyond"],
        "offset_map": OffsetRows(result["offset_map"]),
        "differences": result["differences"],
        "differences_left_out": max(0, result["difference_runs"] - len(result["differences"])),
    }


def _judge(pair: Pair, result: dict[str, Any]) -> tuple[str, list[str]]:
    """The verdict on a partition that was compared, and its reasons."""
    counts, reasons = result["counts"], list(result["reasons"])
    excused, unsure = result["excused_head"], pair.error is not None or pair.target_cut or pair.undecided
    if counts["missing_head"] and pair.target_moved:
        excused, unsure = counts["missing_head"], True
    reasons += _missing_reasons(pair, counts, excused)
    outcome = verdict.of_partition(counts, excused, unsure)
    if verdict.complete(outcome) and pair.left.count and not len(result["offset_map"]):
        outcome = "NOT_PROVABLE"
        reasons.append("the target holds nothing of it, so nothing was shown")
    if counts["beyond"] and verdict.complete(outcome):
        reasons.append(f"{counts['beyond']} records on the target lie beyond the source's bounds and were not judged")
    if pair.error is None and not pair.left.count and not pair.right.count:
        reasons.append("empty")
    return outcome, reasons


def _missing_reasons(pair: Pair, counts: Counts, excused: int) -> list[str]:
    """What is said of records that the target does not have."""
    reasons, head = [], counts["missing_head"]
    if head and pair.target_moved:
        reasons.append(f"{head} records at the head were deleted from the target during the run")
    elif head and excused:
        reasons.append(f"{excused} of {head} missing head records are older than the source's own retention")
    elif head:
        reasons.append(f"missing at the head: {head}, which the source's policy would not have deleted")
    if counts["lost"]:
        reasons.append(
            f"{counts['lost']} records at or beyond offset {pair.mirrored_through} had not been copied and are lost"
        )
    if counts["missing_tail"] and pair.mirrored_through is not None:
        reasons.append(f"missing at the tail: {counts['missing_tail']}, which the mirror had copied")
    return reasons


def kept(report: Report) -> dict[str, Any]:
    """The result as a stage keeps it: verdicts, topic ids, ranges and counts other than 0, without offset maps and
    differences. ``lost`` is ``{topic: {partition: records}}``. Of a partition, the verdict is kept where it is
    NOT_PROVABLE: what another one shows may decide over the topic's.
    """
    topics = [
        {
            "topic": topic["topic"],
            "target_topic": topic["target_topic"],
            "verdict": topic["verdict"],
            "source_topic_id": topic["source_topic_id"],
            "target_topic_id": topic["target_topic_id"],
            "partitions": {
                str(part["partition"]): {
                    "source": part["source_range"],
                    "target": part["target_range"],
                    **{kind: part[kind] for kind in (*COUNTS, "young_beyond") if part[kind]},
                    **({"verdict": part["verdict"]} if part["verdict"] == "NOT_PROVABLE" else {}),
                }
                for part in topic["partitions"]
            },
        }
        for topic in report["topics"]
    ]
    lost = {
        topic["topic"]: {str(part["partition"]): part["lost"] for part in topic["partitions"] if part["lost"]}
        for topic in report["topics"]
        if any(part["lost"] for part in topic["partitions"])
    }
    short = {name: report[name] for name in ("verdict", "complete", "reasons", "totals")}
    return {**short, "lost": lost, "topics": topics}
