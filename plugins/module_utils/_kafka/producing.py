# SPDX-License-Identifier: GPL-3.0-or-later
"""A producer whose every error is one of the collection's."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

try:
    from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, KafkaError, KafkaException, Producer
except ImportError:
    pass

from .._errors import KafkaDrError, TimedOutError, UsageError
from .broker_errors import timed_out

if TYPE_CHECKING:
    from .client import KafkaClient

T = TypeVar("T")


class FencedError(KafkaDrError):
    """Another producer of the same ``transactional.id`` took over."""

    kind = "refused"


class TranslatingProducer:
    """librdkafka's producer, for one :class:`.client.KafkaClient`.

    A record that is not delivered makes :meth:`flush` and :meth:`commit_transaction` raise, unless the caller passes
    ``on_delivery``, which then gets the error.
    """

    def __init__(self, client: KafkaClient, producer: Producer) -> None:
        self._client = client
        self._producer = producer
        self._failed: list[tuple[KafkaError, str]] = []

    def __len__(self) -> int:
        return len(self._producer)

    def produce(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        on_delivery: Callable[[KafkaError | None, Any], None] | None = None,
        on_stamp: Callable[[int], None] | None = None,
        **more: Any,
    ) -> None:
        """Hand a record over; waits while the queue is full.

        :param on_stamp: gets the broker's time, in milliseconds, when it took the record and its topic has
            ``message.timestamp.type=LogAppendTime``. :param more: ``partition``, ``headers``, ``timestamp``.
        :raises KafkaDrError: the record is not taken, such as one larger than ``message.max.bytes``.
        """
        until = time.monotonic() + self._client.timeout
        what = f"write a record of {len(value or b'') + len(key or b'')} bytes to '{topic}'"

        def delivered(error: KafkaError | None, record: Any) -> None:
            if error is not None:
                self._failed.append((error, topic))
            elif on_stamp is not None and record.timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME:
                on_stamp(record.timestamp()[1])

        while True:
            try:
                self._ask(
                    what,
                    lambda: self._producer.produce(
                        topic, value=value, key=key, on_delivery=on_delivery or delivered, **more
                    ),
                )
                return
            except BufferError as error:
                if time.monotonic() > until:
                    raise timed_out(what, self._client.name, self._client.timeout, "a full queue") from error
                self.poll(0.1)

    def poll(self, seconds: float) -> int:
        """Let librdkafka deliver what it has to say."""
        return self._ask("write", lambda: self._producer.poll(seconds))

    def flush(self, seconds: float | None = None) -> int:
        """Wait until every record is acknowledged, or refused where the caller listens; returns 0.

        :raises KafkaDrError: one was refused, or is not acknowledged yet; some may be there.
        """
        left = self._ask("write", lambda: self._producer.flush(self._client.timeout if seconds is None else seconds))
        self._raise_failed()
        if left:
            raise TimedOutError(
                f"{self._client.name} has not acknowledged {left} records within {seconds or self._client.timeout} s",
                remedy="Look at the brokers' health and run this again",
            )
        return left

    def init_transactions(self) -> None:
        """Take over the ``transactional.id``: whatever its last owner had begun is aborted."""
        self._ask(
            f"take over the transactions of '{self._client.name}'",
            lambda: self._producer.init_transactions(self._client.timeout),
        )

    def begin_transaction(self) -> None:
        """Begin a transaction."""
        self._ask("begin a transaction", self._producer.begin_transaction)

    def commit_transaction(self, seconds: float | None = None) -> None:
        """Commit the transaction, or abort it and raise.

        :param seconds: how long its records may take; the client's time-out where it is None.
        :raises FencedError: another producer took over. :raises KafkaDrError: a record was refused.
        """
        until = time.monotonic() + (self._client.timeout if seconds is None else seconds)
        while True:
            try:
                self._producer.commit_transaction(max(1.0, until - time.monotonic()))
                self._raise_failed()
                return
            except KafkaException as exception:
                error = exception.args[0]
                if error.retriable() and time.monotonic() < until:
                    continue
                if error.txn_requires_abort():
                    self._abort()
                    self._raise_failed()
                raise self.error(error, "commit a transaction") from exception

    def abort_transaction(self) -> None:
        """Abort what was begun, if anything was; the error that leads here is what the caller tells."""
        self._abort()

    def _abort(self) -> None:
        try:
            self._producer.abort_transaction(self._client.timeout)
        except KafkaException:
            # The coordinator aborts it when its time is up; the error that led here is what the caller has to know.
            pass

    def _raise_failed(self) -> None:
        if self._failed:
            error, topic = self._failed[0]
            raise self.error(error, f"write to '{topic}'")

    def _ask(self, what: str, call: Callable[[], T]) -> T:
        try:
            return call()
        except KafkaException as exception:
            raise self.error(exception.args[0] if exception.args else None, what) from exception
        except (TypeError, ValueError) as exception:
            raise UsageError(f"Cannot {what} on {self._client.name}", found=str(exception)) from exception

    def error(self, error: KafkaError | None, what: str) -> KafkaDrError:
        """The collection's error for one of librdkafka's. ``what`` continues 'Cannot ...'."""
        if isinstance(error, KafkaError) and error.code() == KafkaError._FATAL:
            error = self._fatal() or error
        if isinstance(error, KafkaError) and error.code() in (KafkaError._FENCED, KafkaError.INVALID_PRODUCER_EPOCH):
            return FencedError(
                f"Cannot {what} on {self._client.name}",
                expected="to be the only writer",
                found=error.str(),
                remedy="Another run writes there; let it finish, then run this again",
            )
        return self._client.translate(KafkaException(error), what)

    def _fatal(self) -> KafkaError | None:
        """The reason why the producer can do nothing more: calls say only that there is one, the next poll tells it."""
        try:
            self._producer.poll(1)
        except KafkaException as exception:
            return exception.args[0] if exception.args else None
        return None
