# SPDX-License-Identifier: GPL-3.0-or-later
"""Each case is a topic on real Kafka; all are compared by one run of the Spark job."""

from __future__ import annotations

import pytest

from . import support
from .cases import CASES as WHOLE
from .cases_of_heads import HEADS

pytestmark = pytest.mark.real
CASES = [*WHOLE, *HEADS]


@pytest.fixture(scope="module")
def compared(pair, spark, tmp_path_factory):
    support.set_up(pair, CASES)
    job = support.Job(tmp_path_factory.mktemp("cases"), pair["source"], pair["target"], spark)
    return job.compare("|".join(case.name for case in CASES), "--wait-seconds", "3")


def test_the_whole_takes_the_worst(compared):
    code, report, errors = compared
    assert (code, report["verdict"], report["complete"]) == (1, "LOSS", False), errors
    assert len(report["topics"]) == len(CASES)
    assert report["engine"]["name"] == "spark"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_tells(case, compared):
    topic = support.topic_of(compared[1], case.name)
    counts = {}
    for part in topic["partitions"]:
        for name in support.KINDS:
            if part[name]:
                counts[name] = counts.get(name, 0) + part[name]
    assert (topic["verdict"], counts) == (case.verdict, case.counts), topic
    assert case.reason in " / ".join(topic["reasons"]), topic["reasons"]
    found = [
        (one["kind"], one["source_offset"], one["target_offset"], one["field"])
        for part in topic["partitions"]
        for one in part["differences"]
    ]
    if case.differences:
        assert found == case.differences


MAPPED = [case for case in CASES if case.target and case.source]


@pytest.fixture(scope="module")
def held(compared, pair):
    """What both sides hold, as a plain consumer reads it."""
    return (
        support.read_back(
            pair["source"], [(case.name, number) for case in MAPPED for number in range(case.partitions)]
        ),
        support.read_back(
            pair["target"],
            [(case.name, number) for case in MAPPED for number in range(case.target_partitions or case.partitions)],
        ),
    )


@pytest.mark.parametrize("case", MAPPED, ids=lambda case: case.name)
def test_offset_map_is_exact(case, compared, held):
    """Every pair of the map leads to the same record, read by another client; what is proven maps every record."""
    topic = support.topic_of(compared[1], case.name)
    for part in topic["partitions"]:
        source, target = (side.get((case.name, part["partition"]), {}) for side in held)
        mapped = [
            (one["source_offset"] + step, one["target_offset"] + step)
            for one in part["offset_map"]
            for step in range(one["count"])
        ]
        assert mapped == sorted(mapped) and [pair[1] for pair in mapped] == sorted(pair[1] for pair in mapped)
        width = 3 if topic["timestamps_compared"] else 2
        for left, right in mapped:
            assert source[left][:width] == target[right][:width]
        if topic["verdict"] == "PROVEN" and topic["mode"] == "delete":
            assert len(mapped) == len(source) - part["missing_head"]
