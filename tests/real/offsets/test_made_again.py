# SPDX-License-Identifier: GPL-3.0-or-later
"""How much was lost of a topic that was deleted and made again: never "nothing" by the offset of the topic before it,
whether groups read it or not.
"""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.regions import copied_ends
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import OffsetSync, encode_offset_sync
from tests.support import offsets_lab as lab
from tests.support.offsets_pair import name, write

from .test_stale_evidence import copied, create

pytestmark = pytest.mark.real


def in_transaction(cluster, topic, key, value):
    """A row of a mirror that is exactly-once."""
    producer = Producer({**cluster.client, "transactional.id": topic, "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, value, key, partition=0)
    producer.commit_transaction(30)


def write_pairs(target, alias, topic, *pairs):
    """Offset syncs of now, each an offset of the source and that of its copy."""
    syncs = [encode_offset_sync(OffsetSync(topic, 0, *pair)) for pair in pairs]
    write(target, f"mm2-offset-syncs.{alias}.internal", [(0, *sync, int(time.time() * 1000)) for sync in syncs])


def with_copies(source, target):
    """A topic of fifty records and its copy, with pairs of the first and the last: the options that tell of them."""
    topic, offsets, positions, alias = (name(kind) for kind in ("again", "mm2-offsets", "positions", "a"))
    for cluster in (source, target):
        create(cluster, topic)
        write(cluster, topic, rows(0, 50))
    for kept in (offsets, positions, f"mm2-offset-syncs.{alias}.internal"):
        create(target, kept)
    write_pairs(target, alias, topic, (0, 0), (49, 49))
    return {"positions_topic": positions, "topics": topic, "source_alias": alias, "offsets_topic": offsets}


def rows(first, count):
    now = int(time.time() * 1000)
    return [(0, b"k", b"%d" % number, now) for number in range(first, first + count)]


def test_the_offset_of_a_former_topic_does_not_say_that_nothing_is_lost(two_clusters, tmp_path):
    source, target = two_clusters["source"], two_clusters["target"]
    topic, offsets, positions, alias = name("again"), name("mm2-offsets"), name("positions"), name("a")
    create(source, topic)
    write(source, topic, rows(0, 50))
    create(target, offsets)
    create(target, positions)
    lab.create(target, (f"mm2-offset-syncs.{alias}.internal", 1, {}))
    write(target, offsets, [(0, *copied(alias, topic, 49), int(time.time() * 1000))])

    def seen():
        return lab.info(
            None, target, source_alias=alias, offsets_topic=offsets, topics=topic, positions_topic=positions
        )

    def ends(end):
        lab.until(lambda: seen()["witness"]["ends"] == {topic: {"0": end}}, 60)

    witness = lab.WitnessProcess(tmp_path / "witness", source, target, interval=1, topic=positions, topics=topic)
    try:
        ends(50)
        assert copied_ends(seen())["lost"]["total"] == 0
        admin = AdminClient(source.client)
        admin.delete_topics([topic])[topic].result(30)
        lab.until(lambda: not seen()["witness"]["ends"], 60)
        create(source, topic)
        write(source, topic, rows(50, 20))
        lab.until(lambda: seen()["witness"]["made_again"] == [topic], 60)
        ends(20)
        assert copied_ends(seen())["lost"] == {"total": None, "topics": {}, "unknown": [topic]}
        # It grows past the place that the mirror had in the former one, which goes on from there.
        write(source, topic, rows(70, 40))
        ends(60)
        write(target, offsets, [(0, *copied(alias, topic, 59), int(time.time() * 1000))])
        assert copied_ends(seen())["lost"]["unknown"] == [topic]
        sync = encode_offset_sync(OffsetSync(topic, 0, 0, 50))
        write(target, f"mm2-offset-syncs.{alias}.internal", [(0, *sync, int(time.time() * 1000))])
        assert copied_ends(seen())["lost"] == {"total": 0, "topics": {}, "unknown": []}
    finally:
        witness.stop()


def test_a_group_that_the_witness_looks_at_seldom_does_not_skip_the_present_topic(two_clusters, tmp_path):
    """Its position in the former topic was read before; that nobody read it since does not make it one of now."""
    source, target, group = two_clusters["source"], two_clusters["target"], name("sink")
    more = with_copies(source, target)
    topic, positions = more["topics"], more["positions_topic"]
    lab.set_positions(source, topic, {group: {0: 40}})
    words = {"interval": 1, "topic": positions, "topics": topic, "groups": "watched"}
    witness = lab.WitnessProcess(tmp_path / "witness", source, target, **words)

    def seen():
        return lab.info(None, target, **more)["witness"]

    try:
        # Other tests' groups are in this cluster too.
        lab.until(
            lambda: group in (read_witness(KafkaClient(target.client), positions) or {"groups": ()})["groups"], 60
        )
        admin = AdminClient(source.client)
        admin.delete_topics([topic])[topic].result(30)
        lab.until(lambda: not seen()["ends"], 60)
        create(source, topic)
        for cluster in (source, target):
            write(cluster, topic, rows(50, 60))
        lab.until(lambda: seen()["made_again"] == [topic] and seen()["ends"] == {topic: {"0": 60}}, 60)
        write_pairs(target, more["source_alias"], topic, (0, 50), (59, 109))
        in_transaction(target, more["offsets_topic"], *copied(more["source_alias"], topic, 59))
    finally:
        witness.stop()
    (row,) = lab.translate(None, target, groups=[group], groups_regex="", target_ends={topic: {"0": 110}}, **more)[
        "plan"
    ]
    assert row["to"] <= 50 and row["confidence"] == "lower_bound", row
