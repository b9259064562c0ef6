# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a backup would serve."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._backup_status import backup_status

NOW = 1_767_226_000.0
LIMITS = {"heartbeat": 120, "witness": 60, "proof": 3600, "lag": 100}
MIRROR = {"heartbeat": {"emitted_at": NOW - 2}, "witness": {"ends_at": NOW - 3, "at": NOW - 1, "groups": 2}, "lag": 7,
          "partitions": [{"topic": "a", "lag": 5}, {"topic": "a", "lag": 2}, {"topic": "b", "lag": 0}]}
PROOF = {"at": "2026-01-01T00:00:00Z", "found": {"source": "na", "target": "eu", "verdict": "PROVEN", "complete": True, "report": "/r"}}
LEDGER = {"active_region": "na", "proofs": [PROOF]}


def look(mirror=None, ledger=None, drift=()):
    return backup_status({**MIRROR, **(mirror or {})}, {**LEDGER, **(ledger or {})}, list(drift), LIMITS, "na", "eu", NOW)


def test_a_backup_that_is_well():
    seen = look()
    assert seen["healthy"] and seen["findings"] == []
    assert (seen["lag"], seen["topics"], seen["heartbeat_seconds"], seen["source_seen_seconds"], seen["groups"]) == (7, {"a": 7, "b": 0}, 2.0, 3.0, 2)
    assert seen["proof"]["seconds"] == 400.0


@pytest.mark.parametrize("change, what", [
    ({"mirror": {"heartbeat": {"emitted_at": None}}}, "mirror"),
    ({"mirror": {"heartbeat": {"emitted_at": NOW - 121}}}, "mirror"),
    ({"mirror": {"partitions": []}}, "mirror"),
    ({"mirror": {"witness": {"ends_at": NOW - 61, "at": NOW}}}, "source"),
    ({"mirror": {"witness": {}}}, "source"),
    ({"mirror": {"lag": 101}}, "lag"),
    ({"ledger": {"proofs": []}}, "proof"),
    ({"ledger": {"proofs": [{**PROOF, "at": "2025-12-31T00:00:00Z"}]}}, "proof"),
    ({"ledger": {"proofs": [PROOF, {**PROOF, "found": {**PROOF["found"], "verdict": "LOSS", "complete": False}}]}}, "proof"),
    ({"ledger": {"active_region": "eu"}}, "ledger"),
    ({"drift": ["topic 'x' is not kept"]}, "definition"),
])
def test_each_thing_that_would_spoil_a_restore_is_found(change, what):
    seen = look(**change)
    assert not seen["healthy"] and [one["what"] for one in seen["findings"]] == [what]


def test_a_heartbeat_of_the_target_does_not_hide_a_dead_source():
    seen = look({"witness": {"ends_at": NOW - 600, "at": NOW - 600, "groups": 2}})
    assert [one["what"] for one in seen["findings"]] == ["source"] and seen["heartbeat_seconds"] == 2.0
