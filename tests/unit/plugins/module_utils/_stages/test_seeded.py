# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror that was turned round was seeded with, and whether it can go on."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.seeded import seeded_with, unseeded

PROOF = {"source": "na", "topics": []}
STEPS = {
    "turned": {"about": "na", "offset": 5, "at": "2026-11-02T10:00:00Z", "found": {"mirror": "back", "partitions": 6}},
    "proof": {"about": "na", "found": PROOF},
}
SEEDS = {"proof": PROOF, "partitions": 6}


def of(**more: Any) -> dict[str, Any]:
    """The ledger of the region that works, with other steps; those that are None are not there."""
    steps = {step: entry for step, entry in {**STEPS, **more}.items() if entry is not None}
    return {"done": {"failover": steps}}


def back(offset: int) -> dict[str, Any]:
    return {"brought_back": {"na from eu": {"offset": offset, "found": {"mirror": "back"}}}}


@pytest.mark.parametrize(
    ("ledger", "seeds"),
    [
        (of(), SEEDS),
        (of(protecting={}), SEEDS),
        (of(proof=None), {**SEEDS, "proof": {}}),
        # A proof of the way there is none of the way back.
        (of(proof={"found": {"source": "eu"}}), {**SEEDS, "proof": {}}),
        (of(turned={**STEPS["turned"], "about": "asia"}), {}),
        (of(turned=None), {}),
        (of(protected={}), {}),
        ({**of(), **back(9)}, {}),
        # It ended before this move.
        ({**of(), **back(4)}, SEEDS),
        ({}, {}),
    ],
    ids=["cut off", "started", "no proof", "other way", "other", "never", "seen", "back since", "back before", "none"],
)
def test_seeds_are_looked_at_until_the_mirror_was_seen_to_run(ledger, seeds):
    assert seeded_with(ledger, "na", "eu") == seeds


@pytest.mark.parametrize(("at", "seeds"), [("2026-11-02T09:59:59Z", SEEDS), ("2026-11-02T10:00:00Z", {})])
def test_a_set_up_that_has_begun_since_has_looked_at_them(at, seeds):
    """What it copies anew is not what the mirror was seeded with."""
    assert seeded_with(of(), "na", "eu", {"at": at}) == seeds


def holding(*names: str) -> dict[str, Any]:
    return {name: {"id": f"a-{name}", "offsets": {"0": {"start": 0, "end": 9}}} for name in names}


def row(name: str, through: int = 9) -> dict[str, Any]:
    return {"topic": name, "target_topic": name, "partition": 0, "mirrored_through": through}


def proven(name: str) -> dict[str, Any]:
    ids = {"source_topic_id": f"a-{name}", "target_topic_id": f"b-{name}"}
    return {"topic": name, "target_topic": name, **ids, "partitions": {"0": {"source": [0, 9], "target": [0, 9]}}}


@pytest.mark.parametrize(
    ("topics", "rows", "reasons"),
    [
        (holding("bills", "orders"), [row("bills"), row("orders")], []),
        # Of the other one the mirror copies everything, or nothing.
        (holding("orders"), [row("orders")], []),
        ({}, [], []),
        (holding("bills", "orders"), [row("orders")], ["the mirror's offset of bills-0 is gone, and was 9 at least"]),
        (holding("orders"), [row("bills"), row("orders")], ["bills is not there"]),
        (
            holding("bills"),
            [],
            ["the offsets of back are gone from na, so that it would copy everything there once more"],
        ),
    ],
    ids=["whole", "one anew", "all anew", "no offset", "no topic", "no offsets"],
)
def test_a_topic_is_there_with_its_offset_or_neither_is(topics, rows, reasons):
    noted = {"exists": {"source_offsets": bool(rows)}, "partitions": rows}
    active = {name: {"id": f"b-{name}"} for name in ("bills", "orders")}
    seeds = {"proof": {"topics": [proven("bills"), proven("orders")]}, "partitions": 2}
    assert unseeded(noted, topics, active, seeds, {"name": "back", "target": "na"}) == reasons
