# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Read ranges of offsets, whole or not at all.

Three properties of Kafka decide how: the last offsets of a range may be control or aborted records that never arrive, so the end
is told by a record beyond it or by the end of the partition, never by the last record's offset; ``consume(n)`` waits its whole timeout
for a full batch, so it is asked for what is left and waits briefly; and an offset that retention took must be an error, not a jump.
"""

from __future__ import annotations

import gc
import time

try:
    from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition
except ImportError:
    KafkaError = None  # type: ignore[assignment, misc]

from .._errors import NotProvableError, TimedOutError
from .client import KafkaClient

BATCH = 5000
TOGETHER = 200
LARGE = 20000
WAIT = 0.05
# Objects between two looks of Python's cycle collector: it would look at a batch's messages seven times, and they are never part of a cycle.
COLLECT = 50000


class RangeGoneError(NotProvableError):
    """The log no longer starts where the range does; ``facts`` name topic and partition."""

    kind = "range_gone"


class Pace:
    """Keeps the mean rate at or below so many bytes a second; without rate, does nothing."""

    def __init__(self, bytes_per_second=None, clock=time.monotonic, sleep=time.sleep):
        self.rate, self.clock, self.sleep = bytes_per_second, clock, sleep
        self.began, self.taken = clock(), 0

    def take(self, count):
        """Account for bytes just read and sleep off what is too fast."""
        if self.rate:
            self.taken += count
            ahead = self.taken / self.rate - (self.clock() - self.began)
            if ahead > 0:
                self.sleep(ahead)


def open_consumer(client, isolation="read_committed", rate=None):
    """A consumer for bounded ranges of a KafkaClient: prefetch is kept small, since what lies beyond the range is thrown away.

    A full queue is looked at again after 10 ms; librdkafka's own second made reading wait for three quarters of the time.
    """
    queue = 16384 if not rate else max(256, min(16384, int(rate / 1024)))
    return client.consumer(
        isolation_level=isolation, queued_max_messages_kbytes=queue, queued_min_messages=100000, fetch_message_max_bytes=min(4194304, queue * 1024),
        fetch_wait_max_ms=100, fetch_queue_backoff_ms=10, fetch_error_backoff_ms=100, check_crcs=False, statistics_interval_ms=0,
    )


if KafkaError is not None:
    # Brokers that come back, and the coordinator of a group that is named and never used (reading by assignment needs no right to it).
    PASSING = (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT, KafkaError.GROUP_AUTHORIZATION_FAILED)


def read(client, ranges, isolation="read_committed", timeout=30, pace=None):
    """Yield ``(index of the range, [Message])``, in order within a range, until every range is read to its end.

    :param client: KafkaClient.
    :param ranges: (topic, partition, low, high) with high exclusive. Small ones are fetched together, large ones one by one.
    :param timeout: seconds without any progress after which it fails.
    :raises RangeGoneError: an offset of the range is no longer there.
    :raises TimedOutError: nothing came for ``timeout`` seconds (or what the brokers said instead).
    """
    todo = [(index, *one) for index, one in enumerate(ranges) if one[3] > one[2]]
    if not todo:
        return
    consumer = open_consumer(client, isolation, pace.rate if pace else None)
    before = gc.get_threshold()
    gc.set_threshold(before[0] and max(before[0], COLLECT), *before[1:])
    try:
        for group in _groups(todo):
            yield from _read_some(client, consumer, group, timeout)
    finally:
        gc.set_threshold(*before)
        consumer.close()


def _groups(todo):
    """Ranges to assign at once: each partition once in a group, large ranges alone (telling partitions apart costs two calls a record)."""
    group, seen = [], set()
    for one in todo:
        name = one[1:3]
        large = one[4] - one[3] > LARGE
        if group and (large or name in seen or len(group) == TOGETHER):
            yield group
            group, seen = [], set()
        group.append(one)
        seen.add(name)
        if large:
            yield group
            group, seen = [], set()
    if group:
        yield group


def _read_some(client, consumer, todo, timeout):
    ends = {(topic, partition): (index, high) for index, topic, partition, low, high in todo}
    left = {(topic, partition): high - low for dummy, topic, partition, low, high in todo}
    client.ask("read", lambda: consumer.assign([TopicPartition(topic, partition, low) for dummy, topic, partition, low, dummy2 in todo]))
    quiet_since = time.monotonic()
    while left:
        batch = client.ask("read", lambda: consumer.consume(max(1, min(BATCH, sum(left.values()))), WAIT))
        now = time.monotonic()
        if not batch:
            if now - quiet_since > timeout:
                raise _stalled(client, left, timeout)
            continue
        if any(map(Message.error, batch)):
            ended, batch = _events(client, batch)
            for name in ended:
                if name in left and ended[name] >= ends[name][1]:
                    del left[name]
        if batch:
            quiet_since = now
        if len(ends) == 1:
            (name, (index, high)), = ends.items()
            groups = {name: batch}
        else:
            groups = {}
            for message in batch:
                groups.setdefault((message.topic(), message.partition()), []).append(message)
        for name, messages in groups.items():
            if not messages:
                continue
            index, high = ends[name]
            last = messages[-1].offset()
            if last >= high - 1:
                if last >= high:
                    # Also where the end of the partition came in this very batch: what lies before the bound still counts.
                    messages = [message for message in messages if message.offset() < high]
                if name in left:
                    del left[name]
                    if len(ends) > 1:
                        consumer.pause([TopicPartition(*name)])
            elif name in left:
                left[name] = high - 1 - last
            if messages:
                yield index, messages
        if time.monotonic() - quiet_since > timeout:
            raise _stalled(client, left, timeout)


def _events(client, batch):
    """Split a batch: ends of partitions by name, and the records. Errors that end the reading are raised."""
    ended, records = {}, []
    for message in batch:
        error = message.error()
        if error is None:
            records.append(message)
        elif error.code() == KafkaError._PARTITION_EOF:
            ended[(message.topic(), message.partition())] = message.offset()
        elif error.code() in (KafkaError.OFFSET_OUT_OF_RANGE, KafkaError._AUTO_OFFSET_RESET):
            raise RangeGoneError(
                "Offsets of topic %s partition %s on %s are gone" % (message.topic(), message.partition(), client.name), found=error.str(),
                topic=message.topic(), partition=message.partition(),
            )
        elif error.code() in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION):
            raise NotProvableError("Topic %s on %s went away while it was read" % (message.topic(), client.name), found=error.str(), topic=message.topic())
        elif error.fatal() or (not error.retriable() and error.code() not in PASSING):
            raise client.translate(KafkaException(error), "read")
    return ended, records


def _stalled(client, left, timeout):
    name = sorted(left)[0]
    for heard in client.heard[::-1]:
        if heard.code() in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._RESOLVE):
            return client.translate(KafkaException(heard), "read")
    return TimedOutError(
        "Nothing came from %s for %s s" % (client.name, timeout), expected="the records of topic %s partition %s" % name,
        remedy="Look at the leader of this partition", topic=name[0], partition=name[1],
    )


def columns(messages):
    """Lists of offsets, timestamps (ms), keys, values and headers of messages."""
    return (
        list(map(Message.offset, messages)), [stamp[1] for stamp in map(Message.timestamp, messages)], list(map(Message.key, messages)),
        list(map(Message.value, messages)), list(map(Message.headers, messages)),
    )


def connect(config, timeout=30, name=None):
    """A KafkaClient of a whole configuration (secrets included)."""
    return KafkaClient(config, timeout=timeout, name=name)
