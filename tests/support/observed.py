# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of an observation of a mirror that is well, and what the doctor finds in one."""

from __future__ import annotations

from types import SimpleNamespace

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor import (
    checks_flow,
    checks_groups,
    checks_topics,
)

PARAMS = {
    "max_heartbeat_age": 60,
    "max_lag": 100,
    "watch_seconds": 5,
    "expect_exactly_once": True,
    "known_topics": {},
    "syncs_policy": "delete",
}
SAME = {
    "cleanup.policy": "delete",
    "retention.ms": "1000",
    "retention.bytes": "-1",
    "max.message.bytes": "100",
    "message.timestamp.type": "CreateTime",
    "min.insync.replicas": "1",
}


def row(**more):
    return {
        "topic": "t",
        "partition": 0,
        "target_topic": "t",
        "mirrored_through": 10,
        "source_start": 0,
        "source_end": 10,
        "lag": 0,
        "caught_up": True,
        "stale": False,
        **more,
    }


def result(**more):
    return {
        "exists": {"source_offsets": True},
        "exactly_once_seen": True,
        "conflicts": [],
        "partitions": [row()],
        "heartbeat": {"age": 1.0},
        **more,
    }


def view(end=10, **more):
    topic = {"id": "x", "partitions": 1, "replication_factor": 1, "configs": dict(SAME), **more}
    offsets = {"t": {"0": {"start": 0, "end": end, "stable": end}}}
    return {"topics": {"t": topic}, "offsets": (offsets, offsets), "brokers": 3, "positions": {}, "members": {}}


def sync(upstream=9, downstream=9):
    return SimpleNamespace(value=SimpleNamespace(topic="t", partition=0, upstream=upstream, downstream=downstream))


def found(seen, **params):
    checks = checks_flow.CHECKS + checks_topics.CHECKS + checks_groups.CHECKS
    return {one["check"]: one["severity"] for check in checks for one in check(seen, {**PARAMS, **params})}
