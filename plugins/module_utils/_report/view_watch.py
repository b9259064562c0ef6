# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a standing proof: how far the copy is proven, and what keeps the rest from being."""

from __future__ import annotations

from typing import Any

from .proof import moment, number
from .shapes import Proven, Report
from .view_parts import base, duration, figure

TONES = {"proven": "good", "partly_proven": "warn", "not_proven": "bad"}
# More topics, and more partitions of one, than anybody reads; what is left out is said.
TOPICS, PARTITIONS = 500, 2000


def watch_page(report: Report, _proven: Proven = ()) -> dict[str, Any]:
    """The content of the page."""
    tone, watch = TONES[report["verdict"]], report["watch"]
    page = base("watch", report, tone, report["verdict"].replace("_", " ").upper(), _sentence(report))
    page["title"] = f"Standing proof: mirror {report['mirror']}"
    page["reasons"] = [
        f"{trouble['found']}. {trouble['cause']}. {trouble['remedy']}." for trouble in report["troubles"]
    ]
    page["meta"] = [("Source", report["source_cluster"]), ("Target", report["target_cluster"])]
    if watch is None:
        return page
    page["meta"] += [("Last round", moment(watch["at"] / 1000)), ("Rounds", number(watch["round"]))]
    page["figures"] = _figures(watch)
    page["standing"] = {
        **_topics(watch["proven_through"]),
        "differences": [_difference(row) for row in watch["differences"]],
        "differences_left_out": watch.get("differences_left_out", 0),
        "accepted": [_difference(row) for row in watch["accepted"]],
        "stopped": watch["stopped"],
        "stopped_left_out": watch.get("stopped_left_out", 0),
        "not_watched": watch["topics_not_watched"][:TOPICS],
        "not_watched_left_out": max(0, len(watch["topics_not_watched"]) - TOPICS),
    }
    return page


def _sentence(report: Report) -> str:
    watch = report["watch"]
    if watch is None:
        return "Nothing is proven: no round of the watch is known."
    age = watch["age_seconds"]
    ago = f"{duration(age)} before" if age is not None else f"{duration(watch['ahead_seconds'])} after"
    whole = (
        f"{number(watch['records'])} records are proven to be in the target, in order and unaltered, "
        f"by the round that ended {ago} this page was made."
    )
    if report["verdict"] == "proven" and not watch["unproven_records"]:
        return f"{whole} That round read all that the source held when it began."
    return f"{whole} {number(watch['unproven_records'])} records that it knew of are not."


def _ago(watch: dict[str, Any]) -> str:
    age = watch["age_seconds"]
    return f"{duration(watch['ahead_seconds'])} ahead of this clock" if age is None else f"{duration(age)} ago"


def _figures(watch: dict[str, Any]) -> list[dict[str, str]]:
    unproven, found, scrubbed = watch["unproven_records"], watch["differences"], watch["scrubbed_at"]
    count = len(found) + watch.get("differences_left_out", 0)
    # Nobody knows it of a round that ended in the future.
    oldest = watch["unproven_seconds"]
    return [
        figure("Records proven", number(watch["records"]), f"{number(watch['duplicates'])} of them more than once"),
        figure(
            "Not proven",
            number(unproven),
            f"the oldest for {duration(oldest)}" if unproven and oldest is not None else "",
            "warn" if unproven else "",
        ),
        figure("Differences", number(count), "that nobody accepted", "bad" if count else ""),
        figure("Last round", _ago(watch)),
        figure(
            "Read again",
            "not yet" if scrubbed is None else moment(scrubbed / 1000),
            "all that is proven, at last" if scrubbed is not None else "or no scrub_days",
        ),
    ]


def _topics(proven: dict[str, Any]) -> dict[str, Any]:
    """``topics[]`` with their partitions, as many as anybody reads; by topic where the watch tells no more."""
    left = PARTITIONS
    shown: list[dict[str, Any]] = []
    for topic, through in sorted(proven.items())[:TOPICS]:
        by_topic = set(through) == {"partitions", "records"}
        rows = [] if by_topic else sorted(((int(key), offsets) for key, offsets in through.items()))[:left]
        left -= len(rows)
        shown.append(
            {
                "topic": topic,
                "partitions": through["partitions"] if by_topic else len(through),
                "records": through["records"] if by_topic else None,
                "rows": [{"partition": key, "source": offsets[0], "target": offsets[1]} for key, offsets in rows],
            }
        )
    return {"topics": shown, "topics_left_out": len(proven) - len(shown)}


def _difference(row: dict[str, Any]) -> dict[str, Any]:
    at = row.get("found_at")
    return {
        "text": row["text"],
        "id": row["id"],
        "found_at": moment(at / 1000) if isinstance(at, (int, float)) else "",
        "by": row.get("by", ""),
        "reason": row.get("reason", ""),
    }
