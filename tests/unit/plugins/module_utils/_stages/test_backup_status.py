# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a backup would serve."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.backup_status import backup_status

NOW = 1_767_226_000.0
LIMITS = {"heartbeat": 120, "witness": 60, "proof": 3600, "lag": 100}
MIRROR = {
    "heartbeat": {"emitted_at": NOW - 2},
    "witness": {"ends_at": NOW - 3, "at": NOW - 1, "groups": 2},
    "lag": 7,
    "partitions": [{"topic": "a", "lag": 5}, {"topic": "a", "lag": 2}, {"topic": "b", "lag": 0}],
}
PROOF = {
    "at": "2026-01-01T00:00:00Z",
    "found": {"source": "na", "target": "eu", "verdict": "PROVEN", "complete": True, "report": "/r"},
}
LEDGER = {"active_region": "na", "proofs": [PROOF]}


def look(mirror=None, ledger=None, drift=()):
    """:param drift: None where the region could not be asked."""
    drift = None if drift is None else list(drift)
    return backup_status({**MIRROR, **(mirror or {})}, {**LEDGER, **(ledger or {})}, drift, LIMITS, "na", "eu", NOW)


def test_a_backup_that_is_well():
    seen = look()
    assert seen["healthy"] and seen["findings"] == []
    assert (seen["lag"], seen["topics"], seen["heartbeat_seconds"], seen["source_seen_seconds"], seen["groups"]) == (
        7,
        {"a": 7, "b": 0},
        2.0,
        1.0,
        2,
    )
    assert seen["proof"]["seconds"] == 400.0


def test_a_copied_topic_that_the_region_hides_is_named():
    (finding,) = look({"hidden": ["c"]})["findings"]
    assert finding["what"] == "lag" and "na does not show c, which the mirror has copied" in finding["message"]


@pytest.mark.parametrize("emitted", [None, NOW - 1000])
def test_a_mirror_that_its_operator_says_runs_needs_no_heartbeat(emitted):
    """Strimzi's v1 resource has no heartbeat connector; heartbeats of an earlier one may be left."""
    mirror = {**MIRROR, "heartbeat": {"emitted_at": emitted}}
    said = [
        backup_status(mirror, LEDGER, [], LIMITS, "na", "eu", NOW, running=running)["findings"]
        for running in (True, False)
    ]
    assert said[0] == [] and [finding["what"] for finding in said[1]] == ["mirror"]


@pytest.mark.parametrize(
    "change, what",
    [
        ({"mirror": {"heartbeat": {"emitted_at": None}}}, "mirror"),
        ({"mirror": {"heartbeat": {"emitted_at": NOW - 121}}}, "mirror"),
        ({"mirror": {"partitions": []}}, "mirror"),
        ({"mirror": {"witness": {"ends_at": NOW - 61, "at": NOW - 61}}}, "source"),
        ({"mirror": {"partitions": [{"topic": "a", "partition": 0, "lag": 0, "stale": True}]}}, "lag"),
        ({"mirror": {"witness": {}}}, "source"),
        ({"mirror": {"lag": 101}}, "lag"),
        # The region answered, and showed no topic.
        ({"mirror": {"lag": 0, "partitions": [{"topic": "a", "partition": 0, "lag": None}]}}, "lag"),
        ({"ledger": {"proofs": []}}, "proof"),
        ({"ledger": {"proofs": [{**PROOF, "at": "2025-12-31T00:00:00Z"}]}}, "proof"),
        (
            {
                "ledger": {
                    "proofs": [PROOF, {**PROOF, "found": {**PROOF["found"], "verdict": "LOSS", "complete": False}}]
                }
            },
            "proof",
        ),
        ({"ledger": {"active_region": "eu"}}, "ledger"),
        ({"ledger": {"active_region": "", "witnessed": True}}, "ledger"),
        ({"drift": ["topic 'x' is not kept"]}, "definition"),
    ],
)
def test_each_thing_that_would_spoil_a_restore_is_found(change, what):
    seen = look(**change)
    assert not seen["healthy"] and [one["what"] for one in seen["findings"]] == [what]


def test_the_epoch_is_told_with_the_active_region():
    seen = look(ledger={"active_region": "eu", "epoch": 4})
    assert (seen["active_region"], seen["epoch"]) == ("eu", 4)
    assert "names eu as the active region (epoch 4), not na" in seen["findings"][0]["message"]


def test_a_heartbeat_of_the_target_does_not_hide_a_dead_source():
    seen = look({"witness": {"ends_at": NOW - 600, "at": NOW - 600, "groups": 2}})
    assert [one["what"] for one in seen["findings"]] == ["source"] and seen["heartbeat_seconds"] == 2.0


def test_a_source_in_which_nothing_is_written_is_seen_all_the_same():
    """A witness writes the ends when they move, and a stamp each round that the source answered."""
    seen = look({"witness": {"ends_at": NOW - 250, "at": NOW - 1, "groups": 2}})
    assert seen["healthy"] and seen["source_seen_seconds"] == 1.0


def test_a_lag_that_nobody_could_see_is_not_zero():
    seen = look({"lag": 0, "partitions": [{"topic": "a", "partition": 0, "lag": None}]}, drift=None)
    assert seen["lag"] is None and seen["findings"] == []


COPIED = {"partitions": [{"topic": name, "partition": 0, "lag": 0, "mirrored_through": 5} for name in ("a", "b")]}


def proof(at, source="na", target="eu", **verdicts):
    names = ("topic", "target_topic") if source == "na" else ("target_topic", "topic")
    topics = [{names[0]: name, names[1]: "copy of " + name, "verdict": verdict} for name, verdict in verdicts.items()]
    return {
        "at": at,
        "found": {
            "source": source,
            "target": target,
            "verdict": "PROVEN",
            "complete": True,
            "report": "/r",
            "topics": topics,
        },
    }


@pytest.mark.parametrize(
    "proofs, said",
    [
        ([proof("2026-01-01T00:00:00Z", a="PROVEN", b="DUPLICATES")], None),
        ([proof("2026-01-01T00:00:00Z", a="PROVEN")], "No proof covers b"),
        ([proof("2026-01-01T00:00:00Z", b="PROVEN"), proof("2026-01-01T00:01:00Z", a="PROVEN")], None),
        (
            [proof("2025-12-31T00:00:00Z", b="PROVEN"), proof("2026-01-01T00:01:00Z", a="PROVEN")],
            "The last proof of b is too old",
        ),
        (
            [proof("2026-01-01T00:00:00Z", b="LOSS"), proof("2026-01-01T00:01:00Z", a="PROVEN")],
            "The last proof of each says otherwise: b (LOSS)",
        ),
        ([proof("2026-01-01T00:00:00Z", "eu", "na", a="PROVEN", b="PROVEN")], None),
    ],
)
def test_a_proof_of_one_topic_says_nothing_about_the_others(proofs, said):
    seen = look(COPIED, {"proofs": proofs})
    assert [one["message"] for one in seen["findings"]] == ([said] if said else [])


def test_a_topic_that_the_source_deleted_needs_no_proof():
    there = [{**row, "source_end": 5 if row["topic"] == "a" else None} for row in COPIED["partitions"]]
    assert look({"partitions": there}, {"proofs": [proof("2026-01-01T00:00:00Z", a="PROVEN")]})["healthy"]
