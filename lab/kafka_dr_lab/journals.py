# SPDX-License-Identifier: GPL-3.0-or-later
"""The truth of a drill: the applications' journals, beside what a region's topics hold."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

IDLE_SECONDS = 20
# What a salvage adds to a record that it appends to a topic again.
SALVAGED = "kafka-dr-salvaged"
Partition = tuple[str, int]


class Held(NamedTuple):
    """One record that a topic holds."""

    offset: int
    id: str
    salvaged: bool


class Journals:
    """Reads the producers' and the consumer's journals, also while the applications write to them.

    :param further: directories of further producers. No two producers send the same ids.
    """

    def __init__(self, directory: Path, *further: Path):
        self.produced_files = [Path(place) / "producer.sqlite" for place in (directory, *further)]
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

    def _produced(self, query: str, *values: Any) -> list[tuple]:
        """The rows of all producers."""
        return [row for path in self.produced_files for row in self._query(path, query, *values)]

    def counts(self) -> dict[str, int]:
        """Calls by state: acknowledged, failed, unknown."""
        counts: Counter[str] = Counter()
        for state, count in self._produced("SELECT state, COUNT(*) FROM produced GROUP BY state"):
            counts[state] += count
        return dict(counts)

    def acknowledged(self, region: str | None = None) -> dict[str, tuple[str, float]]:
        """``{id: (topic, wall time of the first acknowledgement)}``, of one region or of all."""
        where = "AND region = ?" if region else ""
        rows = self._produced(
            f"SELECT id, topic, MIN(answered_at) FROM produced WHERE state = 'acknowledged' {where} GROUP BY id",
            *([region] if region else []),
        )
        return {identity: (topic, at) for identity, topic, at in rows}

    def sent_again(self) -> set[str]:
        """Ids that the producer itself sent more than once, since an answer was missing."""
        rows = self._produced("SELECT id FROM produced GROUP BY id HAVING COUNT(*) > 1")
        return {identity for (identity,) in rows}

    def unanswered(self, region: str) -> set[str]:
        """Ids of calls to a region that may have been stored there, and were not acknowledged."""
        query = "SELECT id FROM produced WHERE region = ? AND state = 'unknown'"
        return {identity for (identity,) in self._produced(query, region)}

    def sent_once(self) -> list[dict[str, float]]:
        """When each id was sent that its producer sent only once, for each producer: between two of them there is no
        order.
        """
        query = "SELECT id, MIN(sent_at) FROM produced GROUP BY id HAVING COUNT(*) = 1"
        return [dict(self._query(path, query)) for path in self.produced_files]

    def first_processed(self) -> list[tuple[str, int, str]]:
        """Topic, partition and id of each record when it was processed for the first time, in that order."""
        query = "SELECT topic, partition, id FROM processed GROUP BY id HAVING call = MIN(call) ORDER BY call"
        return self._query(self.processed_file, query)

    def processed_places(self, region: str, end: float) -> list[tuple[str, str, int, int]]:
        """Id, topic, partition and offset of what was processed in a region up to a wall time."""
        query = "SELECT id, topic, partition, offset FROM processed WHERE region = ? AND at <= ?"
        return self._query(self.processed_file, query, region, end)

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
                self.produced_files,
                "SELECT CAST(answered_at AS INTEGER) AS second, COUNT(*) FROM produced WHERE state = 'acknowledged' "
                "AND answered_at >= ? AND answered_at < ? GROUP BY second",
            ),
            "processed": (
                [self.processed_file],
                "SELECT CAST(at AS INTEGER) AS second, COUNT(*) FROM processed "
                "WHERE at >= ? AND at < ? GROUP BY second",
            ),
        }
        flow: dict[str, list[list[float]]] = {}
        for name, (paths, query) in queries.items():
            counts: Counter[int] = Counter()
            for path in paths:
                counts.update(dict(self._query(path, query, first, last)))
            flow[name] = [[second, counts.get(second, 0)] for second in range(first, last)]
        return flow

    def first_new(self, region: str, after: float = 0.0) -> float | None:
        """When the first record was processed in the region that was also produced there after a wall time."""
        first = (
            "SELECT id FROM produced WHERE region = ? AND state = 'acknowledged' AND answered_at > ? "
            "ORDER BY call LIMIT 2000"
        )
        produced = {identity for (identity,) in self._produced(first, region, after)}
        processed = "SELECT id, at FROM processed WHERE region = ? AND at > ? ORDER BY call"
        for identity, at in self._query(self.processed_file, processed, region, after):
            if identity in produced:
                return at
        return None


def topic_ids(config: dict[str, Any], topics: list[str]) -> dict[str, Counter[str]]:
    """How often each record id is on each topic; see :func:`topic_logs`."""
    counts: dict[str, Counter[str]] = {topic: Counter() for topic in topics}
    for (topic, _number), held in topic_logs(config, topics).items():
        counts[topic].update(logged.id for logged in held)
    return counts


def topic_logs(config: dict[str, Any], topics: list[str]) -> dict[Partition, list[Held]]:
    """What each partition of the topics holds, in order, committed records only.

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


def _read_to_the_end(consumer: Consumer, topics: list[str]) -> dict[Partition, list[Held]]:
    unread: set[Partition] = set()
    for topic in topics:
        metadata = consumer.list_topics(topic, 15).topics[topic]
        if metadata.error is not None and metadata.error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise TimeoutError(f"partitions of {topic} could not be listed: {metadata.error.str()}")
        unread |= {(topic, number) for number in metadata.partitions}
    if unread:
        consumer.assign([TopicPartition(topic, number, 0) for topic, number in unread])
    logs: dict[Partition, list[Held]] = {place: [] for place in unread}
    received_at = time.monotonic()
    while unread:
        for message in consumer.consume(5000, 0.2):
            received_at = time.monotonic()
            error, place = message.error(), (str(message.topic()), message.partition() or 0)
            if error is None:
                salvaged = any(header[0] == SALVAGED for header in message.headers() or [])
                logs[place].append(Held(message.offset() or 0, _identity(message), salvaged))
            elif error.code() == KafkaError._PARTITION_EOF:
                unread.discard(place)
        if time.monotonic() - received_at > IDLE_SECONDS:
            raise TimeoutError(
                f"{len(unread)} partitions could not be read to their end within {IDLE_SECONDS} s "
                f"without an answer: {sorted(unread)[:3]}"
            )
    return logs


def _identity(message: Message) -> str:
    """The id in the record's value; where it has none, its topic, partition and offset."""
    try:
        return str(json.loads(message.value() or b"")["id"])
    except (TypeError, ValueError, KeyError):
        return f"?{message.topic()}-{message.partition()}-{message.offset()}"
