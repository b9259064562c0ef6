# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stages of backup and restore decide by."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import restore as _restore


def test_deletion_is_held_off_by_policy_and_can_be_put_back():
    found = {
        "a": {"configs": {"retention.ms": "5"}},
        "b": {"configs": {"cleanup.policy": "compact"}},
        "c": {"configs": {"cleanup.policy": "compact,delete"}},
    }
    topics = _restore.described({name: {"partitions": 1, **one} for name, one in found.items()})
    held = {one["name"]: one["configs"] for one in _restore.hold(topics)}
    assert held["a"] == {"retention.ms": "-1", "retention.bytes": "-1"}
    assert held["b"] == {"min.compaction.lag.ms": "9223372036854775807"}
    assert set(held["c"]) == {"retention.ms", "retention.bytes", "min.compaction.lag.ms"}
    assert _restore.original(topics)[0] == {"name": "a", "configs": {"retention.ms": "5", "retention.bytes": None}}


def test_a_forged_ledger_sets_no_other_topic_and_no_other_config():
    entries = [
        {
            "run": "1",
            "stage": "recreate_from_backup",
            "step": "ends",
            "state": "done",
            "region": "a",
            "found": {
                "topics_before": [
                    {
                        "name": "orders.a",
                        "configs": {"retention.ms": "5", "min.insync.replicas": "9", "cleanup.policy": "compact"},
                        "partitions": 99,
                    },
                    {"name": "orders.b", "configs": {"retention.bytes": None}},
                    {"name": "__consumer_offsets", "configs": {"retention.ms": "1"}},
                    {"configs": {"retention.ms": "1"}},
                    {"name": "__kafka_dr_ledger", "configs": {"retention.ms": "1"}},
                    {"name": "orders.c", "configs": {"segment.ms": "1"}},
                ]
            },
        }
    ]
    before = fold(entries)["done"]["recreate_from_backup"]["ends"]["found"]["topics_before"]
    assert _restore.let_go(before, r"orders\..*") == [
        {"name": "orders.a", "configs": {"retention.ms": "5"}},
        {"name": "orders.b", "configs": {"retention.bytes": None}},
    ]
    assert _restore.let_go(None, ".*") == []


def test_topics_come_back_as_kept_held_and_as_wide_as_the_backup():
    kept = [
        {
            "name": "a",
            "partitions": 2,
            "replication_factor": 3,
            "configs": {"retention.ms": "5", "max.message.bytes": "9"},
        }
    ]
    made = _restore.to_restore(kept, {"a": {"partitions": 4}})
    assert made == [
        {
            "name": "a",
            "partitions": 4,
            "replication_factor": 3,
            "configs": {"retention.ms": "-1", "retention.bytes": "-1", "max.message.bytes": "9"},
        }
    ]
    assert _restore.to_restore(kept, {})[0]["partitions"] == 2


KEPT = {
    "topics": [{"name": "a", "partitions": 1}],
    "users": [{"name": "u", "password": "old-one"}],
    "acls": [{"principal": "User:u", "operations": ["READ"]}],
    "cluster": {"port": 1},
    "secrets": {"k": "hush"},
    "client": {},
}


def test_no_drift_where_nothing_changed():
    assert _restore.drift(KEPT, KEPT) == []


@pytest.mark.parametrize(
    "change, said",
    [
        ({"topics": []}, "topic 'a' is kept and no longer there"),
        ({"topics": KEPT["topics"] + [{"name": "b"}]}, "topic 'b' is not kept"),
        ({"users": [{"name": "u", "password": "new-one"}]}, "user 'u' differs in password"),
        ({"acls": []}, "ACLs differ: 0 are not kept, 1 are kept and no longer there"),
        ({"secrets": {"k": "other"}}, "the cluster's keys differs"),
    ],
)
def test_drift_is_said_without_secrets(change, said):
    sentences = _restore.drift(KEPT, {**KEPT, **change})
    assert sentences == [said]
    assert "-one" not in str(sentences) and "hush" not in str(sentences)


def test_who_only_looks_sees_no_drift_in_who_it_is_and_in_what_it_is_not_told():
    """A job that acts as the reader has another name than the stages, which kept the definition, and no passwords."""
    kept = {**KEPT, "client": {"bootstrap.servers": "a:1", "sasl.username": "kdr-stages"}}
    now = {
        **kept,
        "client": {"bootstrap.servers": "a:1", "sasl.username": "kdr-reader"},
        "users": [{"name": "u", "password": ""}],
    }
    assert _restore.drift(kept, now) == []
    assert _restore.drift(kept, {**now, "client": {"bootstrap.servers": "b:1", "sasl.username": "kdr-reader"}}) == [
        "the client differs"
    ]


def entry(stage, step, state, run="1", **more):
    return {
        "stage": stage,
        "step": step,
        "state": state,
        "run": run,
        "about": more.pop("about", ""),
        "at": "2026-01-01T00:00:00Z",
        "region": "",
        **more,
    }


FOUND = {
    "source": "eu",
    "target": "na",
    "verdict": "PROVEN",
    "complete": True,
    "topics": [
        {
            "topic": "t",
            "target_topic": "t",
            "target_topic_id": "x",
            "partitions": {"0": {"source": [0, 9], "target": [0, 7]}},
        }
    ],
}
BEGUN = entry("recreate_from_backup", "stage", "started", about="na from eu")
PROVEN = entry("recreate_from_backup", "proof", "proven", found=FOUND)
NOW = {"t": {"id": "x", "offsets": {"0": {"start": 0, "stable": 7}}}}


def standing(*entries, topics=None):
    return _restore.standing_proof(fold(entries), "na", "eu", NOW if topics is None else topics)


def test_a_proof_since_the_restore_began_stands():
    assert standing(BEGUN, PROVEN)["holds"] and standing(BEGUN, PROVEN)["proof"] == FOUND


@pytest.mark.parametrize(
    "entries, said",
    [
        ([], "no restore of na from eu"),
        ([BEGUN], "no proof since the restore was begun"),
        (
            [entry("recreate_from_backup", "stage", "started", about="other from eu"), PROVEN],
            "no restore of na from eu",
        ),
        (
            [BEGUN, PROVEN, entry("recreate_from_backup", "stage", "started", run="2", about="na from eu")],
            "no proof since",
        ),
        (
            [
                BEGUN,
                entry("recreate_from_backup", "proof", "different", found=dict(FOUND, verdict="LOSS", complete=False)),
            ],
            "the last proof says LOSS",
        ),
        (
            [
                BEGUN,
                PROVEN,
                entry("recreate_from_backup", "proof", "different", found=dict(FOUND, verdict="LOSS", complete=False)),
            ],
            "the last proof says LOSS",
        ),
        (
            [BEGUN, entry("recreate_from_backup", "proof", "proven", found=dict(FOUND, source="elsewhere"))],
            "no proof since",
        ),
    ],
)
def test_what_is_no_proof_of_this_restore(entries, said):
    answer = standing(*entries)
    assert not answer["holds"] and said in answer["found"]


@pytest.mark.parametrize(
    "now, said",
    [
        ({}, "t was made anew"),
        ({"t": {"id": "y", "offsets": {}}}, "t was made anew"),
        ({"t": {"id": "x", "offsets": {"0": {"start": 0, "stable": 8}}}}, "t-0 ends at 8, not 7"),
        (
            {"t": {"id": "x", "offsets": {"0": {"start": 1, "stable": 7}}}},
            "records of t-0 before offset 1 were deleted",
        ),
    ],
)
def test_a_proof_falls_with_what_came_after_it(now, said):
    answer = standing(BEGUN, PROVEN, topics=now)
    assert not answer["holds"] and said in answer["found"]
    assert standing(BEGUN, PROVEN, topics=None)["holds"]


CLEARED = entry("new_backup", "cleared", "done", found={"copy_to": "asia", "mirror": "m"})
COPYING = entry("new_backup", "stage", "started", about="na to eu")


@pytest.mark.parametrize(
    "entries, state",
    [
        ([COPYING], "none"),
        ([COPYING, CLEARED], "open"),
        ([COPYING, dict(CLEARED, found={"copy_to": "eu", "mirror": "m"})], "none"),
        ([COPYING, CLEARED, entry("new_backup", "proof", "different", found={})], "left"),
        ([COPYING, CLEARED, entry("recreate_from_backup", "stage", "started", run="2", about="na from eu")], "left"),
    ],
)
def test_a_copy_that_was_begun_goes_on_or_was_left(entries, state):
    assert _restore.copy_begun(fold([dict(one, offset=at) for at, one in enumerate(entries)]), "asia", "m") == state


ENDED = entry("new_backup", "stage", "done", about="na to eu", found={"method": "recopy"})


@pytest.mark.parametrize(
    "entries, method",
    [
        ([], None),
        ([BEGUN], None),
        ([BEGUN, ENDED], "recopy"),
        ([BEGUN, dict(ENDED, found={})], "continue"),
        ([ENDED, BEGUN], None),
        ([BEGUN, dict(ENDED, about="na to elsewhere")], None),
    ],
)
def test_a_new_backup_counts_since_the_restore_was_begun_last(entries, method):
    numbered = [dict(one, offset=at) for at, one in enumerate(entries)]
    assert _restore.backed_up_again(fold(numbered), "na", "eu").get("method") == method


@pytest.mark.parametrize(
    "found, place, deleted", [({}, "eu", False), ({"at": "asia", "old_deleted": True}, "asia", True)]
)
def test_it_is_told_where_the_new_backup_is_and_whether_it_is_the_only_one(found, place, deleted):
    numbered = [dict(one, offset=at) for at, one in enumerate([BEGUN, dict(ENDED, found=found)])]
    told = _restore.backed_up_again(fold(numbered), "na", "eu")
    assert (told["place"], told["old_deleted"]) == (place, deleted)


def test_a_restore_claims_the_sum_of_both_translations():
    first = {"reprocess_at_most": 7, "unseen_at_most": "40", "positions_at": 12.5, "groups": 1}
    last = {"reprocess_at_most": 2, "unseen_at_most": 0, "positions_at": None, "groups": 1}
    claimed = _restore.positions_claimed(last, first)
    assert (claimed["reprocess_at_most"], claimed["unseen_at_most"], claimed["positions_at"]) == (9, 40, 12.5)
    assert claimed["translations"] == [first, last]
    assert _restore.positions_claimed(last, {})["reprocess_at_most"] == 2


ONE = {"0": {"start": 0, "end": 1}}
THERE = {"orders": {"id": "a", "offsets": ONE}, "made": {"id": "b", "offsets": ONE}}


@pytest.mark.parametrize(
    ("brought", "names"),
    [
        ({}, ["made", "orders"]),
        ({"cluster_id": "C", "topics": {"orders": "a"}}, []),
        ({"cluster_id": "X", "topics": {"orders": "a"}}, ["made", "orders"]),
        # Nothing shows that these are not the disks of before the loss.
        ({"cluster_id": "C", "topics": {}}, ["made", "orders"]),
        ({"cluster_id": "C", "topics": {"orders": "before", "empty": "e"}}, ["made", "orders"]),
        ({"cluster_id": "C", "topics": {"orders": "before", "made": "b"}}, ["orders"]),
    ],
)
def test_what_a_restore_has_brought_is_told_from_what_was_there(brought, names):
    assert sorted(_restore.not_brought({"cluster_id": "C", "topics": THERE}, brought)) == names


def test_topics_that_are_others_than_those_that_were_begun_are_named():
    assert _restore.replaced(THERE, {"topics": {"orders": "a", "made": "before", "gone": "g"}}) == ["gone", "made"]
    assert _restore.replaced(THERE, {}) == _restore.replaced(THERE, None) == []
