# SPDX-License-Identifier: GPL-3.0-or-later
"""Lag and pace from samples of a mirror; that the samples are right is shown by the drills."""

from __future__ import annotations

from kafka_dr_lab.sampler import Sample, Sampler, behind, paces

ENDS = {("t", 0): 10, ("t", 1): 5}


def test_lag_is_what_was_not_copied_yet():
    assert behind(ENDS, {("t", 0): 6, ("t", 1): 4}) == 3
    assert behind(ENDS, {("t", 0): 6}) == 8, "a partition of which nothing was copied"
    assert behind(ENDS, {("t", 0): 20, ("t", 1): 4}) == 0, "ends that were read a moment before"


def test_lag_of_a_lost_source_or_of_no_mirror_is_unknown_and_not_nought():
    assert behind(None, {("t", 0): 6}) is None and behind(ENDS, {}) is None


def test_pace_is_by_the_second():
    seen = [
        (100.2, Sample(0, 50, 1000)),
        (101.2, Sample(0, 250, 1204)),
        (103.2, Sample(0, 650, 1612)),
        (104.2, Sample(0, 650, 1612)),
    ]
    assert paces(seen) == [[101, 200], [103, 200], [104, 0]]


def test_offsets_that_are_written_for_a_mirror_to_go_on_from_were_not_copied_by_it():
    seen = [(100.0, Sample(0, 0, 1000)), (101.0, Sample(0, 90000, 1000)), (102.0, Sample(0, 90010, 1011))]
    assert paces(seen) == [[101, 0], [102, 10]]


def test_a_target_that_was_not_seen_grew_by_nothing():
    assert paces([(100.0, Sample(0, 0, None)), (101.0, Sample(0, 50, None))]) == [[101, 0]]


def test_flows_that_copied_nothing_and_looks_outside_are_left_out():
    made = Sampler(lambda region: {}, ["a", "b"], ["t"])
    for at in range(5):
        made.samples.append((100.0 + at, {("a", "b"): Sample(at, 10 * at, 10 * at), ("b", "a"): Sample(None, 0, 0)}))
    told = made.series(101, 103)
    assert told == {
        "lag": {"a to b": [[101.0, 1], [102.0, 2], [103.0, 3]]},
        "copied": {"a to b": [[102, 10], [103, 10]]},
    }
