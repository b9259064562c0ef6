# SPDX-License-Identifier: GPL-3.0-or-later
"""How the role ``proof`` calls its job, and what it keeps of the job's result."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .._values.place import below as place_below
from .._values.place import is_uri

# What a proof counts, without what lies beyond its bounds, which was not judged.
KINDS = ("missing_head", "missing_tail", "missing", "lost", "duplicated", "reordered", "altered", "foreign", "aborted")
NAMED = 5
RECORDED = ("verdict", "complete", "totals", "topics", "seconds", "watch")


def manifest_place(place: str | None, below: str = "") -> str:
    """Where a manifest is: a URI as it is, a directory as whoever started the playbook names it, since jobs and modules
    work elsewhere. Empty for none.

    :param below: a name in that place, if that is meant; a URI's options stand behind it.
    """
    if not place:
        return ""
    path = place if is_uri(place) else os.path.realpath(os.path.expanduser(place))
    return place_below(path, below) if below else path


def proof_arguments(options: Mapping[str, Any], run: str) -> list[str]:
    """Arguments of the job's command ``compare``.

    :param options: ``source`` (region, or empty for a manifest or a watch), ``target``, ``manifest``, ``digest``,
        ``watch`` (mirror), ``watch_state`` (topic), ``watch_source`` (cluster id), ``watch_seen_at`` (seconds),
        ``rename``, ``max_differences``, ``wait_seconds``, ``ignore_timestamps`` and ``bounds``, as the role's variables
        have them.
    :param run: directory of this run.
    """
    source = options["source"]
    held = ["--source-config", f"{run}/source.json"] if source else []
    if options.get("watch"):
        held += ["--watch", options["watch"], "--state", options["watch_state"]]
    if options.get("watch") and not source:
        held += ["--source-cluster", options["watch_source"]]
        held += ["--seen-at", str(int(float(options["watch_seen_at"]) * 1000))]
    if not source and options["manifest"]:
        held += ["--manifest", options["manifest"], "--manifest-digest", options["digest"]]
    return [
        *held,
        *("--target-config", f"{run}/target.json", "--target-name", options["target"]),
        *("--source-name", source or "the manifest", "--rename", options["rename"]),
        *("--max-differences", str(options["max_differences"]), "--wait-seconds", str(options["wait_seconds"])),
        *("--report", f"{run}/report.json"),
        *(["--ignore-timestamps"] if options["ignore_timestamps"] else []),
        *(["--bounds", f"{run}/bounds.json"] if options["bounds"] else []),
    ]


def proof_counts(totals: Mapping[str, Any]) -> list[str]:
    """How many records differ by kind, such as ``3 missing``, in the order of the totals; without empty kinds."""
    return [f"{count} {kind}" for kind, count in totals.items() if kind in KINDS and count]


def proof_covered(
    ends: Mapping[str, Mapping[str, int]], uncovered: Collection[str], partitions: Mapping[str, Collection[str]]
) -> dict[str, dict[str, int]]:
    """Ends without those of what a manifest does not cover: it was accepted that nothing of that is proven.

    :param ends: ``{topic: {partition: offset}}``.
    :param uncovered: topics that it does not cover, or not whole. :param partitions: of the latter, what it lacks.
    """
    covered = {}
    for topic, by_number in ends.items():
        if topic not in uncovered:
            covered[topic] = dict(by_number)
        elif topic in partitions:
            lacking = partitions[topic]
            covered[topic] = {number: end for number, end in by_number.items() if str(number) not in lacking}
    return covered


def proof_lost(lost: Mapping[str, Mapping[str, int]]) -> str:
    """What had not been copied, by topic, such as ``9 records had not been copied and are lost: orders 7, bills 2``;
    the topics with the most first, and at most :data:`NAMED`. Empty where nothing is lost.

    :param lost: ``{topic: {partition: records}}`` of a proof's result.
    """
    counts = {topic: sum(partitions.values()) for topic, partitions in lost.items()}
    if not counts:
        return ""
    named = sorted(counts, key=lambda topic: (-counts[topic], topic))
    topics = ", ".join(f"{topic} {counts[topic]}" for topic in named[:NAMED])
    more = f", {len(named) - NAMED} more topics" if len(named) > NAMED else ""
    return f"{sum(counts.values())} records had not been copied and are lost: {topics}{more}"


def proof_partitions(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """``{topic: [numbers of partitions]}`` of rows with ``topic`` and ``partition``; names differ by case too."""
    by_topic: dict[str, list[int]] = {}
    for row in rows:
        by_topic.setdefault(row["topic"], []).append(row["partition"])
    return by_topic


def proof_recorded(result: Mapping[str, Any], *more: str, ranges: bool = True) -> dict[str, Any]:
    """What a ledger keeps of a proof's result.

    :param more: further keys.
    :param ranges: whether a stage goes by what was compared of each partition. A ledger is kept for ever and read
        whole, and proofs of every night would fill it.
    """
    kept = {key: value for key, value in result.items() if key in (*RECORDED, *more)}
    if not ranges and kept.get("topics"):
        kept["topics"] = [{key: topic[key] for key in topic if key != "partitions"} for topic in kept["topics"]]
    return kept
