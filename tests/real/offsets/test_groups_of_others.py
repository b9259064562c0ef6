# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move of some topics while others of the same cluster stay in use: whose groups these are is no reason to
refuse, and what they have in the target is not touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import describe_groups, group_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.other_groups import OWN
from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.kafka import clusters

pytestmark = pytest.mark.real
MOVED, OTHERS = "moved", "prices"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    """Both sides have both topics, and only one of them is mirrored: the others' are two topics of one name."""
    made = clusters(["a", "b"], tmp_path_factory.mktemp("others"))
    for cluster in made.values():
        lab.create(cluster, (MOVED, 1, {}), (OTHERS, 1, {}))
        for topic in (MOVED, OTHERS):
            traffic.Writer(cluster, topic, partitions=1).write(20)
    lab.prepare_target(made["b"])
    yield made["a"], made["b"]
    for cluster in made.values():
        cluster.stop()


def joined(cluster: Any, topic: str, group: str, **more: Any) -> Consumer:
    """A member of the group that has committed behind the tenth record."""
    consumer = Consumer(
        {**cluster.client, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False, **more}
    )
    consumer.subscribe([topic])
    read = 0
    while read < 10:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            read += 1
            if read == 10:
                consumer.commit(message, asynchronous=False)
    return consumer


def translated(pair: tuple[Any, Any], **more: Any) -> dict[str, Any]:
    return lab.translate(*pair, topics=MOVED, **more)


def test_a_group_that_works_on_other_topics_does_not_stop_a_move(pair):
    lab.set_positions(pair[0], MOVED, {"standing": {0: 7}})
    with closing(joined(pair[0], OTHERS, "working")):
        found = translated(pair)
    assert [row["group"] for row in found["plan"]] == ["standing"] and found["committed"] == 1, found


def test_nor_does_one_that_works_in_the_target(pair):
    """Of the same name in both regions, each for its own topic."""
    lab.set_positions(pair[0], OTHERS, {"local": {0: 15}})
    lab.set_positions(pair[0], MOVED, {"standing": {0: 8}})
    with closing(joined(pair[1], OTHERS, "local")):
        found = translated(pair)
    assert "local" not in {row["group"] for row in found["plan"]} and found["refused"] == [], found


def test_one_that_works_on_a_mirrored_topic_does(pair):
    with closing(joined(pair[0], MOVED, "live")), pytest.raises(RefusedError, match="1 live members on the source"):
        translated(pair)


def test_who_reads_the_source_itself_is_left_alone_where_positions_pass_two_translations(pair):
    """A backup is read while a region is made again from it. Whom the first translation placed there goes on."""
    lab.set_positions(pair[0], MOVED, {"placed": {0: 9}, "named": {0: 6}})
    with closing(joined(pair[0], MOVED, "reader")):
        with pytest.raises(RefusedError, match="reader: 1 live members on the source"):
            translated(pair)
        found = translated(pair, groups_known=["placed"], named_groups=["named"])
        of_applications = translated(pair, groups_known=["placed"], named_groups=["reader"], on_live_members="skip")
    assert [row["group"] for row in found["plan"]] == ["named", "placed"], found["plan"]
    (left,) = [row for row in found["others"] if row["group"] == "reader"]
    assert (left["why"], left["remedy"]) == OWN
    assert {row["group"]: row["reason"] for row in of_applications["groups"] if row["state"] == "left"} == {
        "reader": "1 live members on the source: its position moves, or a session has not ended"
    }
    assert translated(pair, groups_known=[])["plan"] == []


def test_a_member_without_a_position_in_a_mirrored_topic_does_too(pair):
    """It may commit at any time."""
    consumer = Consumer({**pair[0].client, "group.id": "new", "enable.auto.commit": False})
    consumer.subscribe([MOVED])
    try:
        client = KafkaClient(pair[0].client, timeout=30)
        lab.until(lambda: consumer.poll(0.5) or describe_groups(client, ["new"])["new"]["state"] == "STABLE", 60)
        with pytest.raises(RefusedError, match="new: 1 live members on the source"):
            translated(pair)
    finally:
        consumer.close()


def test_a_consumer_that_stays_a_member_is_waited_for(pair):
    """Static members and applications of Kafka Streams do not leave when they close: their session ends later."""
    joined(pair[0], MOVED, "static", **{"group.instance.id": "one", "session.timeout.ms": 12000}).close()
    client = KafkaClient(pair[0].client, timeout=30)
    assert len(describe_groups(client, ["static"])["static"]["members"]) == 1
    with pytest.raises(RefusedError, match="1 live members on the source"):
        translated(pair)
    found = translated(pair, leave_seconds=60)
    (row,) = [row for row in found["plan"] if row["group"] == "static"]
    assert row["source_offset"] == 10 and found["committed"] > 0, found
    assert group_positions(KafkaClient(pair[1].client), ["static"])["static"] == {(MOVED, 0): row["to"]}


def pending(cluster: Any, topic: str, group: str) -> Producer:
    """A transaction that is about to commit a position of the group, and ends by its time-out: that of an application
    that was killed. The group stands behind the tenth record.
    """
    consumer = joined(cluster, topic, group)
    producer = Producer({**cluster.client, "transactional.id": group, "transaction.timeout.ms": 8000, "log_level": 0})
    producer.init_transactions()
    producer.begin_transaction()
    producer.send_offsets_to_transaction([TopicPartition(topic, 0, 15)], consumer.consumer_group_metadata())
    consumer.close()
    return producer


def test_transactions_of_others_do_not_stop_a_move(pair):
    lab.set_positions(pair[0], MOVED, {"standing": {0: 9}})
    producer = pending(pair[0], OTHERS, "elsewhere")
    found = translated(pair)
    assert "elsewhere" not in {row["group"] for row in found["plan"]} and found["refused"] == [], found
    del producer


def test_a_transaction_that_commits_a_position_is_waited_for(pair):
    producer = pending(pair[0], MOVED, "transactional")
    with pytest.raises(RefusedError, match=r"group 'transactional'.*a transaction that commits its positions"):
        translated(pair)
    lab.translate(*pair, check=True, topics=MOVED)
    found = translated(pair, leave_seconds=60)
    assert [row["source_offset"] for row in found["plan"] if row["group"] == "transactional"] == [10], found
    del producer
