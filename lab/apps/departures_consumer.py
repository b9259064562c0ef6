#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Consume departures as a consumer group. Each is journalled as processed before its position is committed; then the
commit is journalled.

KAFKA_BROKERS=host:9093 KAFKA_USER=me KAFKA_PWD=secret KAFKA_CERT=ca.pem departures_consumer.py 1000
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import sys
import time

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition
from journal import COMMITTED, PROCESSED, open_journal
from kafka_env import client_config, region

COMMIT_SECONDS = 0.5
# The next offset by topic and partition.
Positions = dict[tuple[str, int], int]


def identity(message: Message) -> str:
    """The record's own id; without one, its topic, partition and offset."""
    try:
        return str(json.loads(message.value() or b"")["id"])
    except (TypeError, ValueError, KeyError):
        return f"{message.topic()}-{message.partition()}-{message.offset()}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Consume from Kafka as a group; the cluster is described by KAFKA_* variables."
    )
    parser.add_argument(
        "records", type=int, nargs="?", default=0, help="how many records to process; 0 to continue until stopped"
    )
    parser.add_argument("--group", default=os.environ.get("KAFKA_GROUP", "flights-dashboard"), help="consumer group")
    parser.add_argument("--journal", default=os.environ.get("JOURNAL", "processed.sqlite"), help="path of the journal")
    return parser.parse_args()


def _consumer(group: str) -> Consumer:
    return Consumer(
        {
            **client_config(),
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "session.timeout.ms": 10000,
            "partition.assignment.strategy": "cooperative-sticky",
            "topic.metadata.refresh.interval.ms": 2000,
            # Every fetch costs the broker the same; at the live rate one that waits for nothing brings a few records.
            "fetch.min.bytes": 65536,
            "fetch.wait.max.ms": 100,
            "error_cb": lambda error: print(f"kafka: {error.str()}", flush=True) if error.fatal() else None,
        }
    )


def main() -> int:
    arguments = _arguments()
    journal = open_journal(arguments.journal, PROCESSED, COMMITTED)
    stopping: list[int] = []
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda number, frame: stopping.append(number))
    consumer = _consumer(arguments.group)
    topic = os.environ.get("SOURCE_TOPIC") or "^" + os.environ.get("TOPIC_PREFIX", "flights") + r"\..*"
    consumer.subscribe([topic])
    processed, committed_at = 0, time.monotonic()
    positions: Positions = {}
    print(f"consuming {topic} from {region()} as {arguments.group}", flush=True)
    while not stopping and (not arguments.records or processed < arguments.records):
        batch = consumer.consume(min(1000, arguments.records - processed) if arguments.records else 1000, 0.1)
        processed += _process(batch, positions, journal)
        if positions and time.monotonic() - committed_at > COMMIT_SECONDS:
            committed_at = time.monotonic()
            if commit(consumer, positions, journal):
                positions = {}
    if positions:
        commit(consumer, positions, journal)
    consumer.close()
    print(f"processed: {processed} records", flush=True)
    return 0


def _process(batch: list[Message], positions: Positions, journal: sqlite3.Connection) -> int:
    """Journal the records of a batch and note the positions after them; returns how many they are."""
    rows, where = [], region()
    for message in batch:
        if message.error() is None:
            rows.append((identity(message), message.topic(), where, message.partition(), message.offset(), time.time()))
            positions[(str(message.topic()), message.partition() or 0)] = (message.offset() or 0) + 1
    if rows:
        journal.execute("BEGIN")
        journal.executemany(
            "INSERT INTO processed (id, topic, region, partition, offset, at) VALUES (?,?,?,?,?,?)", rows
        )
        journal.execute("COMMIT")
    return len(rows)


def commit(consumer: Consumer, positions: Positions, journal: sqlite3.Connection) -> bool:
    """Commit the positions and journal the commit.

    A partition that was revoked is committed by its next owner; the commit then does not cover everything, and is not
    journalled.

    :returns: whether Kafka accepted the commit.
    """
    owned = {(assigned.topic, assigned.partition) for assigned in consumer.assignment()}
    offsets = [
        TopicPartition(topic, partition, offset)
        for (topic, partition), offset in positions.items()
        if (topic, partition) in owned
    ]
    asked = time.time()
    try:
        if offsets:
            consumer.commit(offsets=offsets, asynchronous=False)
    except KafkaException:
        return False
    if len(offsets) < len(positions):
        return True
    journal.execute(
        "INSERT INTO committed (region, asked_at, answered_at) VALUES (?,?,?)", (region(), asked, time.time())
    )
    return True


if __name__ == "__main__":
    sys.exit(main())
