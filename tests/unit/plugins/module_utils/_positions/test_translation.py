# SPDX-License-Identifier: GPL-3.0-or-later
"""Translation, case by case: what each kind of evidence gives, and what it must not give."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.former_topic import FormerTopic
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.offset_map import ProofMap, merge_pairs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.outline import Outline
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.spans import spans_to_read
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.translation import translate
from tests.support.evidence import dense, settled


def test_markers_on_the_target_do_not_hinder_counting():
    # 0..9 copied in two transactions: offset 5 on the target is a control record, and so is 11.
    records = {**dense(0, 5), **{offset + 1: offset for offset in range(5, 10)}}
    evidence = settled([(0, 0), (9, 10)], (0, 12), records, through=10, exactly_once=True, sealed=True)
    assert translate(evidence, 7)[:3] == (8, "exact_counted", 0)


def test_a_marker_that_cancels_a_gap_is_not_taken_for_exact():
    # Source 0,1,2,[3 missing],4..9; target 0..2, marker at 5: equal deltas between the pairs, yet not the linear answer
    # everywhere.
    copied = [0, 1, 2, 4, 5, 6, 7, 8, 9]
    records = {index if index < 5 else index + 1: upstream for index, upstream in enumerate(copied)}
    evidence = settled([(0, 0), (9, 9)], (0, 11), records, through=10, exactly_once=True, sealed=True)
    answer = translate(evidence, 5)
    assert (answer.confidence, answer.reprocess_at_most) == ("lower_bound", 1)
    assert answer.offset <= 4  # the copy of 5 is at 4; equal deltas would say 5 and skip it


def test_equal_distances_are_taken_only_where_that_is_accepted():
    evidence = settled([(0, 0), (100, 100)], (0, 200), exactly_once=True, through=150, sealed=True)
    assert translate(evidence, 50)[:2] == (1, "lower_bound")
    assert translate(evidence, 50, interpolate=True)[:2] == (50, "interpolated")


def test_a_restart_that_was_cut_off_bounds_nothing():
    # Copied to 1000, begun again at 790 unseen, lost at 821: the only copies of 821..999 lie before 1000.
    records = {**dense(0, 1000), **{1000 + index: 790 + index for index in range(32)}}
    evidence = settled([(0, 0), (800, 800), (810, 1020), (820, 1030)], (0, 1032), records)
    for position in (815, 825, 900, 999):
        answer = translate(evidence, position)
        assert answer.offset <= 815 and answer.confidence == "lower_bound", (position, answer)


def test_a_restart_seen_in_the_pairs_bounds_nothing_before_it_caught_up():
    records = {**dense(0, 100), **{100 + index: 50 + index for index in range(10)}}
    for exactly_once in (False, True):
        evidence = settled(
            [(0, 0), (99, 99), (50, 100), (59, 109)], (0, 110), records, exactly_once=exactly_once, through=60
        )
        answer = translate(evidence, 70)
        assert answer.offset <= 70 and answer.confidence == "lower_bound", answer


@pytest.mark.parametrize(("again", "only"), [(5, range(29, 32)), (7, range(31, 32))])
def test_two_restarts_in_a_row_did_not_come_past_what_the_first_had_copied(again, only):
    # 0..31, again from 24 to 28, and once more from 24: what was copied three times is no progress, and the only copies
    # of the last ones lie before.
    records = {
        **dense(0, 32),
        **{32 + index: 24 + index for index in range(5)},
        **{37 + index: 24 + index for index in range(again)},
    }
    pairs = [(0, 0), (23, 23), (24, 24), (24, 32), (27, 35), (28, 36), (24 + again - 1, 37 + again - 1)]
    evidence = settled(
        pairs if again == 5 else [*pairs[:-1], (24, 37), pairs[-1]], (0, 37 + again), records, sealed=True
    )
    for position in (24, 26, *only):
        answer = translate(evidence, position)
        assert answer.offset <= max(position, only[0]) and answer.confidence == "lower_bound", (position, answer)


def test_two_restarts_in_a_row_that_caught_up_are_no_hindrance():
    records = {
        **dense(0, 32),
        **{32 + index: 24 + index for index in range(5)},
        **{37 + index: 24 + index for index in range(60)},
    }
    evidence = settled([(0, 0), (24, 24), (24, 32), (28, 36), (24, 37), (83, 96)], (0, 97), records, sealed=True)
    assert translate(evidence, 60)[:3] == (73, "exact_counted", 0)


def test_records_of_others_are_no_progress_of_a_restart():
    # 7..20 copied, again to 19, again to 10, then three records of others: nobody says where the mirror's writing
    # ended.
    copied = [*range(7, 21), *range(7, 20), *range(7, 11)]
    records = {**dict(enumerate(copied)), **{len(copied) + index: 1000 + index for index in range(3)}}
    evidence = settled(
        [(7, 0), (16, 9), (7, 14), (19, 26), (7, 27), (10, 30)], (0, 34), records, source=(13, 49), through=None
    )
    assert translate(evidence, 7).offset <= 13


def test_a_restart_that_caught_up_is_no_hindrance():
    records = {**dense(0, 100), **{100 + index: 50 + index for index in range(100)}}
    evidence = settled([(0, 0), (99, 99), (50, 100), (99, 149), (149, 199)], (0, 200), records)
    answer = translate(evidence, 120)
    assert answer[:3] == (170, "exact_counted", 0)


def test_a_re_created_target_forgets_its_pairs():
    evidence = settled(
        [(0, 0), (500, 500), (0, 0), (9, 9)], (0, 10), dense(0, 10), through=10, exactly_once=True, sealed=True
    )
    assert translate(evidence, 5)[:2] == (5, "exact_counted")
    assert translate(evidence, 400)[:2] == (10, "exact_at_end")


def test_pairs_beyond_the_targets_end_are_of_a_lost_topic():
    evidence = settled([(0, 0), (500, 500)], (0, 10), dense(0, 10), through=501, exactly_once=True)
    assert translate(evidence, 400).offset <= 10
    assert not evidence.pairs


def test_a_re_created_source_makes_nothing_exact():
    evidence = settled([(0, 0), (500, 500)], (0, 501), dense(0, 501), source=(0, 100), through=501, exactly_once=True)
    answer = translate(evidence, 50)
    assert answer.confidence == "lower_bound" and answer.offset <= 51


def test_records_of_others_at_the_end_are_not_taken_for_copies():
    # The mirror copied up to 10; 5 more records came from producers that moved already.
    records = {**dense(0, 10), **{10 + index: 1000 + index for index in range(5)}}
    for pairs in ([(0, 0), (9, 9)], [(0, 0)]):
        assert translate(settled(pairs, (0, 15), records, through=10, exactly_once=True), 10).offset <= 10
    # Where the mirror's writing ended is told by the stage.
    assert translate(settled([(0, 0)], (0, 10), records, through=10, exactly_once=True, sealed=True), 10)[:2] == (
        10,
        "exact_at_end",
    )


def test_at_the_end_the_answer_is_the_end_behind_the_last_marker():
    evidence = settled([(0, 0), (9, 9)], (0, 11), dense(0, 10), through=10, exactly_once=True, sealed=True)
    assert translate(evidence, 10)[:3] == (11, "exact_at_end", 0)


def test_a_position_before_everything_begins_at_the_log_start():
    evidence = settled(
        [(200, 100), (299, 199)], (100, 200), dense(100, 200), through=300, exactly_once=True, sealed=True
    )
    assert translate(evidence, 5).offset == 100


def test_twins_do_not_mislead_a_comparison_to_the_end():
    values = [7, 7, 7, 8, 7, 7]
    evidence = settled(
        [(0, 0)], (0, 6), dict(enumerate(values)), (0, 6), dict(enumerate(values)), through=6, exactly_once=True
    )
    for position in range(6):
        assert translate(evidence, position)[:2] == (position, "exact_verified")


def test_a_manifest_verifies_where_the_source_is_lost():
    # A source written in transactions: every third offset is a control record, so counting alone leaves room.
    source = {offset: offset for offset in range(30) if offset % 3 != 2}
    records = dict(enumerate(source.values()))
    evidence = settled([(0, 0), (28, 19)], (0, 20), records, through=29, exactly_once=True, sealed=True)
    assert translate(evidence, 15).confidence == "lower_bound"
    evidence = settled(
        [(0, 0), (28, 19)], (0, 20), records, source_records=source, through=29, exactly_once=True, sealed=True
    )
    assert translate(evidence, 15)[:3] == (10, "exact_verified", 0)


def test_compaction_after_the_copy_leaves_survivors_to_be_found():
    source = {offset: offset for offset in (0, 3, 5, 9)}
    evidence = settled(
        [(0, 0), (9, 9)], (0, 11), dense(0, 10), (0, 12), source, through=10, exactly_once=True, sealed=True
    )
    answer = translate(evidence, 4)
    assert answer.confidence in ("exact_verified", "exact_counted") and 4 <= answer.offset <= 5


def test_a_lost_record_is_no_reason_to_skip_another():
    source = dense(0, 10)
    records = dict(enumerate(digest for digest in range(10) if digest != 4))
    evidence = settled([(0, 0), (9, 8)], (0, 9), records, (0, 10), source, through=10, exactly_once=True, sealed=True)
    for position in range(10):
        assert translate(evidence, position).offset <= records_at(records, position), position


def records_at(records, position):
    return next(offset for offset, digest in records.items() if digest >= position)


def test_the_offset_map_of_a_proof_is_exact_across_gaps_and_only_if_one_to_one():
    runs = [(0, 0, 5), (7, 6, 3)]
    evidence = settled([], (0, 10), exactly_once=True, through=10, proof=ProofMap(runs, (0, 10), (0, 10)))
    assert [translate(evidence, position)[:2] for position in (4, 5, 7, 9)] == [
        (4, "exact_verified"),
        (6, "exact_verified"),
        (6, "exact_verified"),
        (8, "exact_verified"),
    ]
    evidence = settled(
        [], (0, 10), exactly_once=True, through=10, proof=ProofMap(runs, (0, 10), (0, 10), one_to_one=False)
    )
    assert translate(evidence, 4).confidence == "lower_bound"


def test_pairs_of_a_proof_that_contradict_the_syncs_are_left_out():
    proof = ProofMap([(0, 0, 10)], (0, 10), (0, 10))
    assert merge_pairs([(20, 25)], proof) == [(0, 0), (9, 9), (20, 25)]
    assert merge_pairs([(5, 20)], proof) == [(5, 20)]


def test_checkpoints_count_only_where_inexact_answers_are_accepted_and_there_are_no_pairs():
    given = {"exactly_once": True, "through": 80, "checkpoints": [(40, 45), (60, 66)]}
    evidence = settled([], (0, 100), **given)
    assert translate(evidence, 50)[:2] == (0, "lower_bound")
    assert translate(evidence, 50, interpolate=True)[:2] == (45, "interpolated")
    assert translate(settled([(10, 12)], (0, 100), **given), 50, interpolate=True).confidence == "lower_bound"


@pytest.mark.parametrize("limit", [10, 1000])
def test_only_what_answers_need_is_read(limit):
    outline = Outline(
        [(0, 0), (500, 500), (510, 510), (999, 999)], (0, 1000), exactly_once=True, through=1000, sealed=True
    )
    target, source = spans_to_read(outline, [505], limit)
    assert target == ([(500, 511)] if limit == 1000 else [])
    assert source == ([(500, 511)] if limit == 1000 else [])


# A topic of 40 records, made again with 20: its copy holds both, with a control record behind each part.
AGAIN = ((0, 0, 1.0), (39, 39, 2.0), (0, 41, 10.0), (19, 60, 11.0))


def made_again(former=None, pairs=AGAIN, **more):
    records = {**dense(0, 40), **dense(41, 61)}
    return settled(
        [pair[:2] for pair in pairs if pair[2] >= 10],
        (0, 62),
        records,
        exactly_once=True,
        through=20,
        sealed=True,
        former=former,
        **more,
    )


@pytest.mark.parametrize(
    "former", [FormerTopic(AGAIN, 9.0, 20, 99.0), FormerTopic(AGAIN)], ids=["witnessed", "by its pairs"]
)
def test_a_position_in_the_former_topic_skips_nothing_of_the_present_one(former):
    for position, answer in ((40, (40, 0)), (39, (39, 0)), (30, (1, 29))):
        found = translate(made_again(former), position, at=3.0)
        assert (found.offset, found.reprocess_at_most, found.confidence) == (*answer, "lower_bound"), position
    assert translate(made_again(former), 20, at=12.0)[:2] == (62, "exact_at_end"), "a position in the present topic"


def test_a_position_beyond_all_that_the_topic_held_is_not_its_end():
    assert translate(made_again(FormerTopic(AGAIN, 0.0, 20, 99.0)), 40, at=12.0)[:2] == (40, "lower_bound")
    assert translate(made_again(FormerTopic(AGAIN[2:], 0.0, 20, 99.0)), 40, at=12.0)[:2] == (0, "lower_bound"), (
        "no pair of the former topic is left"
    )
    assert translate(made_again(FormerTopic(AGAIN[2:])), 40, at=12.0)[:2] == (62, "exact_at_end"), (
        "nobody says that the source ended before"
    )
    alive = made_again(FormerTopic([]), source=(0, 20), source_records=dense(0, 20, lambda offset: offset + 41))
    assert translate(alive, 40)[:2] == (0, "lower_bound")
