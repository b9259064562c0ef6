# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of a partition: green only where records are paired, and one lost record in a hundred million is seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.lanes import lane
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.proof import missing, view

from .reports import lossy_partition, partition, proof


def covered(lanes, tone=None):
    return round(sum(run["width"] for run in lanes if tone in (None, run["tone"])), 1)


def test_all_paired_is_all_green():
    part = partition()
    assert lane(part["source_range"], part["offset_map"], [], "source") == [{"x": 0.0, "width": 100.0, "tone": "ok"}]


def test_one_lost_record_among_a_hundred_million_is_seen():
    runs = [{"source_offset": 0, "target_offset": 0, "count": 10**8}]
    found = lane(
        [0, 10**8], runs, [{"kind": "missing", "source_offset": 54321, "target_offset": None, "count": 1}], "source"
    )
    assert [run["tone"] for run in found] == ["bad", "ok"] and 0 < covered(found, "bad") < 0.5


def test_differences_lie_on_the_side_that_has_the_offset():
    part = lossy_partition()
    assert (
        len(
            [
                run
                for run in lane(part["source_range"], part["offset_map"], part["differences"], "source")
                if run["tone"] == "bad"
            ]
        )
        == 2
    )
    assert (
        len(
            [
                run
                for run in lane(part["target_range"], part["offset_map"], part["differences"], "target")
                if run["tone"] == "bad"
            ]
        )
        == 1
    )


def test_a_tail_is_red_where_it_is_a_loss_and_not_where_it_had_not_been_copied():
    for verdict, kind, tone in (("LOSS", "missing_tail", "bad"), ("PROVEN", "lost", "warn")):
        tail = {kind: 10, "differences": [{"kind": kind, "source_offset": 9990, "target_offset": None, "count": 10}]}
        shown = view(proof(partition(verdict=verdict, **tail), verdict=verdict))["topics"][0]["partitions"][0]
        assert shown["lanes"]["source"][-1]["tone"] == tone


def test_worst_topics_come_first():
    report = proof()
    report["topics"] = [
        {**report["topics"][0], "topic": name, "verdict": name}
        for name in ("PROVEN", "DIFFERENT", "NOT_PROVABLE", "LOSS", "DUPLICATES")
    ]
    assert [one["topic"] for one in view(report)["topics"]] == [
        "LOSS",
        "DIFFERENT",
        "NOT_PROVABLE",
        "DUPLICATES",
        "PROVEN",
    ]


def test_what_nobody_told_is_not_green():
    assert lane([0, 100], [], [], "source") == []
    assert covered(lane([0, 100], [{"source_offset": 0, "target_offset": 0, "count": 40}], [], "source")) == 40.0
    assert lane([5, 5], [], [], "source") == lane(None, [], [], "source") == []


def test_compacted_topic_that_is_proven_is_green_though_its_map_has_holes():
    report = proof(partition(offset_map=[]))
    report["topics"][0]["mode"] = "compact"
    assert covered(view(report)["topics"][0]["partitions"][0]["lanes"]["source"], "ok") == 100.0
    report["topics"][0]["partitions"][0]["verdict"] = "NOT_PROVABLE"
    assert not view(report)["topics"][0]["partitions"][0]["lanes"]["source"]


def test_differences_that_are_not_shown_are_counted():
    rows = [
        {"kind": "missing", "source_offset": at, "target_offset": None, "count": 1, "timestamp": 0, "field": None}
        for at in range(1500)
    ]
    shown = view(
        proof(partition(0, verdict="LOSS", missing=1500, differences=rows, differences_left_out=7), verdict="LOSS")
    )["topics"][0]["partitions"][0]
    assert (len(shown["differences"]), shown["left_out"]) == (1000, 507)


def test_command_repeats_the_proof():
    again = proof(options={"topics": "a b.*", "rename": "prefix:na.", "ignore_timestamps": True})
    assert view(again)["command"] == (
        "ansible-playbook -i inventory streamsafe.kafka_dr.verify_restore -e proof_source=north_america -e proof_target=europe "
        "-e 'proof_topics=a b.*' -e proof_rename=prefix:na. -e proof_ignore_timestamps=true"
    )


@given(st.integers(0, 10**12), st.integers(1, 10**12), st.data())
def test_runs_lie_side_by_side_within_the_range(low, size, data):
    begin = data.draw(st.integers(low, low + size - 1))
    count = data.draw(st.integers(1, low + size - begin))
    found = lane([low, low + size], [{"source_offset": begin, "target_offset": 0, "count": count}], [], "source")
    assert found and all(0 <= run["x"] and run["x"] + run["width"] <= 100.001 for run in found)
    assert covered(found) >= round(100 * count / size, 1) - 0.1


def test_what_is_missing_is_counted_wherever_it_is_missing():
    assert missing({"missing": 0}, "good") == ("0", "", "")
    assert missing({"missing_head": 1}, "bad") == ("1", "at the head", "bad")
    assert missing({"missing": 2, "missing_tail": 3}, "bad") == ("5", "2 in between, 3 at the tail", "bad")
    assert missing({"missing_head": 3}, "good") == ("3", "at the head, as allowed", "warn")
    assert missing({"lost": 3}, "good") == ("3", "lost, never copied", "warn")
    assert missing({"lost": 3, "missing_tail": 1}, "bad") == ("4", "1 at the tail, 3 lost, never copied", "bad")


def test_what_was_lost_is_in_the_sentence():
    for verdict in ("PROVEN", "DUPLICATES"):
        assert (
            "(7 had not been copied and are lost)"
            in view(proof(partition(verdict=verdict, lost=7), verdict=verdict))["sentence"]
        )
