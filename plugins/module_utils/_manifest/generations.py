# SPDX-License-Identifier: GPL-3.0-or-later
"""Which data files of a manifest are merged, so that hourly runs do not name ever more files. Pure.

A run writes files of generation 0. As soon as one partition has ``FANOUT`` small files of a generation, all small files
of that generation are merged into files of the next one. So a partition has at most ``FANOUT - 1`` small files of each
generation, the number of generations grows with the logarithm of the number of runs, and a record is written again once
in each of them. Files that hold ``FULL`` offsets of a partition stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

FANOUT = 8
FULL = 1 << 18
# A task of a merge: offsets (16 to 33 bytes each in a file) and partitions at most.
TASK_OFFSETS = 4_000_000
TASK_PARTITIONS = 1000
GENERATION = re.compile(r"-g(\d+)-")

# What a data file holds of a partition: the first offset, and the one after the last.
Span = tuple[int, int]


@dataclass
class Merge:
    """Files of one partition that become one.

    :param low: rows before it are expired, and are left out.
    """

    topic: str
    topic_id: str
    partition: int
    detail: str
    low: int
    files: dict[str, Span] = field(default_factory=dict)

    @property
    def offsets(self) -> int:
        """How many offsets the files hold at most."""
        return sum(through - first for first, through in self.files.values())


def generation(name: str) -> int:
    """The generation of a data file, by its name."""
    found = GENERATION.search(name)
    return int(found.group(1)) if found else 0


def known_spans(part: dict[str, Any]) -> dict[str, Span]:
    """``{file: span}`` of a partition in manifest.json, in order; empty where it predates spans."""
    spans = part.get("spans")
    return {} if spans is None else {name: (at[0], at[1]) for name, at in zip(part["files"], spans, strict=True)}


def keep(part: dict[str, Any], spans: dict[str, Span]) -> None:
    """Let these files be all of a partition, in the order of their offsets; those that are expired are left out."""
    kept = sorted((span, name) for name, span in spans.items() if span[1] > part["low"])
    part["files"] = [name for dummy, name in kept]
    part["spans"] = [list(span) for span, dummy in kept]


def choose(topics: dict[str, Any]) -> tuple[int, list[Merge]]:
    """``(generation of the merged files, what is merged)``; nothing where no partition has too many files.

    :param topics: as in manifest.json, with the spans of all files.
    """
    chosen, target = _generations(topics)
    merges = []
    for topic, saved in sorted(topics.items()):
        for number, part in sorted(saved["partitions"].items(), key=lambda item: int(item[0])):
            small = {name: span for name, span in _small(part).items() if generation(name) in chosen}
            merges += _cut(Merge(topic, saved["topic_id"], int(number), saved["detail"], part["low"], small))
    return target, merges


def tasks(merges: list[Merge]) -> list[list[Merge]]:
    """The merges in groups of bounded size, neighbours together: each group becomes one file."""
    groups: list[list[Merge]] = []
    held = TASK_OFFSETS
    for merge in merges:
        if held + merge.offsets > TASK_OFFSETS or len(groups[-1]) == TASK_PARTITIONS:
            groups.append([])
            held = 0
        groups[-1].append(merge)
        held += merge.offsets
    return groups


def _small(part: dict[str, Any]) -> dict[str, Span]:
    return {name: span for name, span in known_spans(part).items() if span[1] - span[0] < FULL}


def _generations(topics: dict[str, Any]) -> tuple[set[int], int]:
    """The generations to merge, and the one that comes of them: the lowest that is too long, and each that becomes too
    long by what is merged into it.
    """
    most: Counter[int] = Counter()
    for saved in topics.values():
        for part in saved["partitions"].values():
            for number, count in Counter(map(generation, _small(part))).items():
                most[number] = max(most[number], count)
    lowest = min((number for number, count in most.items() if count >= FANOUT), default=None)
    if lowest is None:
        return set(), 0
    chosen = {lowest}
    while most[max(chosen) + 1] + 1 >= FANOUT:
        chosen.add(max(chosen) + 1)
    return chosen, max(chosen) + 1


def _cut(merge: Merge) -> list[Merge]:
    """A merge in parts of a task's size, each of neighbouring files."""
    parts: list[Merge] = []
    for name, span in merge.files.items():
        if not parts or parts[-1].offsets + span[1] - span[0] > TASK_OFFSETS:
            parts.append(Merge(merge.topic, merge.topic_id, merge.partition, merge.detail, merge.low))
        parts[-1].files[name] = span
    return parts
