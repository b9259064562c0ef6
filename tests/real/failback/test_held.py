# SPDX-License-Identifier: GPL-3.0-or-later
"""What has expired while a region was away survives its return where its brokers are started with deletion held off,
and does not where they are not.
"""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.real.lab.playing import SOURCE, playground

pytestmark = pytest.mark.real
# Brokers look a second after their start, and each second from then on.
BROKER = {"log.retention.check.interval.ms": 1000, "log.initial.task.delay.ms": 1000, "log.cleaner.backoff.ms": 1000}
SECONDS, COUNT = 60, 10
WEEK = 604_800_000
EXPIRING, COMPACTED = "flights.expiring", "flights.compacted"
CONFIGS = {
    EXPIRING: {"retention.ms": str(SECONDS * 1000), "segment.ms": "1000"},
    # A segment each record, and none compacted before its record is as old as the others' retention.
    COMPACTED: {
        "cleanup.policy": "compact",
        "segment.ms": "1000",
        "min.compaction.lag.ms": str(SECONDS * 1000),
        "min.cleanable.dirty.ratio": "0.01",
    },
}


@pytest.fixture(scope="module")
def away(tmp_path_factory):
    """A lab whose source was killed a moment before what it holds expired, and is still away when it has."""
    directory = tmp_path_factory.mktemp("held")
    with playground(directory, broker=BROKER) as ground:
        admin = AdminClient(ground.admin(SOURCE))
        topics = [NewTopic(name, 1, 1, config=configs) for name, configs in CONFIGS.items()]
        for future in admin.create_topics(topics).values():
            future.result(30)
        producer = Producer(ground.admin(SOURCE))
        # The last one stays in the segment that is written to; the others' ages are within seconds of the limit.
        first = int(time.time() * 1000) - (SECONDS - 10) * 1000
        for topic in CONFIGS:
            for number in range(COUNT):
                stamp = first + (0 if topic == EXPIRING else number * 2000)
                producer.produce(topic, b"value %d" % number, b"key", 0, timestamp=stamp)
                producer.flush(30)
        ground.lab.lose(SOURCE, keep=True)
        time.sleep(15)
        yield ground


def held(ground, topic):
    """Log start, and how many records a topic holds."""
    consumer = Consumer({**ground.admin(SOURCE), "group.id": "looks", "enable.partition.eof": True})
    try:
        start, _end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=30)
        consumer.assign([TopicPartition(topic, 0, start)])
        count = 0
        while (message := consumer.poll(10)) is not None and message.error() is None:
            count += 1
        return start, count
    finally:
        consumer.close()


def test_what_has_expired_survives_a_start_that_holds_deletion_off_alone(away):
    away.lab.start_again(SOURCE)
    for _second in range(10):
        time.sleep(1)
        assert {topic: held(away, topic) for topic in CONFIGS} == dict.fromkeys(CONFIGS, (0, COUNT))
    told = away.module("cluster_info", region=SOURCE, read=["deletion", "retention"])
    assert told["deletion_held"] == {"1": True}
    # A topic without a limit of its own has the brokers'.
    assert {name: told["topics"][name]["retention"]["retention.ms"] for name in CONFIGS} == {
        EXPIRING: SECONDS * 1000,
        COMPACTED: WEEK,
    }

    away.lab.lose(SOURCE, keep=True)
    # With its disks, and started as ever.
    away.lab.bring_back(SOURCE)
    told = away.module("cluster_info", region=SOURCE, read=["deletion"])
    assert told["deletion_held"] == {"1": False}
    end = time.monotonic() + 60
    while not (held(away, EXPIRING) == (COUNT, 0) and held(away, COMPACTED)[1] < COUNT):
        assert time.monotonic() < end, {topic: held(away, topic) for topic in CONFIGS}
        time.sleep(1)
