# SPDX-License-Identifier: GPL-3.0-or-later
"""Which topics of a region that is back may be deleted: those that were saved, or that are copies alone."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.found import COUNTS
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.report import kept
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.deletable import only_there, unsaved

YOUNG = "orders has 2 from before the other one's log start, which are too young to have expired there"


def topic(end: int, identity: str = "t", start: int = 0) -> dict:
    return {"id": identity, "offsets": {"0": {"start": start, "end": end}}}


SAVED = {"orders": {"topic_id": "t", "partitions": {"0": {"range": [0, 10]}}}}


@pytest.mark.parametrize(
    ("now", "salvaged", "found"),
    [
        (topic(10), SAVED, []),
        (topic(10, start=4), SAVED, []),
        (topic(0), {}, []),
        (topic(12, start=12), SAVED, []),
        (topic(10), {}, ["orders was not looked at"]),
        (topic(11), SAVED, ["orders-0 ends at 11, and was looked at to 10"]),
        (topic(9), SAVED, ["orders-0 ends at 9, and was looked at to 10"]),
        (topic(10, "other"), SAVED, ["orders is another topic than the one looked at"]),
        (
            {"id": "t", "offsets": {"0": {"start": 0, "end": 10}, "1": {"start": 0, "end": 3}}},
            SAVED,
            ["orders-1 ends at 3, and was looked at to 0"],
        ),
    ],
)
def test_what_nobody_looked_at_is_not_deleted(now, salvaged, found):
    assert unsaved({"orders": now, "bills": topic(5)}, ["orders", "cards"], salvaged) == found


def report_of(verdict: str, counts: list[dict[str, Any]]) -> dict[str, Any]:
    """A proof's report of one topic, as far as a stage keeps it."""
    none = {
        **dict.fromkeys((*COUNTS, "young_beyond"), 0),
        "verdict": "PROVEN",
        "source_range": [0, 9],
        "target_range": [0, 9],
    }
    parts = [{"partition": number, **none, **found} for number, found in enumerate(counts)]
    names = {"target_topic": "orders", "source_topic_id": "s", "target_topic_id": "t"}
    topic = {"topic": "orders", "verdict": verdict, "partitions": parts, **names}
    return {"verdict": verdict, "complete": False, "reasons": [], "totals": {}, "topics": [topic]}


def twice(end: int = 9, identity: str = "t", other: int = 9) -> dict:
    return {"id": identity, "offsets": {"0": {"start": 0, "end": end}, "1": {"start": 0, "end": other}}}


@pytest.mark.parametrize(
    ("partition", "verdict", "reasons"),
    [
        ({}, "PROVEN", []),
        ({"missing_tail": 7, "lost": 2, "beyond": 3}, "LOSS", []),
        ({"foreign": 2}, "DIFFERENT", ["orders has 2 foreign"]),
        ({"duplicated": 1, "reordered": 4}, "DUPLICATES", ["orders has 1 duplicated, 4 reordered"]),
        ({"beyond": 3, "young_beyond": 2}, "PROVEN", [YOUNG]),
        ({}, "NOT_PROVABLE", ["orders cannot be compared"]),
    ],
)
def test_what_another_region_does_not_hold_is_no_copy(partition, verdict, reasons):
    assert only_there(kept(report_of(verdict, [partition, {}])), {"orders": twice()}) == reasons


def test_a_partition_that_could_not_be_compared_is_no_copy_whatever_another_one_shows():
    """The region that works is ahead of the one that is back, so that something is missing there as a rule."""
    proof = kept(report_of("LOSS", [{"missing_tail": 7, "verdict": "LOSS"}, {"verdict": "NOT_PROVABLE"}]))
    assert only_there(proof, {"orders": twice()}) == ["orders-1 cannot be compared"]
    assert only_there(proof, {"orders": twice(other=0)}) == []


@pytest.mark.parametrize(
    ("now", "reasons"),
    [
        (twice(end=10), ["orders-0 ends at 10, and was compared to 9"]),
        (twice(identity="u"), ["orders is another topic than the one that was compared"]),
        ({"id": "t", "offsets": {"2": {"start": 0, "end": 1}}}, ["orders-2 cannot be compared"]),
    ],
)
def test_what_came_since_it_was_compared_is_no_copy(now, reasons):
    assert only_there(kept(report_of("PROVEN", [{}, {}])), {"orders": now}) == reasons


def test_a_topic_that_was_not_compared_is_no_copy():
    assert only_there({"topics": []}, {"orders": topic(9)}) == ["orders was not compared"]
    assert only_there({}, {}) == only_there({}, {"orders": topic(0)}) == []
