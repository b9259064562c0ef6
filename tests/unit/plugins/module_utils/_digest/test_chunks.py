# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks: wherever a partition is split, the same chunks come out; offsets are kept as runs and mapped exactly."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import chunks, record, sequence


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "MASK", 0x3)


def digests_of(values):
    return record.mix(np.array(values, np.uint64))


def cut(values, offsets=None):
    count = len(values)
    offsets = np.arange(count) if offsets is None else np.array(offsets, np.int64)
    return chunks.cut(digests_of(values), offsets, np.arange(count, dtype=np.int64), np.full(count, 3, np.int64))


def slow_hash(values):
    total = 0
    for value in values:
        total = (total * sequence.BASE + int(value)) % sequence.PRIME
    return total


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40))
def test_sequence_hash_is_the_polynomial(values):
    array = np.array(values, np.uint64)
    assert int(sequence.segments(array, np.array([0]))[0]) == slow_hash(values)
    middle = len(values) // 2
    if middle:
        left, right = sequence.segments(array, np.array([0, middle])).tolist()
        assert (left, right) == (slow_hash(values[:middle]), slow_hash(values[middle:]))
        assert sequence.join(left, right, len(values) - middle) == slow_hash(values)


@given(st.integers(0, sequence.PRIME - 1), st.integers(0, sequence.PRIME - 1))
def test_multiply_is_modular(left, right):
    assert (
        int(sequence.multiply(np.array([left], np.uint64), np.array([right], np.uint64))[0])
        == left * right % sequence.PRIME
    )


@settings(max_examples=200)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.lists(st.integers(0, 60), max_size=5))
def test_any_split_gives_the_same_chunks(values, cuts):
    whole = cut(values)
    marks = sorted({0, len(values), *[at for at in cuts if at < len(values)]})
    offsets = np.arange(len(values))
    pieces = [
        chunks.cut(digests_of(values[low:high]), offsets[low:high], offsets[low:high], np.full(high - low, 3, np.int64))
        for low, high in itertools.pairwise(marks)
    ]
    merged = chunks.concatenate(pieces)
    assert merged.rows.tolist() == whole.rows.tolist()
    assert merged.runs.tolist() == whole.runs.tolist() == [[0, len(values)]]


def test_long_input_is_cut_in_portions(monkeypatch):
    values = list(range(5000))
    whole = cut(values)
    monkeypatch.setattr(sequence, "LIMIT", 64)
    assert cut(values).rows.tolist() == whole.rows.tolist()


def test_a_run_of_one_digest_is_one_chunk():
    values = [value for value in range(200) if int(digests_of([value])[0]) & 0x3 == 0][:1] * 50
    assert len(cut(values).rows) == 1
    assert cut(values).rows["count"][0] == 50


def test_one_lost_record_disturbs_its_own_chunk_only():
    values = list(range(400))
    left, right = cut(values), cut(values[:200] + values[201:])
    ids_left, ids_right = chunks.identities(left, right)
    assert len(set(ids_left.tolist()) - set(ids_right.tolist())) <= 2
    assert not chunks.equal(left, right)


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v[:7] + [v[8], v[7]] + v[9:],
        lambda v: v[:8] + v[24:40] + v[8:24] + v[40:],
        lambda v: v[:-1],
        lambda v: v + v[-1:],
        lambda v: v[:5] + v[5:6] + v[5:],
    ],
    ids=["neighbours", "blocks of 16", "one less", "last twice", "one twice"],
)
def test_every_change_is_seen(change):
    values = list(range(64))
    assert not chunks.equal(cut(values), cut(change(values)))


def test_a_pair_of_duplicates_does_not_cancel():
    """What XOR cannot see."""
    assert not chunks.equal(cut([1, 2, 3]), cut([1, 2, 2, 2, 3]))


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=30),
    st.lists(st.integers(1, 3), min_size=1, max_size=30),
    st.data(),
)
def test_offset_map_maps_each_record(source_steps, target_steps, data):
    source, target = np.cumsum(source_steps), np.cumsum(target_steps)
    source_runs, target_runs = chunks.offset_runs(source), chunks.offset_runs(target)
    blocks, i, j = [], 0, 0
    while i < len(source) and j < len(target):
        count = data.draw(st.integers(1, min(len(source) - i, len(target) - j)))
        blocks.append((i, j, count))
        i += count + data.draw(st.integers(0, 2))
        j += count + data.draw(st.integers(0, 2))
    expected = [(int(source[i + n]), int(target[j + n])) for i, j, count in blocks for n in range(count)]
    rows = chunks.offset_map(blocks, source_runs, target_runs)
    assert [(a + n, b + n) for a, b, count in rows.tolist() for n in range(count)] == expected
    assert all(not (x[0] + x[2] == y[0] and x[1] + x[2] == y[1]) for x, y in itertools.pairwise(rows.tolist()))


def test_empty():
    assert chunks.concatenate([]).count == 0
    assert chunks.equal(chunks.Chunks(), chunks.Chunks())
    assert chunks.offset_map([], chunks.Chunks().runs, chunks.Chunks().runs).shape == (0, 3)


def test_travel():
    one = cut(range(100))
    other = chunks.Chunks.from_bytes(*one.to_bytes())
    assert other.rows.tolist() == one.rows.tolist() and other.runs.tolist() == one.runs.tolist()
