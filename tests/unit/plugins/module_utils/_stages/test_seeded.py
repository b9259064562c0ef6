# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror that was turned round was seeded with, by the ledger of the region that works."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import turned_to
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.seeded import seeded_with

PROOF = {"source": "na", "topics": []}
MOVED = {
    "turned": {"about": "na", "found": {"mirror": "back", "partitions": 6}},
    "proof": {"about": "na", "found": PROOF},
}
FAILED_BACK = {
    "seeded": {"about": "na", "found": {"mirror": "back", "partitions": 4}},
    "compared": {"about": "na", "found": {"kept": ["orders"], "proof": PROOF}},
}
BACK = {"na from eu": {"offset": 7, "found": {"mirror": "back"}}}
NOTHING = {"proof": {}, "partitions": 0}


def of(steps: dict, **more: object) -> dict:
    """Steps without one of them, or with another content."""
    changed = {step: entry for step, entry in steps.items() if more.get(step, entry) is not None}
    return {step: {**entry, **(more.get(step) or {})} for step, entry in changed.items()}


@pytest.mark.parametrize(
    ("ledger", "seeds"),
    [
        ({"done": {"failover": MOVED}}, {"proof": PROOF, "partitions": 6}),
        ({"done": {"failover": of(MOVED, proof=None)}}, {"proof": {}, "partitions": 6}),
        # A proof of the way there is none of the way back.
        ({"done": {"failover": of(MOVED, proof={"found": {"source": "eu"}})}}, {"proof": {}, "partitions": 6}),
        ({"done": {"failover": of(MOVED, turned={"about": "asia"})}}, NOTHING),
        ({"done": {"failback": FAILED_BACK}, "brought_back": BACK}, {"proof": PROOF, "partitions": 4}),
        ({"done": {"failback": FAILED_BACK}}, NOTHING),
        ({"done": {"failback": FAILED_BACK}, "brought_back": BACK, "last": {"failover": {"offset": 9}}}, NOTHING),
        # The steps are those of another region that was brought back since.
        (
            {
                "done": {"failback": of(FAILED_BACK, seeded={"about": "asia"}, compared={"about": "asia"})},
                "brought_back": BACK,
            },
            NOTHING,
        ),
        ({}, NOTHING),
    ],
    ids=["moved", "no proof", "other way", "other region", "back", "open", "left since", "other back", "nothing"],
)
def test_seeds_are_those_of_the_mirror_that_leads_back(ledger, seeds):
    assert seeded_with(ledger, "na", "eu") == seeds
    assert not seeds["partitions"] or turned_to(ledger, "na", "eu") == "back"
