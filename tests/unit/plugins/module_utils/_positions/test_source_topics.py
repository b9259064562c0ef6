# SPDX-License-Identifier: GPL-3.0-or-later
"""Which topics of a source are known, alive or lost."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.copies import source_topics


def cluster(*topics):
    return SimpleNamespace(metadata=lambda: SimpleNamespace(topics=dict.fromkeys(topics)))


@pytest.mark.parametrize(
    ("policy", "copy"), [("identity", "orders-sums-changelog"), ("default", "na.orders-sums-changelog")]
)
@pytest.mark.parametrize("alive", [True, False])
def test_topics_have_the_source_s_names_also_where_it_is_lost(policy, copy, alive):
    source = cluster("orders-sums-changelog") if alive else None
    assert source_topics(MirrorNames("na", "eu", policy), source, cluster(copy)) == ["orders-sums-changelog"]
