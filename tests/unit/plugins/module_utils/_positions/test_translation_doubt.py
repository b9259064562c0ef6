# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence that looks whole and is not: what expired, what compaction took, what was written before transactions, an
offset that is not the last.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import Row, _plain
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import SourceOffset
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.answer import EXACT
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.translation import translate
from tests.support.evidence import dense, settled

# Copied to 59, again from 0 to 20; the target holds the last 31 records, no two of them equal: 50..59 and 0..20.
WENT_BACK = {**dense(50, 60), **{60 + index: index for index in range(21)}}


@pytest.mark.parametrize(
    "pairs", [[(0, 60), (20, 80)], [(20, 80)], []], ids=["first of the new life", "the last only", "none"]
)
def test_a_mirror_that_went_back_by_more_than_the_target_holds_starts_groups_at_the_log_start(pairs):
    evidence = settled(pairs, (50, 81), WENT_BACK, through=21, sealed=True)
    for position in (0, 5, 20, 21, 55):
        answer = translate(evidence, position)
        assert answer.offset == 50 and answer.confidence not in EXACT, (position, answer)
        assert answer.reprocess_at_most >= 10, (position, answer)


def test_a_restart_that_expired_records_hide_bounds_nothing():
    # The first sync of the second life was never written, and what would show as copied twice has expired.
    evidence = settled([(0, 0), (10, 70)], (50, 81), WENT_BACK, through=21, sealed=True)
    assert translate(evidence, 5).offset == 50


def test_an_expired_head_that_a_pair_covers_is_no_hindrance():
    evidence = settled([(50, 50), (80, 80)], (50, 81), dense(50, 81), through=81, sealed=True)
    assert translate(evidence, 60)[:3] == (60, "exact_counted", 0)


def test_an_expired_head_is_no_hindrance_where_the_source_shows_the_records():
    evidence = settled([(70, 70)], (50, 81), dense(50, 81), (0, 81), dense(0, 81), through=81)
    assert translate(evidence, 60)[:3] == (60, "exact_verified", 0)
    assert translate(settled([(70, 70)], (50, 81), dense(50, 81), through=81, exactly_once=True, sealed=True), 75)[
        :2
    ] == (75, "exact_counted")


def test_what_was_copied_before_there_were_transactions_may_have_been_copied_again():
    records = {**dense(0, 60), **{60 + index: index for index in range(21)}}
    more = {"through": 21, "exactly_once": True, "sealed": True}
    assert translate(settled([(20, 80)], (0, 82), records, **more), 20).confidence in EXACT, (
        "nothing says that there was a time without"
    )
    for pairs in ([(20, 80)], []):
        evidence = settled(pairs, (0, 82), records, mixed=True, **more)
        for position in (5, 20, 21, 40):
            answer = translate(evidence, position)
            assert answer.offset <= max(0, position - 1) and answer.confidence not in EXACT, (position, answer)


def row(offset, upstream, key="orders"):
    return Row(0, offset, 1000 + offset, (SourceOffset("MirrorSourceConnector", "na", key, 0, upstream),))


@pytest.mark.parametrize(
    ("rows", "seen"),
    [
        ([row(0, 9), row(1, 19), row(2, 29), row(3, 39)], True),
        ([row(0, 9), row(2, 19), row(4, 29)], False),  # each transaction ends in a control record
        ([row(0, 9), row(1, 9, "other"), row(3, 19), row(4, 19, "other"), row(6, 29)], False),
        ([row(0, 9), row(1, 9, "other"), row(2, 19), row(3, 19, "other"), row(4, 29)], True),
        ([row(0, 9), row(1, 19), row(3, 29), row(5, 39)], False),  # the first was put there before the mirror began
        ([row(0, 9), row(1, 9), row(2, 19)], False),
    ],
)
def test_rows_of_connect_without_control_records_between_were_written_without_transactions(rows, seen):
    of_key = {}
    for one in rows:
        of_key.setdefault((one.value[0].topic, 0), []).append(one)
    assert (("orders", 0) in _plain(rows, of_key)) is seen


def test_an_offset_of_connect_that_the_source_contradicts_is_not_used():
    # All 20 are copied; Connect's row says 12.
    for contents in (lambda offset: offset, lambda offset: offset % 2):
        evidence = settled(
            [(0, 0)],
            (0, 21),
            dense(0, 20, contents),
            (0, 30),
            dense(0, 30, contents),
            through=12,
            exactly_once=True,
            sealed=True,
        )
        for position in range(31):
            answer = translate(evidence, position)
            assert answer.offset <= position and (answer.confidence not in EXACT or answer.offset == position), (
                position,
                answer,
            )
    beyond = settled([(0, 0)], (0, 11), dense(0, 10), (0, 15), dense(0, 10), through=40, exactly_once=True, sealed=True)
    assert translate(beyond, 12).confidence not in EXACT or translate(beyond, 12).offset == 11


def test_an_offset_of_connect_that_the_source_confirms_is_exact():
    evidence = settled(
        [(0, 0)], (0, 21), dense(0, 20), (0, 30), dense(0, 30), through=20, exactly_once=True, sealed=True
    )
    assert translate(evidence, 15)[:3] == (15, "exact_verified", 0)
    assert translate(evidence, 25)[:3] == (21, "exact_at_end", 0)


def test_compaction_of_the_copy_hides_that_there_were_two():
    # 0..99 and again 50..59. The keys of 0..49 came again in 60..99, and of each key the last record is left: no two
    # are equal, nor are there too many.
    records = {**dense(60, 100), **{100 + index: 50 + index for index in range(10)}}
    evidence = settled([(0, 0), (59, 109)], (0, 110), records, through=60, sealed=True)
    for position in (10, 55, 59, 60, 70):
        answer = translate(evidence, position)
        assert answer.offset <= max(60, position) and answer.confidence not in EXACT, (position, answer)


def test_compaction_of_a_copy_made_in_transactions_leaves_answers_exact():
    records = {offset: offset for offset in range(40) if offset % 3 == 0 or offset >= 30}
    evidence = settled(
        [(0, 0), (39, 39)], (0, 41), records, source_records=dense(0, 40), through=40, exactly_once=True, sealed=True
    )
    for position in range(30):
        answer = translate(evidence, position)
        assert answer.offset <= -(-position // 3) * 3, (position, answer)
