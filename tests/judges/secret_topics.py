# SPDX-License-Identifier: GPL-3.0-or-later
"""Search the records of all topics for secrets."""

from __future__ import annotations

import sys
import time
from typing import Any

from places import ROOT
from searching import Search

sys.path.insert(0, str(ROOT / "lab"))
from kafka_dr_lab.errors import LabError


def look_at_record(search: Search, region: str, message: Any) -> None:
    """Search key, value and headers of a record."""
    headers = [part for name, value in message.headers() or [] for part in (name.encode(), value or b"")]
    search.look(
        "topic", f"{region}/{message.topic()}", b"\n".join((message.key() or b"", message.value() or b"", *headers))
    )


def look_at_topics(search: Search, region: str, client: dict) -> int:
    """Search every record of every topic; returns how many there were.

    :raises LabError: a partition was not read to its end.
    """
    from confluent_kafka import Consumer

    consumer = Consumer(
        {
            **client,
            "group.id": "judge",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_uncommitted",
        }
    )
    try:
        return _look_at_all(consumer, search, region)
    finally:
        consumer.close()


def _look_at_all(consumer: Any, search: Search, region: str) -> int:
    from confluent_kafka import OFFSET_BEGINNING, KafkaError, TopicPartition

    topics = consumer.list_topics(timeout=30).topics
    unread = {(topic, number) for topic, metadata in topics.items() for number in metadata.partitions}
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for topic, number in unread])
    count, end = 0, time.monotonic() + 120
    while unread:
        if time.monotonic() > end:
            raise LabError(
                f"Topics of {region}: expected every partition to be read to its end; {len(unread)} were not"
            )
        for message in consumer.consume(1000, 1.0):
            error = message.error()
            if error and error.code() == KafkaError._PARTITION_EOF:
                unread.discard((message.topic(), message.partition()))
            elif error:
                raise LabError(f"Topic {message.topic()} of {region} cannot be read: {error}")
            else:
                count += 1
                look_at_record(search, region, message)
    return count
