# SPDX-License-Identifier: GPL-3.0-or-later
"""From counts to verdicts and exit codes, names, bounds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import (
    bounds,
    comparison,
    pairs,
    renaming,
    report,
    verdict,
    worker,
)
from tests.support.compared import Side, log


def counts(**more):
    return {**dict.fromkeys(report.COUNTS, 0), **more}


@pytest.mark.parametrize(
    ("found", "more", "expected"),
    [
        ({}, {}, "PROVEN"),
        ({"beyond": 3}, {}, "PROVEN"),
        ({"duplicated": 1}, {}, "DUPLICATES"),
        ({"missing": 1, "altered": 1, "duplicated": 1}, {}, "LOSS"),
        ({"missing_tail": 1}, {}, "LOSS"),
        ({"lost": 1}, {}, "PROVEN"),
        ({"lost": 1, "missing_tail": 1}, {}, "LOSS"),
        ({"missing_head": 2}, {"excused_head": 1}, "LOSS"),
        ({"missing_head": 2}, {"excused_head": 2}, "PROVEN"),
        ({"reordered": 1}, {}, "DIFFERENT"),
        ({"foreign": 1}, {}, "DIFFERENT"),
        ({"aborted": 1}, {}, "DIFFERENT"),
        ({}, {"not_provable": True}, "NOT_PROVABLE"),
        ({"duplicated": 1}, {"not_provable": True}, "NOT_PROVABLE"),
        ({"altered": 1}, {"not_provable": True}, "DIFFERENT"),
    ],
)
def test_of_partition(found, more, expected):
    assert verdict.of_partition(counts(**found), **more) == expected


def test_worst():
    order = ["PROVEN", "DUPLICATES", "NOT_PROVABLE", "DIFFERENT", "LOSS"]
    for at, one in enumerate(order):
        assert verdict.worst(order[: at + 1]) == one
    assert verdict.worst([]) == "NOT_PROVABLE"
    assert [verdict.complete(one) for one in order] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("whole", "part", "expected"),
    [
        ("PROVEN", "PROVEN", 0),
        ("NOT_PROVABLE", "NOT_PROVABLE", 2),
        ("NOT_PROVABLE", "DUPLICATES", 1),
        ("LOSS", "LOSS", 1),
        ("DUPLICATES", "DUPLICATES", 1),
    ],
)
def test_exit_code(whole, part, expected):
    assert report.exit_code({"verdict": whole, "topics": [{"partitions": [{"verdict": part}]}]}) == expected


def test_rename():
    assert renaming.rename("identity")("a") == "a"
    assert renaming.rename("prefix:eu.")("a") == "eu.a"
    for wrong in ("prefix:", "suffix:x", "upper"):
        with pytest.raises(UsageError):
            renaming.rename(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"sauce": {}},
        {"source": []},
        {"source": {"t": []}},
        {"source": {"t": {"0": "1"}}},
        {"source": {"t": {"0": True}}},
        {"target": {"t": {"x": 1}}},
        {"mirrored_through": {"t": {"0": None}}},
        {"mirrored_through": {"t": 5}},
        {"held": {}},
        {"held": {"at": 5}},
        {"held": {"at": 1.5, "starts": {}}},
        {"held": {"at": 5, "starts": {"t": {"0": -1}}}},
        {"held": {"at": 5, "starts": {}, "ends": {}}},
        {"limits": []},
        {"limits": {"t": {"retention.ms": 5}}},
        {"limits": {"t": {"retention.ms": 5, "retention.bytes": -2}}},
        {"limits": {"t": {"retention.ms": "5", "retention.bytes": -1}}},
    ],
)
def test_bounds_are_checked(wrong):
    with pytest.raises(UsageError):
        bounds.check_bounds(wrong)


def entry(high=10, partitions=(0,), **config):
    return {
        "topic_id": "id",
        "config": config,
        "partitions": list(partitions),
        "bounds": {number: (0, high) for number in partitions},
    }


def test_a_bound_behind_the_end_of_the_source_is_not_provable():
    (topic,) = pairs.make({"t": entry()}, {"t": entry()}, {"t": "t"}, {"source": {"t": {"0": 11}}})
    assert topic.pairs[0].error["kind"] == "bounds"


def test_a_target_that_ends_before_its_bound_hides_nothing_of_the_source():
    (topic,) = pairs.make(
        {"t": entry()}, {"t": entry()}, {"t": "t"}, {"source": {"t": {"0": 11}}, "target": {"t": {"0": 11}}}
    )
    assert topic.pairs[0].error["kind"] == "bounds"


def test_a_bound_before_the_log_start_of_the_source_is_not_provable_and_not_empty():
    begun = {**entry(), "bounds": {0: (5, 10)}}
    (topic,) = pairs.make({"t": begun}, {"t": entry()}, {"t": "t"}, {"source": {"t": {"0": 4}}})
    assert topic.pairs[0].error["kind"] == "bounds" and "begins at 5, behind the bound 4" in topic.pairs[0].reasons[0]
    (topic,) = pairs.make({"t": begun}, {"t": entry()}, {"t": "t"}, {"source": {"t": {"0": 5}}})
    assert topic.pairs[0].error is None


def test_a_bound_of_a_partition_that_nobody_has_is_not_passed_over():
    (topic,) = pairs.make({"t": entry()}, {"t": entry()}, {"t": "t"}, {"target": {"t": {"0": 4, "12": 9, "3": 1}}})
    assert topic.not_provable and topic.reasons == [
        "a bound is given for partition 3, 12 on the target, which neither side has"
    ]


def test_bounds_cut():
    (topic,) = pairs.make(
        {"t": entry()}, {"x.t": entry()}, {"t": "x.t"}, {"source": {"t": {"0": 4}}, "target": {"x.t": {"0": 5}}}
    )
    assert (topic.pairs[0].source_range, topic.pairs[0].target_range, topic.pairs[0].target_bounded) == (
        [0, 4],
        [0, 5],
        True,
    )


def test_missing_and_other_partitions_are_said():
    (topic,) = pairs.make({"t": entry(partitions=(0, 1))}, {"t": entry()}, {"t": "t"}, None)
    assert topic.partition_difference and topic.pairs[1].reasons == ["the partition is missing on the target"]
    (gone,) = pairs.make({"t": entry()}, {}, {"t": "t"}, None)
    assert gone.reasons == ["the topic is missing on the target"]


def compared(found):
    """The report of a comparison of topics that came out so: ``{topic: [counts of each partition]}``."""
    entries = {name: entry(partitions=range(len(parts))) for name, parts in found.items()}
    topics = pairs.make(entries, entries, {name: name for name in found}, None)
    for topic in topics:
        for pair in topic.pairs:
            pair.left = pair.right = SimpleNamespace(count=10, size=1000)
            pair.result = {
                "counts": counts(**found[topic.name][pair.number]),
                "reasons": [],
                "excused_head": 0,
                "young_beyond": 0,
                "offset_map": [[0, 0, 8]],
                "differences": [],
                "difference_runs": 0,
            }
    options = SimpleNamespace(topics=".*", rename="identity", ignore_timestamps=False, bounds={"source": {}})
    side = SimpleNamespace(name="a cluster")
    return report.build(
        SimpleNamespace(
            topics=topics, options=options, reasons=[], not_provable=False, source=side, target=side, began=0.0
        )
    )


def test_what_was_not_judged_is_told_where_all_is_well():
    assert compared({"t": [{"beyond": 3}, {}]})["reasons"] == [
        "t: partition 0: 3 records on the target lie beyond the source's bounds and were not judged"
    ]


def test_what_was_not_judged_is_no_reason_for_a_difference():
    told = compared(
        {
            "a": [{"beyond": 3}],
            "b": [{"beyond": 3}, {"beyond": 5, "missing": 1}],
            "c": [{"missing_head": 2, "beyond": 1}],
        }
    )
    assert told["verdict"] == "LOSS" and told["totals"]["beyond"] == 12
    assert told["reasons"] == [
        "c: partition 0: missing at the head: 2, which the source's policy would not have deleted"
    ]
    assert "lie beyond" in told["topics"][0]["reasons"][0], "a topic that is well keeps its own"


class Forgetful(worker.InProcess):
    """An engine that loses the answer of one task."""

    def map(self, tasks, label="", total=0):
        return super().map(tasks, label, total)[:-1]


def test_a_task_without_an_answer_is_no_empty_range(short_chunks):
    rows = log(range(50))
    compared = comparison.prepare(
        {"side": Side(rows, "source")}, {"side": Side([], "target")}, comparison.Options(".*", wait_seconds=0)
    )
    with pytest.raises(NotProvableError, match="did not answer"):
        compared.run(Forgetful())
