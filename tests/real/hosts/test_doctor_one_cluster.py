# SPDX-License-Identifier: GPL-3.0-or-later
"""Both clients of a mirror lead to one cluster: the doctor says that, and nothing about copies that nobody made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.hosts.doctor import doctor
from tests.real.hosts.mirrors import create, send
from tests.support.kafka import Kafka

pytestmark = pytest.mark.real


def test_two_names_for_one_cluster_are_found(tmp_path: Path) -> None:
    broker = Kafka(tmp_path, "one").start()
    try:
        create(broker.client, "orders.items")
        send(broker.client, "orders.items", [b"order"])
        found = doctor(
            source_client={**broker.client, "client.id": "by-another-name"},
            target_client=broker.client,
            watch_seconds=1,
        )
        assert [one["check"] for one in found["findings"]] == ["one-cluster"] and not found["healthy"], found
        assert f"source and target are the same cluster ({broker.cluster_id})" in found["findings"][0]["found"], found
        # Where the source is not asked, only the target is looked at.
        alone = doctor(target_client=broker.client, watch_seconds=0)
        assert "one-cluster" not in {one["check"] for one in alone["findings"]}
    finally:
        broker.stop()
