# SPDX-License-Identifier: GPL-3.0-or-later
"""The truth of a drill: the applications' journals, beside what a region's topics hold."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, TopicPartition

IDLE_SECONDS = 20


class Journals:
    """Reads the producer's and the consumer's journals; both may be in use meanwhile."""

    def __init__(self, directory: Path):
        self.produced_file = Path(directory) / "producer.sqlite"
        self.processed_file = Path(directory) / "consumer.sqlite"

    @staticmethod
    def _ask(path: Path, query: str, *values) -> list[tuple]:
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
        return dict(self._ask(self.produced_file, "SELECT state, COUNT(*) FROM produced GROUP BY state"))

    def acknowledged(self, region: str | None = None) -> dict[str, tuple[str, float]]:
        """``{id: (topic, wall time of the first acknowledgement)}``, of one region or of all."""
        where = "AND region = ?" if region else ""
        rows = self._ask(self.produced_file, f"SELECT id, topic, MIN(answered_at) FROM produced WHERE state = 'acknowledged' {where} GROUP BY id",
                         *([region] if region else []))
        return {identity: (topic, at) for identity, topic, at in rows}

    def sent_again(self) -> set[str]:
        """Ids that the producer itself sent more than once, since an answer was missing."""
        return {identity for (identity,) in self._ask(self.produced_file, "SELECT id FROM produced GROUP BY id HAVING COUNT(*) > 1")}

    def acknowledged_count(self) -> int:
        return self.counts().get("acknowledged", 0)

    def processed_times(self) -> Counter:
        """How often each id was processed."""
        return Counter(dict(self._ask(self.processed_file, "SELECT id, COUNT(*) FROM processed GROUP BY id")))

    def processed_again(self, region: str, end: float) -> set[str]:
        """Ids that were processed in the region up to ``end``, and again after it or elsewhere: what a move repeated.

        A consumer that is put out of its group, as on a busy machine, processes some twice by itself; that is no claim of a stage.
        """
        before = "SELECT id FROM processed WHERE region = ? AND at <= ?"
        rows = self._ask(self.processed_file, f"{before} INTERSECT SELECT id FROM processed WHERE NOT (region = ? AND at <= ?)", region, end, region, end)
        return {identity for (identity,) in rows}

    def processed_count(self, region: str | None = None) -> int:
        where = "WHERE region = ?" if region else ""
        rows = self._ask(self.processed_file, f"SELECT COUNT(*) FROM processed {where}", *([region] if region else []))
        return rows[0][0] if rows else 0

    def processed_after_commit(self, region: str, seen: float, end: float) -> int:
        """Records processed in the region up to ``end`` that no position covers which was committed by ``seen``; wall times."""
        commit = "SELECT COALESCE(MAX(asked_at), 0) FROM committed WHERE region = ? AND answered_at <= ?"
        rows = self._ask(self.processed_file, f"SELECT COUNT(*) FROM processed WHERE region = ? AND at > ({commit}) AND at <= ?", region, region, seen, end)
        return rows[0][0] if rows else 0

    def flow(self, begin: float, end: float) -> dict[str, list[list[float]]]:
        """Records a second between two wall times: ``{acknowledged: [[second, count]], processed: [...]}``, seconds without any among them."""
        first, last = int(begin), int(end)
        asked = {
            "acknowledged": (self.produced_file, "SELECT CAST(answered_at AS INTEGER) AS second, COUNT(*) FROM produced WHERE state = 'acknowledged' "
                             "AND answered_at >= ? AND answered_at < ? GROUP BY second"),
            "processed": (self.processed_file, "SELECT CAST(at AS INTEGER) AS second, COUNT(*) FROM processed WHERE at >= ? AND at < ? GROUP BY second"),
        }
        found = {}
        for name, (path, query) in asked.items():
            counts = dict(self._ask(path, query, first, last))
            found[name] = [[second, counts.get(second, 0)] for second in range(first, last)]
        return found

    def first_new(self, region: str, after: float = 0.0) -> float | None:
        """When the first record that was also produced in this region, after a wall time, was processed there."""
        first = "SELECT id FROM produced WHERE region = ? AND state = 'acknowledged' AND answered_at > ? ORDER BY call LIMIT 2000"
        made = {identity for (identity,) in self._ask(self.produced_file, first, region, after)}
        for identity, at in self._ask(self.processed_file, "SELECT id, at FROM processed WHERE region = ? AND at > ? ORDER BY call", region, after):
            if identity in made:
                return at
        return None


def topic_ids(config: dict, topics: list[str]) -> dict[str, Counter]:
    """How often each record id stands in each topic, committed records only.

    :param config: librdkafka keys, secrets included.
    """
    consumer = Consumer({**config, "group.id": "streamsafe-kafka-dr-drill", "enable.auto.commit": False, "isolation.level": "read_committed",
                         "enable.partition.eof": True, "auto.offset.reset": "earliest", "log_level": 0})
    found: dict[str, Counter] = {topic: Counter() for topic in topics}
    try:
        waiting = set()
        for topic in topics:
            described = consumer.list_topics(topic, 15).topics[topic]
            if described.error is None:
                waiting |= {(topic, number) for number in described.partitions}
        if not waiting:
            return found
        consumer.assign([TopicPartition(topic, number, 0) for topic, number in waiting])
        heard = time.monotonic()
        while waiting:
            batch = consumer.consume(5000, 0.2)
            for message in batch:
                heard = time.monotonic()
                error = message.error()
                if error is None:
                    found[str(message.topic())][_identity(message)] += 1
                elif error.code() == KafkaError._PARTITION_EOF:
                    waiting.discard((message.topic(), message.partition()))
            if time.monotonic() - heard > IDLE_SECONDS:
                raise TimeoutError(f"{len(waiting)} partitions could not be read to their end: {sorted(waiting)[:3]}")
        return found
    finally:
        consumer.close()


def _identity(message) -> str:
    try:
        return str(json.loads(message.value())["id"])
    except (TypeError, ValueError, KeyError):
        return f"?{message.topic()}-{message.partition()}-{message.offset()}"
