# SPDX-License-Identifier: GPL-3.0-or-later
"""When topics stand still: those that are shown. A pattern that matches nothing shows nothing."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.cluster_info import cluster_info
from tests.support.offsets_lab import create
from tests.support.offsets_pair import name
from tests.support.transactions import end_transaction

from .test_late_records import transactional

pytestmark = pytest.mark.real


def looked(client, topics, **more):
    asked = {
        "client": client,
        "client_secrets": {},
        "timeout": 30,
        "read": ["topics", "offsets"],
        "topics": topics,
        "groups": ".*",
        "allow_unreachable": False,
        "allow_none": False,
        "until_groups": [],
        "until_empty_groups": [],
        "until_topics": [],
        "until_settled": True,
        "until_moving": False,
    }
    return cluster_info({**asked, **more}, False)


def test_a_pattern_that_matches_nothing_is_not_settled(two_clusters):
    source, topic = two_clusters["source"], name("settled")
    create(source, (topic, 1, {}))
    assert looked(source.client, topic)["ready"]
    found = looked(source.client, topic + "-mistyped")
    assert not found["ready"] and found["waiting_for"].startswith("a topic that"), found
    assert topic + "-mistyped" in found["waiting_for"] and "DESCRIBE" in found["waiting_for"], found
    assert looked(source.client, topic + "-mistyped", allow_none=True)["ready"]
    still_open = transactional(source.client, topic, 1, None)
    assert "open transaction" in looked(source.client, topic, allow_none=True)["waiting_for"]
    end_transaction(still_open, source.client, topic, commit=False)
