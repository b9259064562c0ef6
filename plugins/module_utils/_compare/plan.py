# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Divide ranges of offsets into tasks so that all cores work, also where one partition holds nearly everything."""

from __future__ import annotations

SMALLEST = 50000
TOGETHER = 400


def split(ranges, parallelism):
    """Tasks, each a list of ranges, of ``[(topic, partition, low, high, timestamps)]`` of one side.

    A range is cut only if it is more than one core's share: what librdkafka prefetched beyond a cut is read twice.
    """
    ranges = [one for one in ranges if one[3] > one[2]]
    total = sum(high - low for dummy, dummy2, low, high, dummy3 in ranges)
    share = max(SMALLEST, -(-total // max(1, parallelism)))
    large, small = [], []
    for topic, partition, low, high, timestamps in ranges:
        parts = -(-(high - low) * 9 // (share * 10)) if high - low > share else 1
        step = -(-(high - low) // parts)
        for at in range(low, high, step):
            piece = (topic, partition, at, min(at + step, high), timestamps)
            (large if piece[3] - piece[2] > share // 4 else small).append(piece)
    tasks = [[piece] for piece in sorted(large, key=lambda one: one[2] - one[3])]
    group, held = [], 0
    for piece in sorted(small, key=lambda one: one[2] - one[3]):
        group.append(piece)
        held += piece[3] - piece[2]
        if held >= share // 2 or len(group) == TOGETHER:
            tasks.append(group)
            group, held = [], 0
    if group:
        tasks.append(group)
    return tasks


def groups(items, weights, count):
    """Items in at most ``count`` groups of like weight."""
    made = [[0, number, []] for number in range(max(1, min(count, len(items))))]
    for weight, item in sorted(zip(weights, items, strict=True), key=lambda one: -one[0]):
        lightest = min(made, key=lambda one: one[:2])
        lightest[0] += weight
        lightest[2].append(item)
    return [one[2] for one in made if one[2]]
