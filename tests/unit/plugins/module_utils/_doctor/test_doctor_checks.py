# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor's checks over made-up observations; what is real is under tests/real/hosts."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor import checks_running
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UnreachableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from tests.support.observed import PARAMS, found, result, row, view


def test_a_healthy_mirror_has_no_findings(seen):
    assert found(seen) == {}


def test_a_topic_that_the_policy_renames_is_named(seen):
    for one in (seen.source, seen.target):
        name = "x.heartbeats" if one is seen.source else "a.x.heartbeats"
        one["topics"][name] = one["topics"].pop("t")
        one["offsets"] = tuple({name: offsets["t"]} for offsets in one["offsets"])
    assert found(seen) == {"renamed-by-policy": "warning"}
    seen.names = MirrorNames("a", "b", "default")
    assert found(seen) == {}


def test_one_deleted_offset_may_be_a_marker_more_are_a_loss(seen):
    seen.mirror[1]["partitions"] = [row(mirrored_through=10, source_start=11, source_end=11)]
    assert found(seen) == {"overtaken-by-retention": "warning"}
    seen.mirror[1]["partitions"] = [row(mirrored_through=10, source_start=12, source_end=20)]
    assert found(seen)["overtaken-by-retention"] == "error"


def test_a_topic_that_was_never_copied_is_not_overtaken(seen):
    seen.mirror[1]["partitions"] = [row(mirrored_through=None, source_start=500, source_end=600, lag=100)]
    assert "overtaken-by-retention" not in found(seen)


def test_standing_still_without_exactly_once_is_nothing_yet(seen):
    seen.mirror = [result(exactly_once_seen=False, partitions=[row(lag=5)]) for dummy in range(2)]
    assert found(seen, expect_exactly_once=False) == {"stuck": "info"}
    seen.mirror = [result(partitions=[row(lag=5)]) for dummy in range(2)]
    assert found(seen) == {"stuck": "error"}


def test_late_and_moving_is_a_lag(seen):
    seen.mirror = [result(partitions=[row(lag=900)]), result(partitions=[row(lag=500, mirrored_through=400)])]
    assert found(seen) == {"lag": "warning"}


def test_records_that_came_between_the_looks_are_no_fault(seen):
    seen.mirror = [result(partitions=[row(lag=0)]), result(partitions=[row(lag=3)])]
    assert found(seen) == {}


def test_retention_is_close(seen):
    seen.mirror = [
        result(partitions=[row(lag=950, mirrored_through=150, source_start=100, source_end=1100)]),
        result(partitions=[row(lag=940, mirrored_through=160, source_start=100, source_end=1100)]),
    ]
    assert found(seen, max_lag=10000) == {"retention-close": "warning"}


def test_heartbeats(seen):
    seen.mirror[1]["heartbeat"] = {"age": 61.0}
    assert found(seen) == {"heartbeat-stale": "error"}
    seen.mirror[1]["heartbeat"] = {"age": None}
    assert found(seen) == {"heartbeat-missing": "warning"}
    assert found(seen, max_heartbeat_age=0) == {}
    seen.mirror[1]["heartbeat"] = {"age": -30.0}
    assert found(seen) == {"clocks-differ": "warning"}


@pytest.mark.parametrize(
    "witness, check",
    [
        ({"exists": False, "age": None}, "witness-missing"),
        ({"exists": True, "age": None}, "witness-missing"),
        ({"exists": True, "age": 61.0}, "witness-stale"),
        ({"exists": True, "age": -61.0}, "witness-stale"),
    ],
)
def test_a_witness_that_does_not_run(seen, witness, check):
    """It was crash-looping, and the mirror was told to be well."""
    for one in seen.mirror:
        one["witness"] = witness
    assert found(seen, max_witness_age=60) == {check: "error"}
    assert found(seen, max_witness_age=0) == {}


def test_no_lag_where_there_is_nothing_to_see_is_not_well(seen):
    seen.mirror = [result(partitions=[]), result(partitions=[])]
    assert found(seen)["no-topics"] == "error"


def test_no_lag_where_nothing_was_ever_copied_is_not_well(seen):
    seen.mirror = [result(partitions=[row(mirrored_through=None, lag=10)]) for dummy in range(2)]
    seen.target, seen.syncs = view(end=0), []
    assert found(seen)["nothing-copied"] == "error"
    seen.mirror = [result(partitions=[row(mirrored_through=None, source_end=0)]) for dummy in range(2)]
    assert found(seen) == {"nothing-to-copy": "info"}


def test_a_copy_that_is_empty_by_its_own_end(seen):
    seen.target, seen.syncs = view(end=0), []
    assert found(seen) == {"copy-empty": "error"}


def test_an_operator_stands_for_the_heartbeats_that_its_resource_does_not_have(seen):
    seen.mirror[1]["heartbeat"] = {"age": None}
    assert found(seen, operator={"waiting_for": [], "heartbeats": False}) == {}
    assert found(seen, operator={"waiting_for": [], "heartbeats": True}) == {"heartbeat-missing": "warning"}
    assert found(seen, operator={"waiting_for": ["condition Ready"], "heartbeats": False}) == {
        "mirror-not-running": "error"
    }
    assert found(seen, operator=None) == {"heartbeat-missing": "warning"}


def test_tasks_and_the_cause_in_their_trace(seen):
    trace = (
        "org.apache.kafka.connect.errors.ConnectException: Unrecoverable\n\tat x\n"
        "Caused by: org.apache.kafka.common.errors.RecordTooLargeException: big"
    )
    seen.tasks = [
        {"connector": "MirrorSourceConnector", "task": 0, "state": "FAILED", "trace": trace, "worker": "w"},
        {"connector": "MirrorCheckpointConnector", "task": None, "state": "PAUSED", "trace": None, "worker": "w"},
    ]
    one = next(checks_running.tasks(seen, PARAMS))
    assert "larger" in one["cause"] and one["object"] == "MirrorSourceConnector task 0"
    assert found(seen) == {"task-failed": "error", "task-paused": "warning"}


@pytest.mark.parametrize(
    "key, source, target, check, severity",
    [
        ("message.timestamp.type", "CreateTime", "LogAppendTime", "timestamps-overwritten", "error"),
        ("max.message.bytes", "200", "100", "smaller-records-only", "error"),
        ("cleanup.policy", "delete", "compact", "cleanup-differs", "error"),
        ("cleanup.policy", "compact", "delete", "cleanup-differs", "warning"),
        ("retention.ms", "-1", "1000", "shorter-retention", "error"),
        ("retention.ms", "2000", "1000", "shorter-retention", "error"),
        ("retention.bytes", "-1", "5", "shorter-retention", "error"),
        ("min.insync.replicas", "2", "1", "min-insync-differs", "info"),
    ],
)
def test_settings_that_keep_other_records(seen, key, source, target, check, severity):
    seen.source["topics"]["t"]["configs"][key] = source
    seen.target["topics"]["t"]["configs"][key] = target
    assert found(seen) == {check: severity}


@pytest.mark.parametrize("key, source, target", [("retention.ms", "1000", "-1"), ("max.message.bytes", "100", "200")])
def test_a_target_that_keeps_more_is_well(seen, key, source, target):
    seen.source["topics"]["t"]["configs"][key] = source
    seen.target["topics"]["t"]["configs"][key] = target
    assert found(seen) == {}


def test_topics_and_partitions_that_are_missing(seen):
    seen.target["topics"]["t"]["partitions"] = 3
    assert found(seen) == {"more-partitions": "warning"}
    seen.source["topics"]["t"]["partitions"] = 4
    assert found(seen) == {"fewer-partitions": "error"}
    del seen.target["topics"]["t"]
    assert found(seen) == {"topic-not-mirrored": "error"}


def test_fewer_replicas_count_only_where_there_are_brokers(seen):
    seen.source["topics"]["t"]["replication_factor"] = 3
    assert found(seen) == {"fewer-replicas": "warning"}
    seen.target["brokers"] = 1
    assert found(seen) == {}


def test_topics_made_again(seen):
    seen.mirror[1]["partitions"] = [row(stale=True, source_end=3)]
    assert found(seen) == {"recreated-at-source": "error"}
    seen.mirror[1]["partitions"] = [row()]
    assert found(seen, known_topics={"b/t": "y"}) == {"topic-id-changed": "error"}
    seen.target = view(end=5)
    assert found(seen) == {"copy-recreated": "error"}


def test_groups(seen):
    seen.source["positions"] = {"g": {("t", 0): 10}}
    assert found(seen) == {"no-position": "warning"}
    seen.target["positions"] = {"g": {("t", 0): 10}}
    assert found(seen) == {}
    seen.target["members"] = {"g": {"state": "STABLE", "members": 1}}
    assert found(seen) == {"group-sync-blocked": "error"}
    seen.target["members"] = {"other": {"state": "STABLE", "members": 1}}
    seen.target["positions"]["g"][("t", 0)] = 11
    assert found(seen) == {"position-beyond-end": "error"}


def test_a_position_that_nothing_can_translate_yet_is_no_fault(seen):
    seen.source["positions"] = {"g": {("t", 0): 3}}
    assert found(seen) == {}


def test_the_mirrors_own_topics(seen):
    assert found(seen, syncs_policy="compact") == {"offset-syncs-compacted": "warning"}
    seen.checkpoints = None
    assert found(seen) == {"checkpoints-missing": "error"}
    seen.syncs = None
    assert found(seen) == {"offset-syncs-missing": "error"}
    seen.syncs_at_source = True
    assert found(seen) == {"offset-syncs-at-source": "error"}


def test_open_transactions_on_either_side(seen):
    for side in ("source", "target"):
        view_of = getattr(seen, side)
        before = view_of["offsets"]
        open_one = {"t": {"0": {"start": 0, "end": 10, "stable": 8}}}
        view_of["offsets"] = (open_one, open_one)
        assert found(seen) == {"open-transaction": "warning"}
        view_of["offsets"] = (open_one, {"t": {"0": {"start": 0, "end": 12, "stable": 9}}})
        assert found(seen) == {}, "it moved"
        view_of["offsets"] = before


def test_what_could_not_be_read_is_said(seen):
    seen.problems = [("offset syncs", UnreachableError("Cannot read on b", remedy="Check"))]
    seen.syncs = None
    assert found(seen) == {"cannot-read-unreachable": "error"}


def test_without_exactly_once(seen):
    for one in seen.mirror:
        one["exactly_once_seen"] = False
    assert found(seen) == {"not-exactly-once": "error"}
    assert found(seen, expect_exactly_once=False) == {}
