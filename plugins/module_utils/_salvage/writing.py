# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the records of one partition to the active region, each once, however often the run is killed.

The records of a transaction and the entry that says so are committed together. Taking over the partition's
``transactional.id`` ends what an earlier run has begun; what was committed is read after that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.shapes import Headers
from .._errors import KafkaDrError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.producing import TranslatingProducer
from .._kafka.reader import columns, read
from .._ledger import kept
from .._proof.shapes import Progress as Tell
from . import progress, spans
from .actions import REPLAY
from .size import batch_size

HEADER = "kafka-dr-salvaged"
RECORDS, BYTES = 2000, 4 << 20
# The largest that librdkafka takes; the topic's own limit was compared before.
LARGEST = 1000000000


@dataclass(frozen=True)
class Work:
    """One partition to write. It travels to where the data is read.

    :ivar wanted: runs of the source's offsets that are to be in the target at the end.
    """

    region: str
    topic: str
    topic_id: str
    partition: int
    action: str
    target_topic: str
    target_topic_id: str
    limit: int
    wanted: list[list[int]]

    @property
    def name(self) -> str:
        """The partition as messages name it."""
        return f"{self.topic}-{self.partition}"

    def unwritable(self, rows: list[tuple[Any, ...]]) -> Any:
        """Of records ``(offset, timestamp, key, value, headers)``, those that the target would not take as they are:
        rows (int64) of offset, timestamp, and bytes in the target.
        """
        measured = [
            (offset, at, batch_size(key, value, self.headers(offset, own))) for offset, at, key, value, own in rows
        ]
        refused = [row for row in measured if row[1] <= 0 or row[2] > self.limit]
        return np.array(refused, np.int64).reshape(-1, 3)

    def headers(self, offset: int, own: Headers | None) -> Headers | None:
        """The headers that the record has in the target. They inform; what was written is told by the entries."""
        if self.action != REPLAY:
            return own
        return [*(own or []), (HEADER, f"{self.region}/{self.name}@{offset}".encode())]


@dataclass
class _Batch:
    """The records of one transaction."""

    offsets: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    size: int = 0


def transactional_id(topic_id: str, partition: int) -> str:
    """One for each partition of the source."""
    return f"kafka-dr-salvage-{topic_id}-{partition}"


def write(source: KafkaClient, target: KafkaClient, work: Work, pace: Any, on_progress: Tell) -> None:
    """Write what is not written yet.

    :raises KafkaDrError: something was refused. What was committed stands, and the next run goes on from it.
    """
    producer = target.producer(
        transactional_id=transactional_id(work.topic_id, work.partition),
        transaction_timeout_ms=kept.TRANSACTION_SECONDS * 1000,
        message_max_bytes=LARGEST,
        batch_size=max(1, min(1000000, work.limit)),
        linger_ms=5,
    )
    producer.init_transactions()
    known = progress.read_all(target).get((work.topic_id, work.partition), progress.Progress())
    refuse_other_way(work, known)
    todo = spans.without(spans.as_runs(work.wanted), known.written())
    todo = spans.within(todo, known.next or 0)
    if not len(todo):
        return
    try:
        _Writer(producer, work).run(source, todo, pace, on_progress)
    except BaseException:
        # Left open, it would hide from every reader of the topic what is written after it.
        producer.abort_transaction()
        raise


def refuse_other_way(work: Work, known: progress.Progress) -> None:
    """Refuse to continue what an earlier run began in another way. :raises RefusedError: it was."""
    for portion in known.portions:
        if (portion.action, portion.target_topic) != (work.action, work.target_topic):
            raise RefusedError(
                f"Records of {work.name} were salvaged in another way already",
                expected=f"{work.action} to '{work.target_topic}', or nothing",
                found=f"{portion.action} to '{portion.target_topic}'",
                remedy=f"Give {work.topic} the action {portion.action}, or export",
            )
        if portion.target_topic_id != work.target_topic_id:
            raise RefusedError(
                f"'{work.target_topic}' was created anew after records of {work.name} had been written to it",
                expected=f"the topic with the id {portion.target_topic_id}",
                found=work.target_topic_id,
                remedy="Find out who deleted it; export the records instead",
            )


class _Writer:
    """Transactions of one partition."""

    def __init__(self, producer: TranslatingProducer, work: Work) -> None:
        self.producer, self.work = producer, work
        self.batch = _Batch()
        self.failed: list[Any] = []

    def run(self, source: KafkaClient, todo: Any, pace: Any, on_progress: Tell) -> None:
        """Read the offsets and write them."""
        found = 0
        ranges = [(self.work.topic, self.work.partition, low, high) for low, high in spans.reading(todo)]
        for dummy, messages in read(source, ranges, timeout=source.timeout, pace=pace):
            before = self.batch.size
            rows = list(zip(*columns(messages), strict=True))
            keep = spans.holds(todo, [row[0] for row in rows])
            for row, wanted in zip(rows, keep.tolist(), strict=True):
                if wanted:
                    self._produce(*row)
                    found += 1
            pace.take(max(0, self.batch.size - before))
            on_progress(len(rows), max(0, self.batch.size - before))
        self._commit()
        if found != spans.count(todo):
            raise changed(self.work.name, source.name, spans.count(todo), found)

    def _produce(self, offset: int, timestamp: int, key: Any, value: Any, headers: Any) -> None:
        if not self.batch.offsets:
            self.producer.begin_transaction()
        try:
            self.producer.produce(
                self.work.target_topic,
                key=key,
                value=value,
                headers=self.work.headers(offset, headers),
                partition=self.work.partition,
                timestamp=timestamp,
                on_delivery=self._delivered,
            )
        except KafkaDrError as error:
            raise self._refused(offset, error) from error
        self.batch.offsets.append(offset)
        self.batch.size += len(key or b"") + len(value or b"")
        if len(self.batch.offsets) >= RECORDS or self.batch.size >= BYTES:
            self._commit()

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self.failed.append(error)
        else:
            self.batch.target.append(message.offset())

    def _refused(self, offset: int, error: KafkaDrError) -> KafkaDrError:
        error.args = (f"{self.work.name}@{offset}: {error}",)
        return error

    def _commit(self) -> None:
        """Commit the records with the entries that say so, or nothing."""
        batch, work = self.batch, self.work
        if not batch.offsets:
            return
        self.producer.flush()
        if self.failed:
            cause = self.producer.error(
                self.failed[0], f"write {work.name}@{batch.offsets[0]} and what follows to '{work.target_topic}'"
            )
            raise cause if cause.remedy else _rejected(cause, work)
        source, target = spans.of_offsets(batch.offsets), spans.of_offsets(batch.target)
        portion = progress.Portion(
            work.action, work.target_topic, work.target_topic_id, source, target, len(batch.offsets)
        )
        following = batch.offsets[-1] + 1
        for name, value in (
            (progress.key(work.topic_id, work.partition, batch.offsets[0]), progress.portion_entry(portion)),
            (
                progress.key(work.topic_id, work.partition),
                progress.entry(work.region, work.topic, work.topic_id, work.partition, following),
            ),
        ):
            self.producer.produce(progress.TOPIC, key=name, value=value, partition=0)
        self.producer.commit_transaction()
        self.batch = _Batch()


def changed(name: str, region: str, expected: int, found: int) -> RefusedError:
    """The error for records that were there when both sides were aligned, and are not when they are read."""
    return RefusedError(
        f"{name} on {region} changed while it was salvaged",
        expected=f"{expected} records",
        found=found,
        remedy="Hold deletion and compaction there, and run this again",
    )


def _rejected(cause: KafkaDrError, work: Work) -> KafkaDrError:
    """The same error with a way out: what a broker compares a record with is in the topic's configs."""
    error = KafkaDrError(
        cause.message,
        cause.expected,
        cause.found,
        f"Look at what '{work.target_topic}' accepts (message.timestamp.before.max.ms and after.max.ms), or give "
        f"{work.topic} the action export",
        **cause.facts,
    )
    error.kind = cause.kind
    return error


def too_large(work: Work, offset: int, size: int) -> RefusedError:
    """The error for a record that the target's topic does not take."""
    return RefusedError(
        f"{work.name}@{offset} is larger than '{work.target_topic}' accepts",
        expected=f"at most {work.limit} bytes (max.message.bytes)",
        found=f"{size} bytes",
        remedy=f"Raise max.message.bytes of '{work.target_topic}', or give {work.topic} the action export",
    )


def refuse_unwritable(work: Work, unwritable: Any, write: Any) -> None:
    """What the target would not take as it is. :raises RefusedError: a record is too large, or has no timestamp.

    :param unwritable: see :meth:`Work.unwritable`. :param write: runs of the offsets that would be written; what is
        exported has to fit nowhere.
    """
    found = unwritable[spans.holds(write, unwritable[:, 0])]
    if not len(found):
        return
    offset, timestamp, size = found[0].tolist()
    if size > work.limit:
        raise too_large(work, offset, size)
    raise RefusedError(
        f"{work.name}@{offset} has no timestamp, and would get another one in '{work.target_topic}'",
        expected="a timestamp",
        found=timestamp,
        remedy=f"Give {work.topic} the action export",
    )
