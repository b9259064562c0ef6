# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror that was turned round was seeded with, and whether it can go on."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.seeded import (
    copied_anew,
    seeded_with,
    unseeded,
)

PROOF = {"source": "na", "topics": []}
STEPS = {
    "turned": {"about": "na", "run": "r", "offset": 5, "found": {"mirror": "back", "partitions": 6}},
    "proof": {"about": "na", "found": PROOF},
}
SEEDS = {"proof": PROOF, "partitions": 6, "move": "r at 5", "anew": []}


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


@pytest.mark.parametrize(
    ("looked", "ended", "seeds"),
    [
        ({"move": "r at 5", "anew": ["bills"]}, -1, {**SEEDS, "anew": ["bills"]}),
        # It may have ended before it came to start the mirror.
        ({"move": "r at 5", "anew": []}, 6, SEEDS),
        ({"move": "r at 5", "anew": []}, 8, {}),
        ({"move": "r at 5", "anew": [], "ended": True}, 6, {}),
        ({"move": "q at 2", "anew": ["bills"], "ended": True}, 8, SEEDS),
        # An older version did not look.
        (None, 8, SEEDS),
    ],
    ids=["anew", "cut off", "ended", "ended before", "another move", "older"],
)
def test_a_set_up_that_has_ended_is_not_asked_again(looked, ended, seeds):
    """What an open one copies anew is not what the mirror was seeded with."""
    begun = {"offset": 7, "found": {"seeds": looked} if looked else {}}
    assert seeded_with(of(), "na", "eu", begun, ended) == seeds


@pytest.mark.parametrize(
    ("looked", "proof", "partitions"),
    [
        ({}, None, 6),
        ({"without_proof": False}, None, 6),
        ({"without_proof": True}, None, 0),
        ({"without_proof": True}, STEPS["proof"], 6),
    ],
    ids=["older", "lost since", "lost before", "there again"],
)
def test_what_was_looked_at_without_the_proof_needs_none_later(looked, proof, partitions):
    """Nothing was left of the seeds, or it was accepted."""
    begun = {"offset": 7, "found": {"seeds": {"move": "r at 5", "anew": [], **looked}}}
    assert seeded_with(of(proof=proof), "na", "eu", begun, 6)["partitions"] == partitions


def holding(*names: str) -> dict[str, Any]:
    return {name: {"id": f"a-{name}", "offsets": {"0": {"start": 0, "end": 9}}} for name in names}


def row(name: str, through: int = 9) -> dict[str, Any]:
    return {"topic": name, "target_topic": name, "partition": 0, "mirrored_through": through}


def proven(name: str) -> dict[str, Any]:
    ids = {"source_topic_id": f"a-{name}", "target_topic_id": f"b-{name}"}
    return {"topic": name, "target_topic": name, **ids, "partitions": {"0": {"source": [0, 9], "target": [0, 9]}}}


GONE = "the offsets of back are gone from na, so that it would copy everything there once more"


@pytest.mark.parametrize(
    ("topics", "rows", "anew", "reasons"),
    [
        (holding("bills", "orders"), [row("bills"), row("orders")], False, []),
        # Of the other one the mirror copies everything, or nothing.
        (holding("orders"), [row("orders")], True, []),
        ({}, [], True, []),
        ({}, [], False, ["bills is not there", "orders is not there"]),
        (
            holding("bills", "orders"),
            [row("orders")],
            True,
            ["the mirror's offset of bills-0 is gone, and was 9 at least"],
        ),
        (holding("orders"), [row("bills"), row("orders")], True, ["bills is not there"]),
        (holding("bills"), [], True, [GONE]),
        # Its owner has deleted it in the region that works, or it was empty when the mirror was seeded.
        (holding("old"), [], True, []),
        (holding("bills", "empty", "orders"), [row("bills"), row("empty"), row("orders")], False, []),
    ],
    ids=["whole", "one anew", "all anew", "none", "no offset", "no topic", "no offsets", "old", "empty"],
)
def test_a_topic_is_there_with_its_offset_or_neither_is(topics, rows, anew, reasons):
    noted = {"exists": {"source_offsets": bool(rows)}, "partitions": rows}
    active = {name: {"id": f"b-{name}"} for name in ("bills", "empty", "orders")}
    empty = {**proven("empty"), "source_topic_id": "former", "partitions": {"0": {"source": [0, 0], "target": [0, 0]}}}
    gone = copied_anew(noted, topics, active) if anew else []
    seeds = {"proof": {"topics": [proven("bills"), empty, proven("orders")]}, "partitions": 2, "anew": gone}
    assert unseeded(noted, topics, active, seeds, {"name": "back", "target": "na"}) == reasons


LOST = "the ledger does not say any more what back was seeded with"


@pytest.mark.parametrize(
    ("proof", "anew", "topics", "rows", "reasons"),
    [
        (
            True,
            ["bills"],
            ("bills", "orders"),
            ("bills", "orders"),
            ["orders is another topic than the one that was compared"],
        ),
        (True, ["bills", "orders"], ("bills", "orders"), ("bills", "orders"), []),
        (False, ["bills"], ("bills", "orders"), ("bills", "orders"), [LOST]),
        (False, ["bills", "orders"], ("bills", "orders"), ("bills", "orders"), []),
        (False, [], (), (), []),
    ],
    ids=["one anew", "all anew", "one without proof", "all without proof", "emptied"],
)
def test_what_a_set_up_copies_anew_is_not_compared_and_all_else_is(proof, anew, topics, rows, reasons):
    noted = {"exists": {"source_offsets": bool(rows)}, "partitions": [row(name) for name in rows]}
    active = {name: {"id": f"b-{name}"} for name in ("bills", "orders")}
    there = {name: {**topic, "id": "later"} for name, topic in holding(*topics).items()}
    gone = copied_anew(noted, there, active)
    assert gone == ([] if topics else ["bills", "orders"])
    seeds = {"proof": {"topics": [proven("bills"), proven("orders")]} if proof else {}, "partitions": 2}
    assert (
        unseeded(noted, there, active, {**seeds, "anew": [*anew, *gone]}, {"name": "back", "target": "na"}) == reasons
    )
