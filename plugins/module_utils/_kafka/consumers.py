# SPDX-License-Identifier: GPL-3.0-or-later
"""Consumers for reading ranges of offsets, and for listening from the end of a topic."""

from __future__ import annotations

from functools import partial

try:
    from confluent_kafka import OFFSET_END, Consumer, TopicPartition
except ImportError:
    pass

from .client import KafkaClient
from .offsets import Isolation

# Of ranges of millions of records.
PREFETCH = 16384


def open_consumer(
    client: KafkaClient, isolation: Isolation = "read_committed", rate: float | None = None, prefetch: int = PREFETCH
) -> Consumer:
    """A consumer for bounded ranges of a KafkaClient: prefetch is kept small, since what lies beyond the range is
    thrown away. A full queue is looked at again after 10 ms; librdkafka's own second made reading wait for three
    quarters of the time.

    :param prefetch: kilobytes of a partition that are fetched ahead at most.
    """
    queue = prefetch if not rate else max(256, min(prefetch, int(rate / 1024)))
    return client.consumer(
        isolation_level=isolation,
        queued_max_messages_kbytes=queue,
        queued_min_messages=100000,
        fetch_message_max_bytes=min(queue * 1024, prefetch * 256),
        fetch_wait_max_ms=100,
        fetch_queue_backoff_ms=10,
        fetch_error_backoff_ms=100,
        check_crcs=False,
        statistics_interval_ms=0,
    )


def consumer_at_end(client: KafkaClient, topic: str, partitions: int) -> Consumer:
    """A consumer of all partitions of a topic that begins at their present ends."""
    consumer = client.consumer(auto_offset_reset="latest", enable_partition_eof=False)
    try:
        places = []
        for number in range(partitions):
            place = TopicPartition(topic, number)
            end = client.ask(
                f"read the end of '{topic}'", partial(consumer.get_watermark_offsets, place, timeout=client.timeout)
            )[1]
            places.append(TopicPartition(topic, number, end if end >= 0 else OFFSET_END))
        consumer.assign(places)
    except BaseException:
        consumer.close()
        raise
    return consumer
