# SPDX-License-Identifier: GPL-3.0-or-later
"""Divide ranges of offsets into tasks so that all cores work, also where one partition holds nearly everything."""

from __future__ import annotations

from typing import TypeVar

from .._digest.shapes import OffsetRange

SMALLEST = 50000
# Records of a task at most: what is repeated where an executor is lost, on a source of any size.
LARGEST = 4_000_000
TOGETHER = 400

Item = TypeVar("Item")


def split(ranges: list[OffsetRange], parallelism: int) -> list[list[OffsetRange]]:
    """Tasks, each a list of ranges of one side.

    A range is cut only if it is more than one core's share, or more than ``LARGEST``: what librdkafka prefetched beyond
    a cut is read twice.
    """
    ranges = [wanted for wanted in ranges if wanted.length > 0]
    whole = sum(wanted.length for wanted in ranges)
    share = min(LARGEST, max(SMALLEST, -(-whole // max(1, parallelism))))
    pieces = sorted((piece for wanted in ranges for piece in _cut(wanted, share)), key=lambda piece: -piece.length)
    tasks = [[piece] for piece in pieces if piece.length > share // 4]
    group: list[OffsetRange] = []
    held = 0
    for piece in pieces[len(tasks) :]:
        group.append(piece)
        held += piece.length
        if held >= share // 2 or len(group) == TOGETHER:
            tasks.append(group)
            group, held = [], 0
    return tasks + [group] if group else tasks


def _cut(wanted: OffsetRange, share: int) -> list[OffsetRange]:
    parts = -(-wanted.length * 9 // (share * 10)) if wanted.length > share else 1
    step = -(-wanted.length // parts)
    return [wanted._replace(low=low, high=min(low + step, wanted.high)) for low in range(wanted.low, wanted.high, step)]


def groups(items: list[Item], weights: list[int], count: int) -> list[list[Item]]:
    """Items in at most ``count`` groups of like weight."""
    held = [0] * max(1, min(count, len(items)))
    members: list[list[Item]] = [[] for dummy in held]
    for weight, item in sorted(zip(weights, items, strict=True), key=lambda weighed: -weighed[0]):
        lightest = held.index(min(held))
        held[lightest] += weight
        members[lightest].append(item)
    return [group for group in members if group]
