# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that a source took after its mirror had stopped; the work of ``late_records_info``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.offsets import LogBounds, topic_offsets
from .._kafka.reader import read
from .._kafka.topics import TopicDescription, describe_topics, hidden_topics
from .._values.listing import named
from .._values.pattern import matching

NAMED = 5
# Beyond so many offsets nobody waits for each to be read: that there are records is shown by the first ones.
LOOK_INTO = 20000


def late_records_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``late_records_info``; reads only. See the module's RETURN for the shape."""
    source = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    names = matching(list(source.metadata().topics), params["topics"], "topics")
    described = describe_topics(source, names)
    again = _made_again(described, params["topic_ids"])
    bounds = topic_offsets(source, {name: topic["partitions"] for name, topic in described.items()}, gone="waited for")
    # Of a partition that was empty a mirror has no offset.
    copied = {*params["topic_ids"], *params["through"]} - set(again)
    rows = [
        _row(topic, number, end, _copied(params, topic, number) if topic in copied else None)
        for topic, ends in bounds.items()
        for number, end in ends.items()
    ]
    beyond = [row for row in rows if row["end"] > row["begin"]]
    for row, count in zip(beyond, _count(source, beyond), strict=True):
        row["records"] = count
    late = sorted((row for row in beyond if row["records"]), key=lambda row: (row["topic"], row["partition"]))
    shorter = [
        {"topic": row["topic"], "partition": row["partition"], "through": row["begin"], "end": row["whole_end"]}
        for row in rows
        if row["begin"] > row["whole_end"]
    ]
    undecided = sorted(f"{row['topic']}-{row['partition']}" for row in rows if row["undecided"])
    hidden, deleted = _absent(source, described, params)
    sentences = [*_whole(again, hidden), *_sentences(late, undecided, shorter)]
    return {
        "changed": False,
        "ready": not sentences,
        "total": sum(row["records"] for row in late),
        "exact": not (again or hidden or deleted or undecided or shorter or any(map(_is_bound, rows))),
        "late": [{key: row[key] for key in ("topic", "partition", "begin", "records")} for row in late],
        "begins": _begins(late),
        "undecided": undecided,
        "shorter": shorter,
        "made_again": again,
        "hidden": hidden,
        "waiting_for": named(sentences, NAMED, "; "),
    }


def _copied(params: dict[str, Any], topic: str, number: str) -> int:
    """The offset up to which a partition was copied, or seen to hold nothing more."""
    return max(int((params[known].get(topic) or {}).get(number, 0)) for known in ("through", "at_rest"))


def _begins(late: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Up to where a comparison may go by what was copied: never where a log has begun since, beyond which it would find
    nothing to compare and nothing wrong.
    """
    found: dict[str, dict[str, int]] = {}
    for row in late:
        if row["through"] is not None:
            found.setdefault(row["topic"], {})[str(row["partition"])] = row["through"]
    return found


def _made_again(described: Mapping[str, TopicDescription], ids: Mapping[str, str]) -> list[str]:
    """Topics that have another id than when they were copied: whatever they hold came later."""
    return sorted(name for name, topic in described.items() if ids.get(name) not in (None, "", topic["id"]))


def _absent(
    source: KafkaClient, described: Mapping[str, TopicDescription], params: dict[str, Any]
) -> tuple[list[str], set[str]]:
    """Topics that the source hides, and those that were deleted since it had come to rest. A mirror remembers others
    that were deleted long before.
    """
    hidden = hidden_topics(source, sorted({*params["through"], *params["topic_ids"]} - set(described)))
    return hidden, set(params["at_rest"]) - set(described) - set(hidden)


def _whole(again: list[str], hidden: list[str]) -> list[str]:
    sentences = [f"{topic} was made again since it was copied: every record in it is later" for topic in again]
    if hidden:
        sentences.append(
            f"the source does not show {named(hidden, NAMED)}, which was copied: give this principal DESCRIBE on every "
            "topic that the patterns match"
        )
    return sentences


def _sentences(late: list[dict[str, Any]], undecided: list[str], shorter: list[dict[str, Any]]) -> list[str]:
    sentences = []
    for row in late:
        at_least = "at least " if _is_capped(row) else ""
        sentences.append(f"{row['topic']}-{row['partition']} has {at_least}{row['records']} from offset {row['begin']}")
    sentences += [f"an open transaction in {partition}" for partition in undecided]
    sentences += [
        f"{row['topic']}-{row['partition']} ends at {row['end']}, before offset {row['through']}, "
        "up to which it was copied: it was made again, or lost records"
        for row in shorter
    ]
    return sentences


def _is_capped(row: dict[str, Any]) -> bool:
    return bool(row["end"] - row["begin"] > LOOK_INTO)


def _is_bound(row: dict[str, Any]) -> bool:
    """Whether there may be, or have been, more late records than were counted."""
    # Without an offset of the mirror, what has expired may have done so long ago.
    behind = bool(row["through"]) and row["begin"] > row["through"]
    return behind or bool(row["records"] and _is_capped(row))


def _row(topic: str, number: str, ends: LogBounds, through: int | None) -> dict[str, Any]:
    """Where a partition's late records lie. One of which no end is known is late from its beginning."""
    return {
        "topic": topic,
        "partition": int(number),
        "through": None if through is None else int(through),
        "begin": max(int(through or 0), ends["start"]),
        "end": ends["stable"],
        "whole_end": ends["end"],
        "undecided": ends["stable"] < ends["end"],
        "records": 0,
    }


def _count(source: KafkaClient, rows: list[dict[str, Any]]) -> list[int]:
    """Data records of these ranges; the markers of transactions and aborted records are none."""
    found = [0] * len(rows)
    ranges = [(row["topic"], row["partition"], row["begin"], min(row["end"], row["begin"] + LOOK_INTO)) for row in rows]
    for index, messages in read(source, ranges, timeout=source.timeout):
        found[index] += len(messages)
    # Nothing among the first ones says nothing about the rest.
    for index, row in enumerate(rows):
        at = row["begin"] + LOOK_INTO
        while not found[index] and at < row["end"]:
            for dummy, messages in read(
                source, [(row["topic"], row["partition"], at, min(row["end"], at + LOOK_INTO))], timeout=source.timeout
            ):
                found[index] += len(messages)
            at += LOOK_INTO
    return found
