# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stage keeps of a standing proof: absent is told as absent, with its reason."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.watched import watch_told

FOUND = {
    "present": True,
    "source_cluster": "S",
    "target_cluster": "T",
    "topics": ["o"],
    "watch": {"unproven_records": 3},
}


@pytest.mark.parametrize("cluster", ["", "S"])
def test_what_it_says_is_kept(cluster):
    kept = {"present": True, "source_cluster": "S", "topics": ["o"], "unproven_records": 3}
    assert watch_told(FOUND, True, cluster) == kept


@pytest.mark.parametrize(
    ("result", "described", "cluster", "reason"),
    [
        (FOUND, False, "S", "describes no watch"),
        ({"failed": True, "msg": "a record that no watch wrote"}, True, "S", "a record that no watch wrote"),
        ({}, True, "S", "there was no answer"),
        ({"present": False, "watch": {}}, True, "S", "ever ended a round"),
        (FOUND, True, "other", "it watched cluster S, and not other"),
    ],
)
def test_what_cannot_be_used_says_why(result, described, cluster, reason):
    told = watch_told(result, described, cluster)
    assert told["present"] is False and set(told) == {"present", "reason"} and reason in told["reason"]
