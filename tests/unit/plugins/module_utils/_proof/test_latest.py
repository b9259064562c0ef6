# SPDX-License-Identifier: GPL-3.0-or-later
"""Compacted topics: last value of each key and the order of survivors."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import align, latest
from tests.support.records import from_rows

LOG = st.lists(st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(0, 3))), min_size=1, max_size=25)


def records(log, kept=None):
    rows = [
        (at, 1000 + at, b"k%d" % key, None if value is None else b"v%d-%d" % (value, at), None)
        for at, (key, value) in enumerate(log)
    ]
    return from_rows(rows if kept is None else [rows[at] for at in kept])


def compared(source, target, **more):
    blocks = align.blocks(source.digest(), target.digest())
    return {kind: count for kind, count in latest.compare(source, target, blocks, **more).counts.items() if count}


def compacted(log, keep):
    """Places that a cleaner may have left: all last ones but tombstones, some of the rest; a tombstone goes after all
    that it deletes.
    """
    last = {key: at for at, (key, dummy) in enumerate(log)}
    left = {at for at in last.values() if log[at][1] is not None or keep(at)}
    return [
        at for at, (key, dummy) in enumerate(log) if at in left or (at != last[key] and last[key] in left and keep(at))
    ]


@settings(max_examples=200)
@given(LOG, st.data())
def test_any_compaction_of_either_side_is_fine(log, data):
    one = compacted(log, lambda at: data.draw(st.booleans()))
    other = compacted(log, lambda at: data.draw(st.booleans()))
    if one and other:
        assert compared(records(log, one), records(log, other)) == {}


@given(LOG, st.data())
def test_a_lost_last_value_is_missing(log, data):
    last = sorted({key: at for at, (key, dummy) in enumerate(log)}.values())
    wanted = [at for at in last if log[at][1] is not None]
    if len(wanted) < 2:
        return
    lost = data.draw(st.sampled_from(wanted))
    kept = [at for at in range(len(log)) if at != lost]
    counts = compared(records(log), records(log, kept))
    assert sum(counts.get(kind, 0) for kind in ("missing", "missing_head", "missing_tail")) == 1


def test_wrong_value_is_altered():
    log = [(0, 1), (1, 1), (2, 1)]
    other = records(log)
    other.content = other.content + np.array([0, 1, 0], np.uint64)
    other.value = other.value + np.array([0, 1, 0], np.uint64)
    other._digest.clear()
    assert compared(records(log), other) == {"altered": 1}


def test_beyond_is_asked_for():
    log = [(0, 1), (1, 1), (2, 1)]

    def find(keys, digests):
        return np.ones(len(keys), bool), np.ones(len(digests), bool)

    assert compared(records(log, [0, 1]), records(log), find=find) == {"beyond": 1}
    assert compared(records(log, [0, 1]), records(log)) == {"foreign": 1}
