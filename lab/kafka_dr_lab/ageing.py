# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics whose records do not stay for ever, beside the departures of 2013: by time, by size, and compacted.

Records of 2013 would be deleted at once by a retention of days, so these have times of their own, over the last seven days. The oldest expire a
minute after they were written: a drill waits until the backup has deleted them, so that what is proven then begins elsewhere than what a manifest kept.
"""

from __future__ import annotations

import json
import time

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


def create(config: dict) -> None:
    """The topics, of one partition each, in the region of this client."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({**config, "log_level": 0})
    for future in admin.create_topics([NewTopic(name, 1, 1, config=one) for name, one in TOPICS.items()]).values():
        future.result(30)


def write(config: dict) -> dict[str, int]:
    """Write them in order; how many records each topic got."""
    from confluent_kafka import Producer

    now, failed, written = int(time.time() * 1000), [], dict.fromkeys(TOPICS, 0)
    producer = Producer({**config, "enable.idempotence": True, "log_level": 0})

    def send(topic: str, key: str, timestamp: int, padding: int = 0) -> None:
        identity = f"{topic}-{written[topic]}"
        value = json.dumps({"id": identity, "text": "x" * padding}).encode()
        producer.produce(topic, value, key.encode(), timestamp=timestamp, on_delivery=lambda error, message: failed.append(error) if error else None)
        written[topic] += 1
        producer.poll(0)

    # Each day's records begin a segment; those of the first expire within a minute.
    for begin in (now - 7 * DAY + MINUTE, now - 5 * DAY, now - 3 * DAY, now - DAY - MINUTE, now):
        for at in range(COUNT):
            send(BY_TIME, f"gate-{at % 20}", begin - COUNT + at, 3000)
            send(COMPACTED, f"tail-{at % 50}", begin - COUNT + at)
        producer.flush(30)
        # A mirror that reads days together writes them in one batch, which is deleted as a whole. Apart, and larger than a request, each gets a segment.
        time.sleep(1)
    for at in range(3 * COUNT):
        send(BY_SIZE, f"belt-{at % 5}", now - 3 * COUNT + at, 3000)
    left = producer.flush(60)
    if left or failed:
        raise TimeoutError(f"Records of the ageing topics were not written: expected none left, found {left}, {failed[:1]}")
    return written


def await_copies(config: dict, written: dict[str, int]) -> None:
    """Wait until the region of this client has them all."""
    until("the ageing topics to be copied", lambda: all(_bounds(config, topic)[1] >= count for topic, count in written.items()), 60)


def await_expiry(config: dict) -> int:
    """Wait until the region of this client has deleted the oldest records; where the log begins then."""
    return until("the oldest records to expire in the backup", lambda: _bounds(config, BY_TIME)[0], 150)


def _bounds(config: dict, topic: str) -> tuple[int, int]:
    """Log start and end; both 0 where there is no such topic yet."""
    from confluent_kafka import Consumer, KafkaException, TopicPartition

    consumer = Consumer({**config, "group.id": "streamsafe-kafka-dr-drill", "log_level": 0})
    try:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)
        return low, high
    except KafkaException:
        return 0, 0
    finally:
        consumer.close()
