# SPDX-License-Identifier: GPL-3.0-or-later
"""Alignment: always a common subsequence; exact where one side is the other with elements left out."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import align

SMALL = st.lists(st.integers(0, 5), max_size=40)


def pairs(left, right):
    return [
        (i + n, j + n)
        for i, j, count in align.blocks(np.array(left, np.uint64), np.array(right, np.uint64))
        for n in range(count)
    ]


@settings(max_examples=300)
@given(SMALL, SMALL)
def test_is_a_common_subsequence(left, right):
    found = pairs(left, right)
    assert all(left[i] == right[j] for i, j in found)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(found))


@settings(max_examples=300)
@given(SMALL, st.data())
def test_is_exact_where_elements_are_left_out(values, data):
    kept = [at for at in range(len(values)) if data.draw(st.booleans())]
    fewer = [values[at] for at in kept]
    assert len(pairs(values, fewer)) == len(fewer)
    assert len(pairs(fewer, values)) == len(fewer)


def test_swap_keeps_all_but_one():
    assert len(pairs([0, 1, 2, 3, 4], [0, 2, 1, 3, 4])) == 4


def test_long_sequences_are_quick():
    left = np.random.default_rng(1).integers(0, 2**63, 200000).astype(np.uint64)
    right = np.delete(left, [10, 100000, 199999])
    assert sum(count for dummy, dummy2, count in align.blocks(left, right)) == 199997


@given(SMALL, SMALL)
def test_occurrences_pair_as_many_as_both_have(left, right):
    i, j = align.occurrences(np.array(left, np.uint64), np.array(right, np.uint64))
    assert [left[a] for a in i] == [right[b] for b in j]
    assert len(i) == sum(min(left.count(value), right.count(value)) for value in set(left))
    assert len(set(i.tolist())) == len(i) and len(set(j.tolist())) == len(j)
