# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups that were deleted on the source to process everything again, behind a real mirror whose group sync had brought
their former positions, and metadata of one that stands.
"""

from __future__ import annotations

import time

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import group_places, group_positions
from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.committing import commit_places
from tests.support.kafka import clusters

pytestmark = pytest.mark.real
TOPIC, TEXT = "orders", "Ag-streams-time"
GROUPS = ("billing", "anew", "streams")


def commit(cluster, group, places):
    offsets = [TopicPartition(TOPIC, number, at, metadata=TEXT) for number, at in places.items()]
    commit_places(cluster.client, group, offsets)


def places(cluster, group):
    found = group_places(KafkaClient(cluster.client, timeout=30), [group]).get(group, {})
    return {number: tuple(place) for (dummy, number), place in found.items()}


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory):
    base = tmp_path_factory.mktemp("again")
    made = clusters(["a", "b"], base)
    source, target = made["a"], made["b"]
    lab.create(source, (TOPIC, 2, {}))
    lab.prepare_target(target)
    traffic.Writer(source, TOPIC, partitions=2).write(600)
    for group in GROUPS:
        commit(source, group, {0: 150, 1: 250})
    mirror = lab.start_mirror(base / "mm2", source, target, TOPIC)
    try:
        lab.await_ready(source, target, 180, until_caught_up=True, topics=TOPIC)
        client = KafkaClient(target.client, timeout=30)
        lab.until(lambda: all(len(group_positions(client, [group]).get(group, {})) == 2 for group in GROUPS), 120)
        admin = AdminClient(source.client)
        for group in ("billing", "anew"):
            admin.delete_consumer_groups([group])[group].result(30)
        # One of them has begun with a partition.
        commit(source, "billing", {0: 10})
        time.sleep(12)
        mirror.stop()
        yield source, target
    finally:
        mirror.stop()
        for cluster in made.values():
            cluster.stop()


def test_the_former_positions_of_groups_that_process_again_are_taken_away(mirrored):
    source, target = mirrored
    assert places(target, "anew") and len(places(target, "billing")) == 2, "as the group sync left them"
    more = {"named_groups": ["billing", "anew"], "target_ends": lab.ends_of(target, TOPIC)}
    found = lab.translate(source, target, topics=TOPIC, **more)
    assert places(target, "anew") == {} and places(target, "billing") == {0: (10, TEXT)}
    assert [text for dummy, text in places(target, "streams").values()] == [TEXT] * 2
    assert {(row["group"], row["state"]) for row in found["left_over"]} == {("anew", "removed"), ("billing", "removed")}
