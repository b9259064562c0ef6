# SPDX-License-Identifier: GPL-3.0-or-later
"""Read ranges of offsets, whole or not at all.

Three properties of Kafka decide how. The last offsets of a range may be control or aborted records that never arrive:
a record beyond the range or the end of the partition tells that it is read, never the last record's offset.
``consume(n)`` waits its whole timeout for a full batch, so it is asked for what is left and waits briefly. An offset
that retention took must be an error, not a jump.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

try:
    from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, Consumer, Message, TopicPartition
except ImportError:
    pass

from .client import KafkaClient
from .consumers import PREFETCH, open_consumer
from .offsets import Isolation, Partition
from .pace import Pace
from .read_events import Record, split, stalled

# Messages that one consume() returns at most.
BATCH = 5000
# Partitions assigned at once.
PARTITIONS_AT_ONCE = 200
# Offsets beyond which a range is read alone.
LARGE = 20000
# Seconds that one consume() waits.
WAIT = 0.05
# Objects between two looks of Python's cycle collector: it would look at a batch's messages seven times, and they are
# never part of a cycle.
COLLECT = 50000

# Topic, partition, first offset, offset behind the last.
OffsetRange = tuple[str, int, int, int]


class _Task(NamedTuple):
    """One range to read, and its place among those that were asked for."""

    place: int
    topic: str
    partition: int
    low: int
    high: int

    @property
    def key(self) -> Partition:
        return (self.topic, self.partition)


def read(
    client: KafkaClient,
    ranges: Iterable[OffsetRange],
    isolation: Isolation = "read_committed",
    timeout: float = 30,
    pace: Pace | None = None,
) -> Generator[tuple[int, list[Record]], None, None]:
    """Yield ``(index of the range, messages)``, in order within a range, until every range is read to its end.

    :param ranges: (topic, partition, low, high) with high exclusive. Small ones are fetched together, large ones one by
        one.
    :param timeout: seconds without any progress after which it fails.
    :raises RangeGoneError: an offset of the range is no longer there.
    :raises TimedOutError: nothing came for ``timeout`` seconds (or what the brokers said instead).
    """
    session = Session(client, isolation, pace.rate if pace else None)
    try:
        yield from session.read(ranges, timeout)
    finally:
        session.close()


class Session:
    """A consumer that stays open between readings: to open one costs a handshake with each broker, which for a few new
    records is most of the work.

    :param rate: bytes a second that are taken at most. :param prefetch: as of :func:`.consumers.open_consumer`.
    """

    def __init__(
        self,
        client: KafkaClient,
        isolation: Isolation = "read_committed",
        rate: float | None = None,
        prefetch: int = PREFETCH,
    ) -> None:
        self.client, self.isolation, self.rate, self.prefetch = client, isolation, rate, prefetch
        self._consumer: Consumer | None = None

    def read(
        self, ranges: Iterable[OffsetRange], timeout: float = 30
    ) -> Generator[tuple[int, list[Record]], None, None]:
        """As :func:`read`. A reading that fails, or that is left before its end, ends the consumer."""
        tasks = [_Task(index, *bounds) for index, bounds in enumerate(ranges) if bounds[3] > bounds[2]]
        if not tasks:
            return
        if self._consumer is None:
            self._consumer = open_consumer(self.client, self.isolation, self.rate, self.prefetch)
        before = gc.get_threshold()
        gc.set_threshold(before[0] and max(before[0], COLLECT), *before[1:])
        whole = False
        try:
            for group in _groups(tasks):
                yield from _Reading(self.client, self._consumer, group, timeout).run()
            # What is assigned is fetched on.
            self._consumer.unassign()
            whole = True
        finally:
            gc.set_threshold(*before)
            if not whole:
                self.close()

    def close(self) -> None:
        """End the consumer, if there is one."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()


def _groups(tasks: Iterable[_Task]) -> Iterator[list[_Task]]:
    """Ranges to assign at once: each partition once in a group, large ranges alone (telling partitions apart costs two
    calls a record).
    """
    group: list[_Task] = []
    seen: set[Partition] = set()
    for task in tasks:
        large = task.high - task.low > LARGE
        if group and (large or task.key in seen or len(group) == PARTITIONS_AT_ONCE):
            yield group
            group, seen = [], set()
        group.append(task)
        seen.add(task.key)
        if large:
            yield group
            group, seen = [], set()
    if group:
        yield group


class _Reading:
    """Ranges of different partitions, read together."""

    def __init__(self, client: KafkaClient, consumer: Consumer, tasks: Sequence[_Task], timeout: float) -> None:
        self.client = client
        self.consumer = consumer
        self.timeout = timeout
        self.tasks = {task.key: task for task in tasks}
        # Offsets still to come, by partition.
        self.left = {task.key: task.high - task.low for task in tasks}

    def run(self) -> Iterator[tuple[int, list[Record]]]:
        """As :func:`read`."""
        places = [TopicPartition(task.topic, task.partition, task.low) for task in self.tasks.values()]
        self.client.ask("read", lambda: self.consumer.assign(places))
        # An earlier group may have left them paused.
        self.consumer.resume(places)
        quiet_since = time.monotonic()
        while self.left:
            count = max(1, min(BATCH, sum(self.left.values())))
            batch = self.client.ask("read", partial(self.consumer.consume, count, WAIT))
            records = self._records(batch)
            for key, messages in self._by_partition(records):
                taken = self._take(key, messages)
                if taken:
                    yield self.tasks[key].place, taken
            if records:
                # The time that the caller takes for its batch is no silence of the brokers.
                quiet_since = time.monotonic()
            elif self.left and time.monotonic() - quiet_since > self.timeout:
                raise stalled(self.client, self.left, self.timeout)

    def _records(self, batch: list[Record]) -> list[Record]:
        """The records of a batch; ranges whose partition ends within them are done."""
        if not any(map(Message.error, batch)):
            return batch
        ended, records = split(self.client, batch)
        for key, offset in ended.items():
            if key in self.left and offset >= self.tasks[key].high:
                del self.left[key]
        return records

    def _by_partition(self, records: list[Record]) -> Iterable[tuple[Partition, list[Record]]]:
        if len(self.tasks) == 1:
            return [(key, records) for key in self.tasks]
        groups: dict[Partition, list[Record]] = {}
        for message in records:
            groups.setdefault((message.topic(), message.partition()), []).append(message)
        return groups.items()

    def _take(self, key: Partition, messages: list[Record]) -> list[Record]:
        """Those that lie within the range; the range is done where they reach its end."""
        if not messages:
            return []
        high = self.tasks[key].high
        last = messages[-1].offset()
        if last < high - 1:
            if key in self.left:
                self.left[key] = high - 1 - last
            return messages
        if key in self.left:
            del self.left[key]
            if len(self.tasks) > 1:
                self.consumer.pause([TopicPartition(*key)])
        # Also where the end of the partition came in this very batch: what lies before the bound still counts.
        return messages if last < high else [message for message in messages if message.offset() < high]


def columns(messages: Sequence[Record]) -> tuple[list[Any], list[Any], list[Any], list[Any], list[Any]]:
    """Lists of offsets, timestamps (ms), keys, values and headers of messages."""
    return (
        list(map(Message.offset, messages)),
        [stamp[1] for stamp in map(Message.timestamp, messages)],
        list(map(Message.key, messages)),
        list(map(Message.value, messages)),
        list(map(Message.headers, messages)),
    )


def stamped_by_broker(message: Record) -> bool:
    """Whether the message's timestamp is the broker's time of arrival (``message.timestamp.type=LogAppendTime``)."""
    return message.timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME


def timestamp_type(message: Record) -> str | None:
    """Whose time the message's timestamp is, as ``message.timestamp.type`` calls it; None where it has no timestamp."""
    return {TIMESTAMP_CREATE_TIME: "CreateTime", TIMESTAMP_LOG_APPEND_TIME: "LogAppendTime"}.get(message.timestamp()[0])
