# SPDX-License-Identifier: GPL-3.0-or-later
"""What consumer groups processed in both regions, as far as commits tell: behind where a group went on in the active
region, and before where it stood in the region that was left.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import FormatError, UsageError
from .shapes import Run

Partition = tuple[str, int]
Offsets = Mapping[Partition, int]


class Aligned(NamedTuple):
    """One partition of the source: its copy, and the exact map of offsets, ascending."""

    target_topic: str
    runs: list[Run]


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
    found = []
    if isinstance(topics, dict):
        rows = [
            (name, topic["target_topic"], number, part)
            for name, topic in topics.items()
            for number, part in topic["partitions"].items()
        ]
    else:
        rows = [
            (topic["topic"], topic["target_topic"], part["partition"], part)
            for topic in topics
            for part in topic["partitions"]
        ]
    for name, copy, number, part in rows:
        runs = [
            (run["source_offset"], run["target_offset"], run["count"]) if isinstance(run, dict) else tuple(run)
            for run in part["offset_map"]
        ]
        found.append(((name, int(number)), Aligned(copy, sorted((int(a), int(b), int(c)) for a, b, c in runs))))
    return found


def compare(
    stood: Mapping[str, Offsets], went_on: Mapping[str, Offsets], maps: Mapping[Partition, Aligned]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """``(ranges, unknown)``.

    :param stood: the groups' positions in the source, by its own topics.
    :param went_on: where they went on in the target, by its topics.
    :returns: ``[{group, topic, partition, first, last, records, source_topic, source_position, went_on, clipped}]`` and
        ``[{group, topic, partition, reason}]``, of positions of which nothing can be told.
    """
    ranges: list[dict[str, Any]] = []
    unknown: list[dict[str, Any]] = []
    for group in sorted({*stood, *went_on}):
        left = dict(went_on.get(group, {}))
        for key, position in sorted(stood.get(group, {}).items()):
            aligned = maps.get(key)
            if aligned is None:
                continue
            begun = left.pop((aligned.target_topic, key[1]), None)
            if begun is None:
                unknown.append(_unknown(group, aligned.target_topic, key[1], "where it went on is not known"))
                continue
            found = _range(aligned.runs, position, begun)
            if found:
                ranges.append(
                    {
                        "group": group,
                        "topic": aligned.target_topic,
                        "partition": key[1],
                        **found,
                        "source_topic": key[0],
                        "source_position": position,
                        "went_on": begun,
                    }
                )
        aligned_copies = {(one.target_topic, number) for (dummy, number), one in maps.items()}
        for topic, number in sorted(left):
            why = "it has no position there any more" if (topic, number) in aligned_copies else "it was not aligned"
            unknown.append(_unknown(group, topic, number, why))
    return ranges, unknown


def _unknown(group: str, topic: str, partition: int, reason: str) -> dict[str, Any]:
    return {"group": group, "topic": topic, "partition": partition, "reason": reason}


def _range(runs: list[Run], position: int, begun: int) -> dict[str, Any] | None:
    """Offsets of the target from ``begun`` on that are copies of records before ``position``; None if there is none."""
    first = last = None
    records = 0
    for source, target, count in runs:
        low, high = max(0, begun - target), min(count, position - source)
        if low < high:
            first = target + low if first is None else first
            last = target + high - 1
            records += high - low
    if first is None:
        return None
    end = runs[-1][0] + runs[-1][2]
    return {"first": first, "last": last, "records": records, "clipped": position > end}
