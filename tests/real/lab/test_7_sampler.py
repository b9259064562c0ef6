# SPDX-License-Identifier: GPL-3.0-or-later
"""What a drill's plots of mirrors are made of, over a real broker."""

from __future__ import annotations

import json
import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from kafka_dr_lab.sampler import Side
from tests.support.kafka import clusters

pytestmark = pytest.mark.real
OFFSETS = "mm2-offsets.north_america.internal"
COPIED = {("orders", 0): 41}


@pytest.fixture(scope="module")
def broker():
    made = clusters(["europe"])
    yield {"bootstrap.servers": made["europe"].bootstrap}
    made["europe"].kill()


def commit(broker, admin):
    """As a mirror does that has just been set up."""
    admin.create_topics([NewTopic(OFFSETS, 5, 1)])[OFFSETS].result(30)
    producer = Producer(broker)
    key = ["MirrorSourceConnector", {"cluster": "north_america", "partition": 0, "topic": "orders"}]
    producer.produce(OFFSETS, key=json.dumps(key), value=json.dumps({"offset": 41}), partition=2)
    assert producer.flush(30) == 0


def seen(side, wanted):
    end = time.monotonic() + 30
    while side.copied["north_america"] != wanted and time.monotonic() < end:
        side.read_copied()
        time.sleep(0.2)
    return side.copied["north_america"] == wanted


def test_a_mirror_that_was_removed_is_behind_nothing(broker):
    side, admin = Side(broker, ["north_america"], ["orders"]), AdminClient(broker)
    commit(broker, admin)
    assert seen(side, COPIED)
    admin.delete_topics([OFFSETS])[OFFSETS].result(30)
    assert seen(side, {})
    commit(broker, admin)
    assert seen(side, COPIED)
    side.close()
