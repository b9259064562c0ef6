# SPDX-License-Identifier: GPL-3.0-or-later
"""Of which partitions a living source is proven by their tails alone."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tail import present

PLACE = ("orders", 0)


def survey(topic_id, policy="delete"):
    config = {"cleanup.policy": policy, "retention.ms": "-1", "retention.bytes": "-1"}
    return {"topic_id": topic_id, "partitions": [0], "config": config, "bounds": {0: (0, 100)}}


@pytest.mark.parametrize(
    ("source", "target", "there"),
    [
        ("delete", "delete", {PLACE}),
        ("delete", "compact", set()),
        ("delete", "compact,delete", set()),
        ("compact", "delete", set()),
    ],
)
def test_what_is_compacted_by_now_is_compared_as_a_whole(source, target, there):
    part = Confirmed("a.orders", "s", "t", begins=(0, 0), through=(100, 100), examined=(100, 100), read=100)
    sources, copies = {"orders": survey("s", source)}, {"a.orders": survey("t", target)}
    assert present({PLACE: part}, sources, copies) == there
