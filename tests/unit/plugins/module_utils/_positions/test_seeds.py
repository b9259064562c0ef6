# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror is told after a restore: source offsets and pairs of offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import OffsetSync
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import SourceOffset
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import seeds


def proof(partitions, complete=True):
    described = {str(number): {"source": source, "target": target} for number, (source, target) in partitions.items()}
    return {
        "verdict": "PROVEN" if complete else "LOSS",
        "complete": complete,
        "topics": [{"topic": "t", "target_topic": "t", "partitions": described}],
    }


def test_the_last_offset_of_each_partition_that_holds_anything():
    rows = seeds.source_offsets(proof({0: ([0, 12], [0, 10]), 10: ([0, 1], [0, 1]), 2: ([0, 0], [0, 0])}), "na")
    assert rows == [
        SourceOffset("MirrorSourceConnector", "na", "t", 0, 9),
        SourceOffset("MirrorSourceConnector", "na", "t", 10, 0),
    ]


def test_without_a_complete_proof_nothing_is_said():
    with pytest.raises(RefusedError, match="found LOSS"):
        seeds.source_offsets(proof({}, complete=False), "na")


def test_pairs_are_the_ends_of_runs_and_the_markers_behind_them():
    # Backup 0-4 came back as 0-4, a marker at 5; backup 6-9 as 6-9, markers end both.
    pairs = seeds.offset_syncs(proof({0: ([0, 12], [0, 11])}), {("t", 0): [(0, 0, 5), (7, 6, 4)]})
    assert [(one.upstream, one.downstream) for one in pairs] == [(0, 0), (4, 4), (6, 7), (9, 10), (10, 11)]
    assert set(pairs) <= {OffsetSync("t", 0, one.upstream, one.downstream) for one in pairs}


def test_a_last_record_keeps_its_own_pair():
    pairs = seeds.offset_syncs(proof({0: ([0, 12], [0, 3])}), {("t", 0): [(2, 0, 3)]})
    assert (pairs[-1].upstream, pairs[-1].downstream) == (2, 4)


def test_without_a_map_there_are_no_pairs():
    assert seeds.offset_syncs(proof({0: ([0, 12], [0, 3])}), {}) == []


def translated(pairs, position):
    """MirrorMaker 2's own rule (``OffsetSyncStore.translateDownstream``): the offset itself, or one beyond the last
    pair before it.
    """
    before = [one for one in pairs if one.upstream <= position]
    if not before:
        return None
    return before[-1].downstream + (0 if before[-1].upstream == position else 1)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 9)), min_size=1, max_size=30),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_no_group_is_sent_beyond_what_it_has_not_read(gaps, restored_tail, backup_tail):
    runs, restored, backup = [], 0, 0
    for gap_restored, gap_backup, count in gaps:
        restored, backup = restored + gap_restored, backup + gap_backup
        runs.append((backup, restored, count))
        restored, backup = restored + count, backup + count
    pairs = seeds.offset_syncs(proof({0: ([0, backup + backup_tail], [0, restored + restored_tail])}), {("t", 0): runs})
    copies = {there + step: here + step for here, there, count in runs for step in range(count)}
    for position in range(restored + restored_tail + 1):
        answer = translated(pairs, position)
        following = [copy for offset, copy in copies.items() if offset >= position]
        if answer is not None and following:
            assert answer <= min(following)


def test_many_runs_are_thinned_and_the_newest_kept():
    runs = [(3 * number, 2 * number, 1) for number in range(5000)]
    pairs = seeds.offset_syncs(proof({0: ([0, 15000], [0, 10000])}), {("t", 0): runs})
    assert len(pairs) <= seeds.MOST_PAIRS and pairs[0].upstream == 0
    assert [one.upstream for one in pairs[-3:]] == [9996, 9998, 9999]
