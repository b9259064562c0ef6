# SPDX-License-Identifier: GPL-3.0-or-later
"""Which topics a mirror can still continue, some time after they were compared."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.continued import (
    behind,
    compared,
    lasting,
    moved,
    standing,
)


def proven(name: str) -> dict:
    parts = {"0": {"source": [2, 9], "target": [0, 7]}, "1": {"source": [0, 0], "target": [0, 0]}}
    more = {"target_topic": name, "partitions": parts}
    return {"topic": name, "source_topic_id": "t", "target_topic_id": "a", "verdict": "PROVEN", **more}


def now(identity: str = "t", end: int = 9, **more: int) -> dict:
    ends = {"0": end, "1": 0, **{number.removeprefix("p"): other for number, other in more.items()}}
    return {"id": identity, "offsets": {number: {"start": 0, "end": other} for number, other in ends.items()}}


PLAN = {"kept": ["bills", "orders"], "again": ["cards"], "tail": {"cards": 1}, "proof": {"verdict": "PROVEN"}}
PLAN["proof"]["topics"] = [proven("bills"), proven("orders")]


@pytest.mark.parametrize(
    ("topic", "reasons"),
    [
        (now(), []),
        (now(end=10), ["orders-0 ends at 10, and was proven to 9"]),
        (now(end=8), ["orders-0 ends at 8, and was proven to 9"]),
        (now(p2=0), []),
        (now(p2=1), ["orders-2 ends at 1, and was proven to 0"]),
        (now("other"), ["orders is another topic than the one that was compared"]),
        (None, ["orders is not there"]),
    ],
)
def test_a_topic_is_continued_only_as_it_was_proven(topic, reasons):
    assert (
        moved({"bills": now(), "cards": now("c", 99)} | ({"orders": topic} if topic else {}), PLAN["proof"]) == reasons
    )


@pytest.mark.parametrize(
    ("topic", "reasons"),
    [
        (now(end=10, p2=1), []),
        (now(end=8), ["orders-0 ends at 8, and was proven to 9"]),
        (now("other", end=10), ["orders is another topic than the one that was compared"]),
        (None, ["orders is not there"]),
    ],
)
def test_a_mirror_that_was_seeded_goes_on_with_what_it_was_seeded_for(topic, reasons):
    assert moved({"bills": now()} | ({"orders": topic} if topic else {}), PLAN["proof"], seeded=True) == reasons


@pytest.mark.parametrize("active", [{}, {"orders": {"id": "later"}}], ids=["gone", "made again"])
def test_nor_where_the_region_that_works_has_another_topic(active):
    """Its owner may have deleted it while a run was cut off."""
    bills = {"bills": {"id": "a"}}
    here = {"bills": now(), "orders": now()}
    found = moved(here, PLAN["proof"], active={**bills, **active})
    assert found == ["orders was deleted or made again in the region that works"]
    assert moved(here, PLAN["proof"], active={**bills, "orders": {"id": "a"}}) == []


def test_nothing_is_continued_without_a_proof():
    assert moved({"orders": now()}, {}) == []


def test_a_topic_that_was_deleted_since_is_copied():
    found = standing(PLAN, {"bills": now(), "cards": now()})
    assert (found["kept"], found["again"]) == (["bills"], ["cards", "orders"])
    assert [topic["topic"] for topic in found["proof"]["topics"]] == ["bills"]
    assert found["proof"]["verdict"] == "PROVEN" and found["tail"] == {"cards": 1}


def test_a_topic_that_is_there_stays_decided():
    assert standing(PLAN, {"bills": now(), "orders": now("other"), "more": now()}) == PLAN


@pytest.mark.parametrize(("active", "reasons"), [({}, []), ({"orders": {"id": "later"}}, ["orders"])])
def test_a_mirror_that_was_seeded_has_nothing_to_copy_of_a_topic_that_is_gone(active, reasons):
    """Of one that was made again it would skip the records below what it was seeded with."""
    found = moved(
        {"bills": now(), "orders": now()}, PLAN["proof"], seeded=True, active={"bills": {"id": "a"}, **active}
    )
    assert [reason.partition(" ")[0] for reason in found] == reasons
    if not active:
        gone_on_both = moved({"bills": now()}, PLAN["proof"], seeded=True, active={"bills": {"id": "a"}})
        assert gone_on_both == []


@pytest.mark.parametrize(
    ("topic", "active", "reasons"),
    [
        (now("c", 1), "cards", []),
        (now("c", 0), "cards", ["cards-0 holds nothing, and the mirror had copied records to it"]),
        (None, "cards", ["cards-0 holds nothing, and the mirror had copied records to it"]),
        (None, "bills", []),
    ],
    ids=["there", "made again", "deleted", "deleted on both sides"],
)
def test_a_topic_that_the_mirror_had_copied_to_is_there(topic, active, reasons):
    rows = [
        {"topic": "cards", "target_topic": "cards", "partition": number, "mirrored_through": 5 - 5 * number or None}
        for number in (0, 1)
    ]
    rows.append({"topic": "orders", "target_topic": "orders", "partition": 0, "mirrored_through": 9})
    topics = {"bills": now(), "orders": now()} | ({"cards": topic} if topic else {})
    there = {name: {"id": "a"} for name in ("bills", "orders", active)}
    assert moved(topics, PLAN["proof"], seeded=True, active=there, copied=rows) == reasons


def differing(verdict, counts):
    parts = {"0": {"source": [2, 9], **counts}, "1": {"source": [4, 4]}}
    return {
        "topics": [
            {"topic": "bills", "verdict": "PROVEN", "partitions": {"0": {"source": [0, 3], "missing_head": 1}}},
            {"topic": "orders", "verdict": verdict, "partitions": parts},
        ]
    }


@pytest.mark.parametrize(
    ("verdict", "counts", "lasts"),
    [
        ("PROVEN", {}, False),
        ("NOT_PROVABLE", {"missing": 1}, False),
        # One side has a partition more, which the mirror adds.
        ("DIFFERENT", {}, False),
        ("LOSS", {"missing_tail": 4}, True),
        ("LOSS", {"missing_head": 4}, True),
        ("DIFFERENT", {"altered": 1}, True),
    ],
)
def test_what_no_mirror_mends_are_records_that_are_not_alike(verdict, counts, lasts):
    assert lasting(differing(verdict, counts)) is lasts


@pytest.mark.parametrize(
    ("row", "late"),
    [
        ({"mirrored_through": 9, "caught_up": False}, []),
        # Behind its last record lies a marker.
        ({"mirrored_through": 8, "caught_up": True}, []),
        ({"mirrored_through": 8, "caught_up": False}, ["orders-0 at 8 of 9"]),
        ({"mirrored_through": None, "caught_up": None}, ["orders-0 at 0 of 9"]),
        (None, ["orders-0 at 0 of 9"]),
    ],
)
def test_what_a_mirror_had_not_copied_may_be_on_its_way(row, late):
    rows = [{"topic": "bills", "partition": 0, "mirrored_through": 3, "caught_up": False}]
    rows += [] if row is None else [{"topic": "orders", "partition": 0, **row}]
    assert behind(rows, differing("LOSS", {"missing_tail": 1})) == late
    assert compared(differing("LOSS", {})) == {"bills": {"0": 3}, "orders": {"0": 9, "1": 4}}
