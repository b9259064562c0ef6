# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shape under examples/topologies, on real clusters: what arrives where, under which name, and what does not."""

from __future__ import annotations

import pytest
import yaml
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewPartitions

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import lint
from tests.support.configuring import configure
from tests.support.kafka import ROOT, clusters

from .mirrors import Mirror, commit, committed, create, ends, exists, read, send, topic_config, topics_of, until

pytestmark = pytest.mark.full

# Which of three real clusters plays which region.
CAST = {"north_america": "a", "europe": "b", "central": "c", "old_cluster": "a", "new_cluster": "b"}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    made = clusters(["a", "b", "c"], tmp_path_factory.mktemp("world"))
    yield made
    for one in made.values():
        one.stop(5)


def example(name: str, **changes) -> list[dict]:
    """The mirrors of an example, quick enough for a test."""
    mirrors = yaml.safe_load((ROOT / "examples" / "topologies" / f"{name}.yml").read_text())["kafka_dr_mirrors"]
    assert [one for one in lint(mirrors) if one["severity"] != "info"] == []
    return [
        {**one, **changes, "tuning": {"replication_factor": 1, "refresh_seconds": 3, "checkpoint_seconds": 1}}
        for one in mirrors
    ]


def start(world, tmp_path, mirrors) -> Mirror:
    regions = {region for one in mirrors for region in (one["source"], one["target"])}
    return Mirror(tmp_path, mirrors, {region: world[CAST[region]].client for region in regions}).start()


def values(client, topic):
    return [one.value() for one in read(client, topic)] if exists(client, topic) else None


def holds(client, topic, expected, seconds=240):
    until(lambda: values(client, topic) == expected, f"{topic} to hold {expected}", seconds)


def test_active_active(world, tmp_path):
    """Both ways, copies renamed, no circle, and a consumer of both names sees every record once."""
    a, b = world["a"].client, world["b"].client
    for client, mark in ((a, b"west"), (b, b"east")):
        create(client, "orders")
        send(client, "orders", [mark + b"-%d" % number for number in range(20)])
    mirror = start(world, tmp_path, example("active_active"))
    try:
        holds(b, "north_america.orders", [b"west-%d" % number for number in range(20)])
        holds(a, "europe.orders", [b"east-%d" % number for number in range(20)])
        send(a, "orders", [b"west-20"])
        holds(b, "north_america.orders", [b"west-%d" % number for number in range(21)])
        for client in (a, b):
            circles = [topic for topic in topics_of(client) if topic.count("orders") and topic.count(".") > 1]
            assert circles == [], "a copy was copied back"
            assert not [topic for topic in topics_of(client) if topic.endswith(".heartbeats")], "heartbeats were copied"
        consumer = Consumer({**b, "group.id": "both", "auto.offset.reset": "earliest"})
        consumer.subscribe(["^(.*\\.)?orders$"])
        seen = []
        until(
            lambda: seen.extend(one.value() for one in consumer.consume(100, 1) if not one.error()) or len(seen) >= 41,
            "both names' records",
        )
        consumer.close()
        assert len(seen) == len(set(seen)) == 41
    finally:
        mirror.stop(5)


def test_aggregate_with_another_separator(world, tmp_path):
    a, b, c = (world[name].client for name in "abc")
    for client, mark in ((a, b"a"), (b, b"b")):
        create(client, "sales.items")
        send(client, "sales.items", [mark])
    mirror = start(world, tmp_path, example("aggregate"))
    try:
        holds(c, "north_america-sales.items", [b"a"])
        holds(c, "europe-sales.items", [b"b"])
        assert "sales.items" not in topics_of(c)
    finally:
        mirror.stop(5)


def test_broadcast(world, tmp_path):
    a, b, c = (world[name].client for name in "abc")
    create(c, "prices.today")
    send(c, "prices.today", [b"1", b"2"])
    mirror = start(world, tmp_path, example("broadcast"))
    try:
        for client in (a, b):
            holds(client, "prices.today", [b"1", b"2"])
    finally:
        mirror.stop(5)


def test_active_passive_with_patterns_and_what_is_brought_over(world, tmp_path):
    """Exclusions hold; configs, partitions, positions and heartbeats arrive."""
    a, b = world["a"].client, world["b"].client
    create(a, "orders.eu", "orders.scratch.x", "stock.all", "unrelated", config={"retention.ms": "7200000"})
    for topic in ("orders.eu", "orders.scratch.x", "stock.all", "unrelated"):
        send(a, topic, [b"1", b"2"])
    mirror = start(world, tmp_path, example("active_passive"))
    try:
        for topic in ("orders.eu", "stock.all"):
            holds(b, topic, [b"1", b"2"])
            assert topic_config(b, topic)["retention.ms"] == "7200000"
        for group in ("orders-app", "orders-test-app", "other-app"):
            commit(a, group, "orders.eu", 2)
        until(lambda: committed(b, "orders-app", "orders.eu"), "the position of orders-app", 90)
        assert committed(b, "orders-test-app", "orders.eu") is None and committed(b, "other-app", "orders.eu") is None
        assert not {"orders.scratch.x", "unrelated"} & topics_of(b)
        admin = AdminClient(a)
        admin.create_partitions([NewPartitions("stock.all", 3)])["stock.all"].result(15)
        until(
            lambda: len(AdminClient(b).list_topics("stock.all", timeout=10).topics["stock.all"].partitions) == 3,
            "three partitions",
            60,
        )
        assert read(b, "heartbeats"), "no heartbeat"
    finally:
        mirror.stop(5)


def test_each_sync_can_be_switched_off(world, tmp_path):
    a, b = world["a"].client, world["b"].client
    create(a, "switched", config={"retention.ms": "7200000"})
    send(a, "switched", [b"1"])
    [mirror] = example("custom_policy", topics=["switched"], groups=["switched-.*"])
    off = {"source": {"sync.topic.configs.enabled": False}, "checkpoint": {"sync.group.offsets.enabled": False}}
    alias = {**mirror, "config": off, "source": "west"}
    running = Mirror(tmp_path, alias, {"west": a, "europe": b}).start()
    try:
        holds(b, "switched", [b"1"])
        commit(a, "switched-app", "switched", 1)
        until(lambda: len(read(b, "west.checkpoints.internal")) > 0, "a checkpoint", 60)
        assert committed(b, "switched-app", "switched") is None
        configure(a, "switched", {"retention.ms": "3600000"})
        create(a, "switched.marker")
        assert topic_config(b, "switched")["retention.ms"] != "3600000"
    finally:
        running.stop(5)


def test_zz_migration_then_the_source_is_retired(world, tmp_path):
    """Last, since it takes a cluster away: the consumer goes on at the new cluster after the old one is gone."""
    a, b = world["a"].client, world["b"].client
    create(a, "moving")
    send(a, "moving", [b"%d" % number for number in range(100)])
    mirror = start(world, tmp_path, example("migration", topics=["moving"], groups=["moving-.*"]))
    holds(b, "moving", [b"%d" % number for number in range(100)])
    commit(a, "moving-app", "moving", 100)
    until(lambda: committed(b, "moving-app", "moving"), "the position", 90)
    mirror.stop(10)
    world["a"].stop(10)
    assert committed(b, "moving-app", "moving") <= ends(b, "moving")[1]
    send(b, "moving", [b"new"])
    consumer = Consumer({**b, "group.id": "moving-app", "auto.offset.reset": "error"})
    consumer.subscribe(["moving"])
    seen = []
    until(
        lambda: seen.extend(one.value() for one in consumer.consume(10, 1) if not one.error()) or b"new" in seen,
        "the new record",
    )
    consumer.close()
    assert seen == [b"new"], "the group repeated or skipped"
