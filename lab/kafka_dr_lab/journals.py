# SPDX-License-Identifier: GPL-3.0-or-later
"""The truth of a drill: the applications' journals, beside what a region's topics hold."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

IDLE_SECONDS = 20


class Journals:
    """Reads the producer's and the consumer's journals, also while the applications write to them."""

    def __init__(self, directory: Path):
        self.produced_file = Path(directory) / "producer.sqlite"
        self.processed_file = Path(directory) / "consumer.sqlite"

    @staticmethod
    def _query(path: Path, query: str, *values: Any) -> list[tuple]:
        if not path.exists():
            return []
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
        try:
            return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise
        finally:
            connection.close()

    def counts(self) -> dict[str, int]:
        """Calls by state: acknowledged, failed, unknown."""
        return dict(self._query(self.produced_file, "SELECT state, COUNT(*) FROM produced GROUP BY state"))

    def acknowledged(self, region: str | None = None) -> dict[str, tuple[str, float]]:
        """``{id: (topic, wall time of the first acknowledgement)}``, of one region or of all."""
        where = "AND region = ?" if region else ""
        rows = self._query(
            self.produced_file,
            f"SELECT id, topic, MIN(answered_at) FROM produced WHERE state = 'acknowledged' {where} GROUP BY id",
            *([region] if region else []),
        )
        return {identity: (topic, at) for identity, topic, at in rows}

    def sent_again(self) -> set[str]:
        """Ids that the producer itself sent more than once, since an answer was missing."""
        return {
            identity
            for (identity,) in self._query(
                self.produced_file, "SELECT id FROM produced GROUP BY id HAVING COUNT(*) > 1"
            )
        }

    def unanswered(self, region: str) -> set[str]:
        """Ids of calls to a region that may have been stored there, and were not acknowledged."""
        query = "SELECT id FROM produced WHERE region = ? AND state = 'unknown'"
        return {identity for (identity,) in self._query(self.produced_file, query, region)}

    def processed_in(self, region: str, span: tuple[str, int, int, int] | None = None) -> set[str]:
        """Ids that were processed in a region; of a topic, a partition, a first and a last offset where these are
        given.
        """
        query, values = "SELECT id FROM processed WHERE region = ?", [region, *(span or ())]
        where = " AND topic = ? AND partition = ? AND offset BETWEEN ? AND ?" if span else ""
        return {identity for (identity,) in self._query(self.processed_file, query + where, *values)}

    def acknowledged_count(self) -> int:
        """How many calls were acknowledged."""
        return self.counts().get("acknowledged", 0)

    def processed_times(self) -> Counter[str]:
        """How often each id was processed."""
        return Counter(dict(self._query(self.processed_file, "SELECT id, COUNT(*) FROM processed GROUP BY id")))

    def processed_again(self, region: str, end: float) -> set[str]:
        """Ids that were processed in the region up to ``end``, and again after it or elsewhere: what a move repeated.

        Records that a consumer repeats by itself, because it lost its membership of the group, are not among them.
        """
        before = "SELECT id FROM processed WHERE region = ? AND at <= ?"
        rows = self._query(
            self.processed_file,
            f"{before} INTERSECT SELECT id FROM processed WHERE NOT (region = ? AND at <= ?)",
            region,
            end,
            region,
            end,
        )
        return {identity for (identity,) in rows}

    def processed_count(self, region: str | None = None) -> int:
        """How many records were processed, in one region or in all."""
        where = "WHERE region = ?" if region else ""
        rows = self._query(
            self.processed_file, f"SELECT COUNT(*) FROM processed {where}", *([region] if region else [])
        )
        return rows[0][0] if rows else 0

    def processed_after_commit(self, region: str, seen: float, end: float) -> int:
        """How many records were processed in the region up to ``end`` after the last position that was committed by
        ``seen``; both are wall times.
        """
        commit = "SELECT COALESCE(MAX(asked_at), 0) FROM committed WHERE region = ? AND answered_at <= ?"
        rows = self._query(
            self.processed_file,
            f"SELECT COUNT(*) FROM processed WHERE region = ? AND at > ({commit}) AND at <= ?",
            region,
            region,
            seen,
            end,
        )
        return rows[0][0] if rows else 0

    def flow(self, begin: float, end: float) -> dict[str, list[list[float]]]:
        """Records a second between two wall times: ``{acknowledged: [[second, count]], processed: [...]}``, including
        seconds without records.
        """
        first, last = int(begin), int(end)
        queries = {
            "acknowledged": (
                self.produced_file,
                "SELECT CAST(answered_at AS INTEGER) AS second, COUNT(*) FROM produced WHERE state = 'acknowledged' "
                "AND answered_at >= ? AND answered_at < ? GROUP BY second",
            ),
            "processed": (
                self.processed_file,
                "SELECT CAST(at AS INTEGER) AS second, COUNT(*) FROM processed "
                "WHERE at >= ? AND at < ? GROUP BY second",
            ),
        }
        flow = {}
        for name, (path, query) in queries.items():
            counts = dict(self._query(path, query, first, last))
            flow[name] = [[second, counts.get(second, 0)] for second in range(first, last)]
        return flow

    def first_new(self, region: str, after: float = 0.0) -> float | None:
        """When the first record was processed in the region that was also produced there after a wall time."""
        first = (
            "SELECT id FROM produced WHERE region = ? AND state = 'acknowledged' AND answered_at > ? "
            "ORDER BY call LIMIT 2000"
        )
        produced = {identity for (identity,) in self._query(self.produced_file, first, region, after)}
        processed = "SELECT id, at FROM processed WHERE region = ? AND at > ? ORDER BY call"
        for identity, at in self._query(self.processed_file, processed, region, after):
            if identity in produced:
                return at
        return None


def topic_ids(config: dict[str, Any], topics: list[str]) -> dict[str, Counter[str]]:
    """How often each record id is on each topic, committed records only.

    :param config: librdkafka settings, secrets included.
    :raises TimeoutError: a partition could not be read to its end.
    """
    consumer = Consumer(
        {
            **config,
            "group.id": "streamsafe-kafka-dr-drill",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    try:
        return _read_to_the_end(consumer, topics)
    finally:
        consumer.close()


def _read_to_the_end(consumer: Consumer, topics: list[str]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {topic: Counter() for topic in topics}
    unread = set()
    for topic in topics:
        metadata = consumer.list_topics(topic, 15).topics[topic]
        if metadata.error is None:
            unread |= {(topic, number) for number in metadata.partitions}
    if unread:
        consumer.assign([TopicPartition(topic, number, 0) for topic, number in unread])
    received_at = time.monotonic()
    while unread:
        for message in consumer.consume(5000, 0.2):
            received_at = time.monotonic()
            error = message.error()
            if error is None:
                counts[str(message.topic())][_identity(message)] += 1
            elif error.code() == KafkaError._PARTITION_EOF:
                unread.discard((message.topic(), message.partition()))
        if time.monotonic() - received_at > IDLE_SECONDS:
            raise TimeoutError(
                f"{len(unread)} partitions could not be read to their end within {IDLE_SECONDS} s "
                f"without an answer: {sorted(unread)[:3]}"
            )
    return counts


def _identity(message: Message) -> str:
    """The id in the record's value; where it has none, its topic, partition and offset."""
    try:
        return str(json.loads(message.value() or b"")["id"])
    except (TypeError, ValueError, KeyError):
        return f"?{message.topic()}-{message.partition()}-{message.offset()}"
