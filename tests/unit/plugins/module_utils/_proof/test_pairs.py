# SPDX-License-Identifier: GPL-3.0-or-later
"""What limits how long a topic's records are kept, on one side or the other."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.pairs import Topic

WEEK = 604800000


def survey(policy: str | None, limit: int = WEEK) -> dict:
    config = {"cleanup.policy": policy, "retention.ms": str(limit), "retention.bytes": "-1"}
    return {"topic_id": "t", "partitions": [0], "bounds": {0: (0, 9)}, "config": config}


@pytest.mark.parametrize("source", ["delete", "compact", "compact,delete", ""])
@pytest.mark.parametrize(("copy", "limit"), [("delete", 5), ("compact,delete", 5), ("compact", None), ("", None)])
def test_the_copys_own_policy_decides_what_has_expired_there(source, copy, limit):
    topic = Topic("orders", "orders", survey(source), survey(copy, 5))
    assert topic.retention_ms == (WEEK if "delete" in source else None)
    topic.expire_as(topic.target["config"])
    assert (topic.retention_ms, topic.retention_bytes) == (limit, None)
