# SPDX-License-Identifier: GPL-3.0-or-later
"""What consumer groups processed in both regions, as far as commits tell: behind where a group went on in the active
region, and before where it stood in the region that was left; and what a salvage wrote to the active region of records
before where the group stood.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import FormatError, UsageError
from .shapes import Run

Partition = tuple[str, int]
Offsets = Mapping[Partition, int]


# Why a range was processed twice; what a salvage wrote is named by the salvage's action.
POSITION = "position"


class Written(NamedTuple):
    """What a salvage wrote of one partition of the source: by which action, where to, and the exact map, ascending."""

    action: str
    topic: str
    runs: list[Run]


class Aligned(NamedTuple):
    """One partition of the source: its copy, and the exact map of offsets, ascending."""

    target_topic: str
    runs: list[Run]
    written: Written | None = None


def read_maps(path: str) -> dict[Partition, Aligned]:
    """The offset maps of the report of a salvage, or of a comparison of both regions.

    :raises UsageError: the file cannot be read. :raises FormatError: it is no such report.
    """
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise UsageError(
            f"The report {path} cannot be read", found=error.strerror, remedy="Give the path of a report.json"
        ) from error
    except ValueError as error:
        raise FormatError(f"{path} is no report", expected="JSON", found=str(error)) from error
    try:
        return dict(_maps(report["topics"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"{path} is not the report of a salvage or a comparison",
            expected="topics and partitions with an offset_map",
            found=f"{type(error).__name__}: {error}",
        ) from error


def _maps(topics: Any) -> list[tuple[Partition, Aligned]]:
    if isinstance(topics, dict):
        rows = [
            (name, topic, number, part)
            for name, topic in topics.items()
            for number, part in topic["partitions"].items()
        ]
    else:
        rows = [(topic["topic"], topic, part["partition"], part) for topic in topics for part in topic["partitions"]]
    return [
        ((name, int(number)), Aligned(topic["target_topic"], _runs(part["offset_map"]), _written(topic, part)))
        for name, topic, number, part in rows
    ]


def _written(topic: Any, part: Any) -> Written | None:
    """What a salvage's report tells of it; a comparison writes nothing."""
    runs = _runs(part.get("written_map") or [])
    return Written(topic["action"], topic["written_to"], runs) if runs else None


def _runs(given: Any) -> list[Run]:
    rows = [
        (run["source_offset"], run["target_offset"], run["count"]) if isinstance(run, dict) else run for run in given
    ]
    return sorted((int(source), int(target), int(count)) for source, target, count in rows)


def compare(
    stood: Mapping[str, Offsets], went_on: Mapping[str, Offsets], maps: Mapping[Partition, Aligned]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """``(ranges, unknown)``.

    :param stood: the groups' positions in the source, by its own topics.
    :param went_on: where they went on in the target, by its topics.
    :returns: ``[{group, topic, partition, first, last, records, cause, source_topic, source_position, went_on,
        clipped}]``, what a salvage wrote last, and ``[{group, topic, partition, reason}]``, of positions of which
        nothing can be told.
    """
    ranges: list[dict[str, Any]] = []
    unknown: list[dict[str, Any]] = []
    aligned_copies = {(aligned.target_topic, number) for (dummy, number), aligned in maps.items()}
    for group in sorted({*stood, *went_on}):
        left = dict(went_on.get(group, {}))
        for key, position in sorted(stood.get(group, {}).items()):
            aligned = maps.get(key)
            if aligned is None:
                continue
            begun = left.pop((aligned.target_topic, key[1]), None)
            if begun is None:
                unknown.append(_unknown(group, aligned.target_topic, key[1], "where it went on is not known"))
            where = {"source_topic": key[0], "source_position": position, "went_on": begun}
            ranges += [
                {"group": group, "partition": key[1], **found, **where}
                for found in [*_read_again(aligned, position, begun), *_written_again(aligned.written, position)]
            ]
        for topic, number in sorted(left):
            why = "it has no position there any more" if (topic, number) in aligned_copies else "it was not aligned"
            unknown.append(_unknown(group, topic, number, why))
    return sorted(ranges, key=lambda row: row["cause"] != POSITION), unknown


def _unknown(group: str, topic: str, partition: int, reason: str) -> dict[str, Any]:
    return {"group": group, "topic": topic, "partition": partition, "reason": reason}


def _read_again(aligned: Aligned, position: int, begun: int | None) -> list[dict[str, Any]]:
    """The range of the copy's offsets from ``begun`` on that are copies of records before ``position``."""
    first = last = None
    records, runs = 0, aligned.runs if begun is not None else []
    for source, target, count in runs:
        low, high = max(0, (begun or 0) - target), min(count, position - source)
        if low < high:
            first = target + low if first is None else first
            last = target + high - 1
            records += high - low
    if first is None:
        return []
    clipped = position > runs[-1][0] + runs[-1][2]
    row = {"topic": aligned.target_topic, "first": first, "last": last, "records": records}
    return [{**row, "cause": POSITION, "clipped": clipped}]


def _written_again(written: Written | None, position: int) -> list[dict[str, Any]]:
    """Ranges of offsets that hold nothing but what a salvage wrote of records before ``position``."""
    rows: list[dict[str, Any]] = []
    for source, target, count in sorted(written.runs if written else [], key=lambda run: run[1]):
        taken = min(count, position - source)
        if written is None or taken <= 0:
            continue
        if rows and rows[-1]["last"] + 1 == target:
            rows[-1]["last"] += taken
            rows[-1]["records"] += taken
            continue
        row = {"topic": written.topic, "first": target, "last": target + taken - 1, "records": taken}
        rows.append({**row, "cause": written.action, "clipped": None})
    return rows
