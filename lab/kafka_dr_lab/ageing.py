# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics with retention by time, retention by size, and compaction, beside the departures of 2013, which never expire.

A retention of days would delete records of 2013 at once, so these records have times of their own within the last
seven days. The oldest expire a minute after they are written. A drill waits until the backup has deleted them, so that
the proven range starts at another offset than the manifest.
"""

from __future__ import annotations

import json
import time
from typing import Any

from .waiting import until

MINUTE, DAY = 60 * 1000, 24 * 3600 * 1000
BY_TIME, BY_SIZE, COMPACTED = "flights.boarding", "flights.baggage", "flights.positions"
MEGABYTE = 1048576
TOPICS: dict[str, dict[str, str]] = {
    # A segment a day, by the records' own times.
    BY_TIME: {"retention.ms": str(7 * DAY), "segment.ms": str(DAY)},
    BY_SIZE: {"retention.bytes": str(MEGABYTE), "segment.bytes": str(MEGABYTE)},
    COMPACTED: {"cleanup.policy": "compact", "segment.ms": str(DAY), "min.cleanable.dirty.ratio": "0.01"},
}
# How often brokers of a drill look for what has expired.
BROKER = {"log.retention.check.interval.ms": 3000, "log.initial.task.delay.ms": 3000, "log.cleaner.backoff.ms": 3000}
COUNT = 400


def create(config: dict[str, Any]) -> None:
    """Create the topics, each with one partition, in the region of this client."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({**config, "log_level": 0})
    topics = [NewTopic(name, 1, 1, config=settings) for name, settings in TOPICS.items()]
    for future in admin.create_topics(topics).values():
        future.result(30)


class _Writer:
    """Produces records with ids of their own, and counts them by topic."""

    def __init__(self, config: dict[str, Any]):
        from confluent_kafka import Producer

        self._producer = Producer({**config, "enable.idempotence": True, "log_level": 0})
        self.written = dict.fromkeys(TOPICS, 0)
        self._errors: list[Any] = []

    def send(self, topic: str, key: str, timestamp: int, padding: int = 0) -> None:
        """Produce one record.

        :param timestamp: milliseconds since the epoch.
        :param padding: bytes that make the record larger.
        """
        identity = f"{topic}-{self.written[topic]}"
        value = json.dumps({"id": identity, "text": "x" * padding}).encode()
        self._producer.produce(topic, value, key.encode(), timestamp=timestamp, on_delivery=self._delivered)
        self.written[topic] += 1
        self._producer.poll(0)

    def _delivered(self, error: Any, _message: Any) -> None:
        if error is not None:
            self._errors.append(error)

    def flush(self, seconds: float = 60) -> None:
        """Wait for the acknowledgements.

        :raises TimeoutError: a record was not acknowledged.
        """
        left = self._producer.flush(seconds)
        if left or self._errors:
            raise TimeoutError(
                f"Records for {', '.join(TOPICS)} were not acknowledged: expected none left in the queue, "
                f"found {left}; first error: {self._errors[:1]}"
            )


def write(config: dict[str, Any]) -> dict[str, int]:
    """Write the records in order.

    :returns: how many records each topic got.
    :raises TimeoutError: a record was not acknowledged.
    """
    now, writer = int(time.time() * 1000), _Writer(config)
    # The records of each day begin a segment; those of the first day expire within a minute.
    for begin in (now - 7 * DAY + MINUTE, now - 5 * DAY, now - 3 * DAY, now - DAY - MINUTE, now):
        for at in range(COUNT):
            writer.send(BY_TIME, f"gate-{at % 20}", begin - COUNT + at, 3000)
            writer.send(COMPACTED, f"tail-{at % 50}", begin - COUNT + at)
        writer.flush()
        # A mirror that reads several days at once writes them as one batch, which is deleted as a whole. The pause, and
        # more records than one request takes, give each day a segment of its own.
        time.sleep(1)
    for at in range(3 * COUNT):
        writer.send(BY_SIZE, f"belt-{at % 5}", now - 3 * COUNT + at, 3000)
    writer.flush()
    return writer.written


def await_copies(config: dict[str, Any], written: dict[str, int]) -> None:
    """Wait until the region of this client has all of these records."""
    until(
        f"{', '.join(written)} to be copied",
        lambda: all(_bounds(config, topic)[1] >= count for topic, count in written.items()),
        60,
    )


def await_expiry(config: dict[str, Any]) -> int:
    """Wait until the region of this client has deleted the oldest records; returns the log start offset then."""
    return until("the oldest records to expire in the backup", lambda: _bounds(config, BY_TIME)[0], 150)


def _bounds(config: dict[str, Any], topic: str) -> tuple[int, int]:
    """Log start and end offset; both 0 where the topic does not exist yet."""
    from confluent_kafka import Consumer, KafkaException, TopicPartition

    consumer = Consumer({**config, "group.id": "streamsafe-kafka-dr-drill", "log_level": 0})
    try:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)
        return low, high
    except KafkaException:
        return 0, 0
    finally:
        consumer.close()
