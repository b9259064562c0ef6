#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Produce departures to a region, and keep a journal of every answer.

    KAFKA_BROKERS=host:9093 KAFKA_USER=me KAFKA_PWD=secret KAFKA_CERT=ca.pem departures_producer.py 1000

Each produce call is journalled as ``unknown`` (perhaps stored) before it is made, so that a kill hides none. It ends as
``acknowledged``, ``failed`` (never stored) or ``unknown``. A producer that is started again first sends what was not
acknowledged, then continues after the last record.
"""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import sys
import time
from typing import Any

from confluent_kafka import KafkaError, Message, Producer
from departures import Departure, departures
from journal import PRODUCED, open_journal
from kafka_env import client_config, region

BATCH_SECONDS = 0.25
# How many calls are journalled at once while records are sent at full speed.
TOGETHER = 1000
# Every request costs the broker the same; at the live rate a shorter one makes a request of nearly every record.
LINGER_MS = 100
# Where a record times out that is on its way, librdkafka takes a new producer epoch, and what it sends again may be
# stored a second time without a word to the caller. A broker on a busy machine has to answer within this.
PATIENCE_MS = 300000


class JournallingProducer:
    """A producer and the journal of its calls."""

    def __init__(self, config: dict[str, Any], journal: sqlite3.Connection):
        self.producer = Producer(
            {
                **config,
                "acks": "all",
                "enable.idempotence": True,
                "linger.ms": LINGER_MS,
                "message.timeout.ms": PATIENCE_MS,
                "compression.type": "lz4",
                "queue.buffering.max.messages": 200000,
                "partitioner": "murmur2_random",
            }
        )
        self.journal = journal
        self.region = region()
        self.pending: list[tuple] = []
        self.flushed = time.monotonic()
        self.answered = 0

    def send_all(self, records: list[tuple[Departure, int]]) -> None:
        """Journal these calls, then make them.

        :param records: each with the number of its attempt.
        """
        self.journal.execute("BEGIN")
        calls = [self._begin(record, attempt) for record, attempt in records]
        self.journal.execute("COMMIT")
        for (record, _attempt), call in zip(records, calls, strict=True):
            self._send(record, call)

    def _begin(self, record: Departure, attempt: int) -> int:
        columns = "INSERT INTO produced (id, topic, attempt, region, state, sent_at) VALUES (?,?,?,?,'unknown',?)"
        row = (record.id, record.topic, attempt, self.region, time.time())
        return int(self.journal.execute(columns, row).lastrowid or 0)

    def _send(self, record: Departure, call: int) -> None:
        """Produce one record; its answer is journalled later."""

        def done(error: KafkaError | None, message: Message) -> None:
            self.answered += 1
            state = "acknowledged"
            if error is not None:
                # Local errors say that nothing was stored only where the message never left the queue.
                never_sent = (
                    KafkaError._PURGE_QUEUE,
                    KafkaError.MSG_SIZE_TOO_LARGE,
                    KafkaError.TOPIC_AUTHORIZATION_FAILED,
                )
                state = "failed" if error.code() in never_sent else "unknown"
            self.pending.append((state, message.partition(), message.offset(), time.time(), call))

        while True:
            try:
                self.producer.produce(
                    record.topic, record.value, record.key, timestamp=record.timestamp, on_delivery=done
                )
                return
            except BufferError:
                self.producer.poll(0.05)
                self.write()

    def write(self, force: bool = False) -> None:
        """Write the answers to the journal, at most every 0.25 s unless ``force`` is set."""
        if self.pending and (force or time.monotonic() - self.flushed > BATCH_SECONDS):
            rows, self.pending = self.pending, []
            self.journal.execute("BEGIN")
            self.journal.executemany(
                "UPDATE produced SET state = ?, partition = ?, offset = ?, answered_at = ? WHERE call = ?", rows
            )
            self.journal.execute("COMMIT")
            self.flushed = time.monotonic()

    def close(self, seconds: float) -> None:
        """Wait this long for answers; records still in the queue then are journalled as failed."""
        self.producer.flush(seconds)
        self.producer.purge()
        self.producer.flush(1)
        self.write(force=True)


def unacknowledged(journal: sqlite3.Connection) -> dict[str, int]:
    """``{id: attempts so far}`` of records that were sent and never acknowledged."""
    rows = journal.execute("SELECT id, MAX(attempt) FROM produced GROUP BY id HAVING SUM(state = 'acknowledged') = 0")
    return dict(rows.fetchall())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Produce the departures of 2013 to Kafka; the cluster is described by KAFKA_* variables."
    )
    parser.add_argument("records", type=int, nargs="?", default=0, help="how many records in total; 0 for no end")
    parser.add_argument(
        "--history", type=int, default=0, help="how many of them at full speed before the live rate begins"
    )
    parser.add_argument(
        "--mark", default="", help="what the ids begin with, where another producer runs beside this one"
    )
    parser.add_argument("--rate", type=float, default=100.0, help="live records a second; 0 for full speed")
    parser.add_argument("--journal", default=os.environ.get("JOURNAL", "produced.sqlite"), help="path of the journal")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    journal = open_journal(arguments.journal, PRODUCED)
    stopping: list[int] = []
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda number, frame: stopping.append(number))
    producer = JournallingProducer(client_config(), journal)
    _produce(producer, arguments, stopping)
    producer.close(3 if stopping else 60)
    counts = dict(journal.execute("SELECT state, COUNT(*) FROM produced GROUP BY state").fetchall())
    summary = ", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "nothing"
    print(f"produced: {summary}", flush=True)
    return 0


def _produce(producer: JournallingProducer, arguments: argparse.Namespace, stopping: list[int]) -> None:
    """Send again what was not acknowledged, then new records, until there are enough or a signal came."""
    again = unacknowledged(producer.journal)
    known = producer.journal.execute("SELECT COUNT(DISTINCT id) FROM produced").fetchone()[0]
    source = departures(
        os.environ.get("TOPIC_PREFIX", "flights"),
        os.environ.get("SOURCE_TOPIC"),
        wanted=lambda number, identity: number >= known or identity in again,
        mark=arguments.mark,
    )
    limit = arguments.records or sys.maxsize
    began, live_sent = None, 0
    print(f"producing to {producer.region}: {known} sent before, {len(again)} of them to send again", flush=True)
    together: list[tuple[Departure, int]] = []
    for number, record in enumerate(source):
        if number >= limit or stopping:
            break
        if record is None:
            continue
        together.append((record, again[record.id] + 1 if number < known else 1))
        live = number >= max(known, arguments.history) and arguments.rate > 0
        if not live and len(together) < TOGETHER:
            continue
        producer.send_all(together)
        together = []
        if live:
            began = began or time.monotonic()
            live_sent += 1
            _pace(producer, stopping, began + live_sent / arguments.rate)
        else:
            producer.producer.poll(0)
            producer.write()
    if not stopping:
        producer.send_all(together)


def _pace(producer: JournallingProducer, stopping: list[int], until: float) -> None:
    """Wait until a monotonic time, serving answers meanwhile."""
    while not stopping:
        left = until - time.monotonic()
        producer.producer.poll(max(0.0, min(left, 0.1)))
        producer.write()
        if left <= 0:
            return


if __name__ == "__main__":
    sys.exit(main())
