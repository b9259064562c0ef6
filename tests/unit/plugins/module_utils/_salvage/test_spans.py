# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of offsets do what sets of offsets do."""

from __future__ import annotations

import random

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import report, spans


def offsets(runs):
    return [first + at for first, count in runs.tolist() for at in range(count)]


@pytest.mark.parametrize("seed", range(200))
def test_runs_are_sets(seed):
    chance = random.Random(seed)
    left, right = ({chance.randrange(60) for dummy in range(chance.randrange(50))} for dummy2 in range(2))
    one, other = spans.of_offsets(sorted(left)), spans.of_offsets(chance.sample(sorted(right), len(right)))
    assert offsets(one) == sorted(left)
    assert spans.count(one) == len(left)
    assert offsets(spans.without(one, other)) == sorted(left - right)
    assert offsets(spans.both(one, other)) == sorted(left & right)
    assert offsets(spans.as_runs([*one.tolist(), *other.tolist()])) == sorted(left | right)
    assert offsets(spans.within(one, 20, 40)) == sorted(left & set(range(20, 40)))
    assert offsets(spans.within(one, 20)) == sorted(at for at in left if at >= 20)
    assert spans.holds(one, range(60)).tolist() == [at in left for at in range(60)]
    assert spans.bounds(one) == ((min(left), max(left)) if left else (None, None))
    covered = [at for low, high in spans.reading(one, near=3) for at in range(low, high)]
    assert covered == sorted(set(covered)) and left <= set(covered)
    pieces = list(report.pieces(one, 7))
    assert [at for piece in pieces for at in offsets(spans.as_runs(piece))] == sorted(left)
    assert all(sum(count for dummy, count in piece) == 7 for piece in pieces[:-1])
    drawn = [chance.sample(range(60), len(left)) for dummy in range(2)]
    pairs = spans.paired(*map(spans.of_offsets, drawn))
    rank = [(first + at, second + at) for first, second, count in pairs for at in range(count)]
    assert rank == list(zip(sorted(drawn[0]), sorted(drawn[1]), strict=True))
    assert spans.paired(one, spans.of_offsets(range(len(left) + 1))) == []
