# SPDX-License-Identifier: GPL-3.0-or-later
"""How a region is back that was left, and which of its topics a mirror goes on with."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.returned import (
    alike,
    bounds,
    further_copy,
    holding,
    plan,
    returned,
    rights,
)


def topic(end: int, identity: str = "t", start: int = 0) -> dict:
    return {"id": identity, "offsets": {"0": {"start": start, "end": end}}}


def compared(name: str, verdict: str = "PROVEN", lost: int = 0) -> dict:
    part = {"source": [0, 9], "target": [0, 9], **({"lost": lost} if lost else {})}
    return {"topic": name, "target_topic": name, "verdict": verdict, "partitions": {"0": part}}


ENDS = {"orders": {"0": 10}}


@pytest.mark.parametrize(
    ("topics", "ids", "became"),
    [
        ({"orders": topic(10)}, {"orders": "t"}, "holds"),
        ({"orders": topic(17)}, {}, "holds"),
        ({"orders": topic(9)}, {"orders": "t"}, "shorter"),
        ({"orders": topic(17, "other"), "bills": topic(1)}, {"orders": "t", "bills": "t"}, "made_again"),
        ({"bills": topic(1)}, {}, "gone"),
        ({"orders": {"id": "t", "offsets": {"1": {"start": 0, "end": 99}}}}, {}, "shorter"),
    ],
)
def test_what_became_of_a_topic(topics, ids, became):
    found = returned("A", "A", topics, ids, ENDS)
    assert (found["state"], found["topics"]["orders"]) == ("with_data", became)
    assert found["told"][0] == "It is back with its data." and (len(found["told"]) > 1) == (became != "holds")


@pytest.mark.parametrize(
    ("cluster", "known", "end", "state"),
    [("A", "A", 0, "empty"), ("B", "A", 0, "empty"), ("B", "A", 10, "other"), ("B", "", 10, "other")],
)
def test_what_is_not_the_cluster_that_was_left_is_made_again(cluster, known, end, state):
    found = returned(cluster, known, {"orders": topic(end)}, {}, {**ENDS, "bills": {"0": 1}})
    assert found["state"] == state and found["topics"] == {"orders": "made_again", "bills": "gone"}
    assert len(found["told"]) == 1


@pytest.mark.parametrize(
    ("topics", "holding"),
    [({"orders": topic(17, "other")}, ["orders"]), ({"orders": topic(0, "other"), "cards": topic(1)}, ["cards"])],
)
def test_a_cluster_id_that_was_given_again_is_no_data(topics, holding):
    """Its disks are lost; somebody wrote to it before the stage came."""
    found = returned("A", "A", topics, {"orders": "t", "bills": "u"}, {**ENDS, "bills": {"0": 1}})
    assert (found["state"], found["holding"]) == ("empty", holding)
    assert found["topics"] == {
        name: "made_again" if name in topics else "gone" for name in {*topics, "orders", "bills"}
    }
    assert len(found["told"]) == 1 and holding[0] in found["told"][0]


def test_a_topic_whose_records_all_expired_is_not_empty():
    found = returned("A", "A", {"orders": topic(10, start=10)}, {}, ENDS)
    assert (found["state"], found["holding"]) == ("with_data", [])


@pytest.mark.parametrize(
    ("verdict", "lost", "became"),
    [
        ("DUPLICATES", 0, "holds"),
        ("LOSS", 0, "holds"),
        ("NOT_PROVABLE", 0, "holds"),
        ("PROVEN", 1, "holds"),
        ("PROVEN", 0, "made_again"),
        ("PROVEN", 0, "shorter"),
    ],
)
def test_only_a_proven_prefix_is_gone_on_with(verdict, lost, became):
    proof = {"topics": [compared("orders", verdict, lost), compared("bills")], "report": "/r"}
    found = plan(proof, {"orders": became, "bills": "holds", "cards": "gone"})
    assert (found["kept"], found["again"]) == (["bills"], ["orders"])
    assert found["tail"] == ({"orders": lost} if lost else {})
    assert [one["topic"] for one in found["proof"]["topics"]] == ["bills"] and found["proof"]["complete"]


def test_how_far_the_copy_had_come_says_nothing_of_another_topic_of_that_name():
    ends = {"target": ENDS, "source": {"orders": {"0": 10}, "bills": {"0": 4}}, "certain": {"orders": {"0": 9}}}
    held = {"orders": "holds", "bills": "shorter"}
    mirrored = {"orders": {"0": 9}}
    assert bounds(ends, held) == {"target": ENDS, "complete": True, "mirrored_through": mirrored, "limits": {}}
    assert bounds(ends, held, ended_at="2026-11-30T08:00:00Z")["ended_at"] == 1796025600000
    assert bounds(ends, {"orders": "made_again"})["mirrored_through"] == {}
    del ends["certain"]
    assert bounds(ends, held)["mirrored_through"] == ends["source"]
    limits = {"orders": {"retention.ms": 5, "retention.bytes": -1}}
    assert bounds({}, {}, limits) == {"target": {}, "complete": False, "mirrored_through": {}, "limits": limits}


def test_a_topic_holds_records_where_a_partition_does():
    found = {"orders": topic(3), "bills": topic(3, start=3), "cards": topic(0)}
    assert holding(found) == ["orders"]


def test_what_an_earlier_run_makes_again_is_made_again():
    proof = {"topics": [compared("orders"), compared("bills")]}
    found = plan(proof, {"orders": "holds", "bills": "holds"}, {"again": ["orders", "cards"]})
    assert (found["kept"], found["again"]) == (["bills"], ["cards", "orders"])


def test_nothing_is_kept_where_nothing_was_compared():
    found = plan({"topics": []}, {"orders": "made_again"})
    assert (found["kept"], found["again"], found["proof"]["topics"]) == ([], ["orders"], [])


HERE = {
    "orders": {"partitions": 3, "configs": {"retention.ms": "-1", "min.insync.replicas": "2"}},
    "bills": {"partitions": 1, "configs": {}},
}
THERE = {
    "orders": {"partitions": 6, "configs": {"retention.bytes": "7", "min.insync.replicas": "1"}},
    "cards": {"partitions": 1, "configs": {}},
}


def test_topics_get_the_configs_of_the_other_region_but_for_each_clusters_own():
    configs = {"retention.ms": None, "retention.bytes": "7"}
    assert alike(HERE, THERE, ["orders", "bills", "cards"]) == [{"name": "orders", "configs": configs}]
    assert alike(HERE, THERE, []) == []


def test_a_salvage_may_write_to_topics_or_beside_them():
    salvage = [{"topics": "orders", "action": "replay"}, {"topics": "o.*|x", "action": "side_topic"}]
    made = rights(["orders", "others", "bills"], ["kdr-stages"], salvage)
    assert [(one["principal"], one["name"], one["operations"]) for one in made] == [
        ("kdr-stages", "orders", ["WRITE"]),
        ("kdr-stages", "others.salvaged", ["WRITE"]),
    ]
    assert rights(["orders"], [], salvage) == rights([], ["kdr-stages"], salvage) == []
    assert rights(["orders"], ["kdr-stages"], [{"topics": ".*", "action": "export"}]) == []


@pytest.mark.parametrize(
    ("witnessed", "known", "topics", "state", "became", "words"),
    [
        ("A", "A", {"orders": topic(3)}, "with_data", "holds", "It is a further copy of the region that was left."),
        ("A", "A", {"bills": topic(3)}, "with_data", "gone", "orders is not there: it is copied."),
        ("B", "A", {"orders": topic(3)}, "other", "made_again", "copied from another cluster (B; expected A)"),
        ("", "", {"orders": topic(3)}, "other", "made_again", "(nobody knows which; expected one that"),
        ("", "A", {"orders": topic(0)}, "empty", "made_again", "It is empty: everything is copied to it."),
    ],
)
def test_a_further_copy_is_known_by_the_cluster_that_its_witness_saw(witnessed, known, topics, state, became, words):
    """Its offsets are its own, so that ends of the region that was left say nothing."""
    found = further_copy(witnessed, known, topics, ENDS)
    assert (found["state"], found["topics"]["orders"]) == (state, became)
    assert words in " ".join(found["told"])


def test_what_only_a_further_copy_has_is_counted():
    proof = {"topics": [compared("orders", "LOSS")]}
    proof["topics"][0]["partitions"]["0"]["missing_tail"] = 4
    assert plan(proof, {"orders": "holds"})["tail"] == {"orders": 4}


@pytest.mark.parametrize(("limits", "kept"), [({"retention.ms": 1}, []), ({"retention.bytes": 1000}, ["orders"])])
def test_a_topic_that_lacks_a_head_which_no_retention_explains_is_made_again(limits, kept):
    """Continued, the copy the other way would lack it for ever."""
    topic_found = compared("orders")
    topic_found["partitions"]["0"] |= {"beyond": 400, "young_beyond": 400}
    assert plan({"topics": [topic_found]}, {"orders": "holds"}, limits={"orders": limits})["kept"] == kept
