# SPDX-License-Identifier: GPL-3.0-or-later
"""Brokers whose log directories were copied from one that Kafka's own tool formatted."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import AdminClient

from tests.support.kafka import Kafka, joining

pytestmark = pytest.mark.real


def test_each_has_ids_of_its_own_and_brokers_of_one_cluster_find_each_other(tmp_path):
    first = Kafka(tmp_path / "first", "first").start()
    second = joining(tmp_path / "second", first, 2).start()
    other = Kafka(tmp_path / "other", "other").start()
    try:
        seen = AdminClient(first.client).list_topics(timeout=10)
        assert seen.cluster_id == first.cluster_id and sorted(seen.brokers) == [1, 2]
        assert AdminClient(other.client).list_topics(timeout=10).cluster_id == other.cluster_id != first.cluster_id
        metas = [(one.directory / "data" / "meta.properties").read_text() for one in (first, second, other)]
        ids = [line for meta in metas for line in meta.splitlines() if line.startswith("directory.id=")]
        assert len(set(ids)) == 3, ids
    finally:
        for one in (second, first, other):
            one.stop(5)
