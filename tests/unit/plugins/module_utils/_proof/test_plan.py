# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges become tasks: every offset once, balanced, big partitions cut, small ones together."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.shapes import OffsetRange
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import plan


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 3000000)), max_size=30), st.integers(1, 16))
def test_every_offset_once(sizes, parallelism):
    ranges = [OffsetRange(f"t{at}", 0, low, low + size, True) for at, (low, size) in enumerate(sizes)]
    pieces = {}
    for task in plan.split(ranges, parallelism):
        assert task
        for topic, dummy, low, high, dummy2 in task:
            assert low < high
            pieces.setdefault(topic, []).append((low, high))
    for topic, dummy, low, high, dummy2 in ranges:
        found = sorted(pieces.get(topic, []))
        if low == high:
            assert not found
            continue
        assert found[0][0] == low and found[-1][1] == high
        assert all(one[1] == other[0] for one, other in itertools.pairwise(found))


def test_one_big_partition_is_spread():
    tasks = plan.split([OffsetRange("big", 0, 0, 8000000, True), OffsetRange("small", 0, 0, 10, True)], 8)
    assert sum(1 for task in tasks if task[0][0] == "big") >= 7


def test_small_topics_share_tasks():
    assert len(plan.split([OffsetRange(f"t{at}", 0, 0, 12, True) for at in range(1000)], 2)) <= 4


def test_groups_are_alike():
    made = plan.groups(list("abcdef"), [10, 1, 1, 1, 1, 6], 2)
    assert sorted(map(sorted, made)) == [["a"], ["b", "c", "d", "e", "f"]]
