# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region that comes back has otherwise than the one that works."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.drift import drift

HERE = {
    "orders": {"partitions": 3, "configs": {"retention.ms": "-1", "min.insync.replicas": "2"}},
    "bills": {"partitions": 1, "configs": {}},
}
THERE = {
    "orders": {"partitions": 6, "configs": {"retention.bytes": "7", "min.insync.replicas": "1"}},
    "cards": {"partitions": 1, "configs": {}},
}


def right(principal: str, operation: str, name: str = "orders", **more: str) -> dict[str, Any]:
    given = {"principal": f"User:{principal}", "resource": "topic", "name": name, "operations": [operation]}
    return {**given, "pattern": "literal", "permission": "allow", "host": "*", **more}


def test_topics_that_differ_are_told():
    assert drift({"topics": HERE}, {"topics": THERE}) == [
        "topic cards is not there",
        "topic bills is there alone",
        "topic orders differs in partitions, min.insync.replicas, retention.bytes, retention.ms",
    ]
    assert drift({"topics": HERE}, {"topics": HERE}) == drift({}, {}) == []


def test_rights_that_differ_are_told_by_whose_they_are():
    both, mirrors = right("app", "READ"), [right("mm", "READ"), right("mm", "WRITE")]
    here = [both, right("app", "ALL", "*"), right("old", "WRITE", pattern="prefixed"), mirrors[0]]
    there = [both, right("app", "WRITE"), right("new", "READ", host="10.0.0.1"), mirrors[1]]
    assert drift({"acls": here}, {"acls": there}, ["mm"]) == [
        "of rights, User:app has 1 that are there alone and lacks 1 (for one, allow ALL topic *)",
        "of rights, User:new lacks 1 (for one, allow READ topic orders)",
        "of rights, User:old has 1 that are there alone (for one, allow WRITE topic orders prefixed)",
    ]
    assert drift({"acls": here}, {"acls": list(reversed(here))}) == []


def test_rights_of_service_users_are_no_drift_by_whichever_name():
    assert drift({"acls": [right("CN=mm", "READ")]}, {"acls": [right("mm", "WRITE")]}, ["mm"]) == []


def test_quotas_that_differ_are_told_by_whom_they_limit():
    def limit(rate: float, **entity: str | None) -> dict[str, Any]:
        return {"entity": entity, "limits": {"producer_byte_rate": rate}}

    here = [limit(1.0, user="app"), limit(2.0, user=None), {"entity": {"client-id": "x", "user": "u"}, "limits": {}}]
    there = [limit(1.0, user="app"), limit(3.0, user=None)]
    assert drift({"quotas": here}, {"quotas": there}) == [
        "the quota of client-id x, user u differs",
        "the quota of user by default differs",
    ]
