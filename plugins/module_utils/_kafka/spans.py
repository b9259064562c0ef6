# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Read bounded ranges of many partitions with one consumer, to their very end or not at all."""

from __future__ import annotations

import time

try:
    from confluent_kafka import KafkaError, KafkaException
except ImportError:
    pass

from .._errors import TimedOutError
from .client import partition

BATCH = 5000
# consume() waits its whole timeout for a full batch, so it is asked for no more than what is left, and for a short time.
PATIENCE = 0.1


def read_spans(client, spans, each):
    """Call ``each(topic, partition, message)`` for every committed record in ``[low, high)`` of every partition, in order per partition.

    The end is told by a record at or past ``high`` or by the partition's own end, since the last offsets of a range may be control or
    aborted records that never arrive.

    :param spans: ``{(topic, partition): (low, high)}``; ``high`` is at most the last stable offset, ``low`` at least the log start.
    :raises TimedOutError: for ``client.timeout`` seconds nothing came although something was left; what was read in part is never used.
    """
    left = {key: list(span) for key, span in spans.items() if span[0] < span[1]}
    if not left:
        return
    consumer = client.consumer(fetch_wait_max_ms=50, queued_min_messages=100000, fetch_queue_backoff_ms=10)
    try:
        client.ask("read", lambda: consumer.assign([partition(topic, number, span[0]) for (topic, number), span in left.items()]))
        moved = time.monotonic()
        while left:
            waiting = sum(high - low for low, high in left.values())
            batch = client.ask("read", lambda n=min(BATCH, waiting): consumer.consume(n, PATIENCE))
            if batch:
                moved = time.monotonic()
            _take(client, consumer, batch, left, each)
            if left and time.monotonic() - moved > client.timeout:
                (topic, number), (low, high) = next(iter(left.items()))
                raise TimedOutError("Partition %d of topic '%s' on %s could not be read to its end" % (number, topic, client.name),
                                    expected="offset %d" % high, found="offset %d" % low, remedy="Look at the brokers and run this again")
    finally:
        consumer.close()


def _take(client, consumer, batch, left, each):
    done = []
    for message in batch:
        key = (message.topic(), message.partition())
        span = left.get(key)
        if span is None:
            continue
        error = message.error()
        if error is not None:
            if error.code() != KafkaError._PARTITION_EOF:
                raise client.translate(KafkaException(error), "read partition %s of topic '%s'" % (key[1], key[0]))
            if message.offset() >= span[1]:
                done.append(key)
                del left[key]
            continue
        offset = message.offset()
        if offset < span[1]:
            each(key[0], key[1], message)
            span[0] = offset + 1
        if offset + 1 >= span[1]:
            done.append(key)
            del left[key]
    if done and left:
        client.ask("read", lambda: consumer.incremental_unassign([partition(topic, number) for topic, number in done]))
