# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""A producer whose every error is one of the collection's."""

from __future__ import annotations

import time

try:
    from confluent_kafka import KafkaError, KafkaException
except ImportError:
    pass

from .._errors import KafkaDrError, TimedOutError, UsageError


class FencedError(KafkaDrError):
    """Another producer of the same ``transactional.id`` took over."""

    kind = "refused"


class TranslatingProducer:
    """librdkafka's producer, for one :class:`.client.KafkaClient`.

    A record that was not delivered makes :meth:`flush` and :meth:`commit_transaction` raise; a caller that passes ``on_delivery`` is told there instead.
    """

    def __init__(self, client, producer):
        self._client = client
        self._producer = producer
        self._failed = []

    def __len__(self) -> int:
        return len(self._producer)

    def produce(self, topic: str, value: bytes | None = None, key: bytes | None = None, on_delivery=None, **more) -> None:
        """Hand a record over; waits while the queue is full.

        :param more: ``partition``, ``headers``, ``timestamp``.
        :raises KafkaDrError: the record is not taken, such as one larger than ``message.max.bytes``.
        """
        until = time.monotonic() + self._client.timeout
        what = "write a record of %d bytes to '%s'" % (len(value or b"") + len(key or b""), topic)

        def delivered(error, dummy):
            if error is not None:
                self._failed.append((error, topic))

        while True:
            try:
                return self._ask(what, lambda: self._producer.produce(topic, value=value, key=key, on_delivery=on_delivery or delivered, **more))
            except BufferError as error:
                if time.monotonic() > until:
                    raise TimedOutError("Cannot %s on %s within %s s" % (what, self._client.name, self._client.timeout), found="a full queue",
                                        remedy="Look at the brokers' health, or give a larger timeout") from error
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
            raise TimedOutError("%d records are not acknowledged by %s within %s s" % (left, self._client.name, seconds or self._client.timeout),
                                remedy="Look at the brokers' health and run this again")
        return left

    def init_transactions(self) -> None:
        """Take over the ``transactional.id``: whatever its last owner had begun is aborted."""
        self._ask("take over the transactions of '%s'" % self._client.name, lambda: self._producer.init_transactions(self._client.timeout))

    def begin_transaction(self) -> None:
        """Begin one."""
        self._ask("begin a transaction", self._producer.begin_transaction)

    def commit_transaction(self) -> None:
        """Commit it, or abort and raise. :raises FencedError: another producer took over."""
        until = time.monotonic() + self._client.timeout
        while True:
            try:
                self._producer.commit_transaction(max(1.0, until - time.monotonic()))
                return self._raise_failed()
            except KafkaException as exception:
                error = exception.args[0]
                if error.retriable() and time.monotonic() < until:
                    continue
                if error.txn_requires_abort():
                    self._abort()
                    self._raise_failed()
                raise self._translated(exception, "commit a transaction") from exception

    def _abort(self) -> None:
        try:
            self._producer.abort_transaction(self._client.timeout)
        except KafkaException:
            # The coordinator aborts it when its time is up; the error that led here is what the caller has to know.
            pass

    def _raise_failed(self) -> None:
        if self._failed:
            error, topic = self._failed[0]
            raise self._translated(KafkaException(error), "write to '%s'" % topic)

    def _ask(self, what, call):
        try:
            return call()
        except KafkaException as exception:
            raise self._translated(exception, what) from exception
        except (TypeError, ValueError) as exception:
            raise UsageError("Cannot %s on %s" % (what, self._client.name), found=str(exception)) from exception

    def _translated(self, exception, what):
        error = exception.args[0] if exception.args else None
        if isinstance(error, KafkaError) and error.code() in (KafkaError._FENCED, KafkaError.INVALID_PRODUCER_EPOCH):
            return FencedError("Cannot %s on %s" % (what, self._client.name), expected="to be the only writer", found=error.str(),
                               remedy="Another run writes there; let it finish, then run this again")
        return self._client.translate(exception, what)
