# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""A topic of one partition as a log: read whole or not at all, appended to by one writer at a time."""

from __future__ import annotations

import time
from collections.abc import Callable

try:
    from confluent_kafka import KafkaError, KafkaException
except ImportError:
    pass

from .._errors import TimedOutError
from .client import KafkaClient, partition
from .cluster import topic_offsets
from .producing import FencedError

# A writer that was cut off is aborted by the coordinator after this time, and within ten seconds more; readers wait for that.
TRANSACTION_SECONDS = 10
ATTEMPTS = 5


def read_log(client: KafkaClient, topic: str) -> tuple[int, list[tuple[int, bytes | None]]]:
    """The log's start, and every committed record as ``(offset, value)``.

    :raises TimedOutError: the end was not reached, or a transaction is open before it, behind which records may stand; a log that is read in
        part is never used.
    """
    end = time.monotonic() + client.timeout
    while True:
        bounds = topic_offsets(client, {topic: 1})[topic]["0"]
        if bounds["stable"] >= bounds["end"]:
            break
        if time.monotonic() > end:
            raise TimedOutError("'%s' on %s could not be read to its end: a transaction is open in it" % (topic, client.name),
                                expected="no record after offset %d to be undecided" % bounds["stable"], found="the end at offset %d" % bounds["end"],
                                remedy="Find whose it is with 'kafka-transactions.sh describe-producers', abort it, and take away their right to write there")
        time.sleep(0.2)
    return bounds["start"], _read(client, topic, bounds, end) if bounds["start"] < bounds["stable"] else []


def _read(client: KafkaClient, topic: str, bounds: dict, end: float) -> list[tuple[int, bytes | None]]:
    records = []
    consumer = client.consumer(fetch_wait_max_ms=50)
    try:
        consumer.assign([partition(topic, 0, bounds["start"])])
        while True:
            for message in consumer.consume(500, 0.05):
                if message.error() is None:
                    records.append((message.offset(), message.value()))
                    end = max(end, time.monotonic() + client.timeout)
                elif message.error().code() != KafkaError._PARTITION_EOF:
                    raise client.translate(KafkaException(message.error()), "read '%s'" % topic)
            position = client.ask("read '%s'" % topic, lambda: consumer.position([partition(topic, 0)]))[0].offset
            if position >= bounds["stable"]:
                return [one for one in records if one[0] < bounds["stable"]]
            if time.monotonic() > end:
                raise TimedOutError("'%s' on %s could not be read to its end" % (topic, client.name), expected="offset %d" % bounds["stable"],
                                    found="offset %d" % position, remedy="Look at the brokers and run this again")
    finally:
        consumer.close()


def append_log(client: KafkaClient, topic: str, transactional_id: str, key: bytes,
               compose: Callable[[int, list[tuple[int, bytes | None]]], list[bytes]]) -> None:
    """Read the log to its end and write what follows, with nobody in between.

    Taking over the ``transactional_id`` ends whatever another writer has begun (KIP-98); a writer that does so while this one writes makes
    it begin again from reading.

    :param compose: gets what :func:`read_log` returns and gives the values to write, in one transaction; none where nothing is to be written.
        What it raises ends the append.
    :raises FencedError: other writers took over :data:`ATTEMPTS` times.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            producer = client.producer(transactional_id=transactional_id, transaction_timeout_ms=TRANSACTION_SECONDS * 1000)
            producer.init_transactions()
            values = compose(*read_log(client, topic))
            if values:
                producer.begin_transaction()
                for value in values:
                    producer.produce(topic, key=key, value=value, partition=0)
                producer.commit_transaction()
            return
        except FencedError:
            if attempt == ATTEMPTS:
                raise
            time.sleep(0.2 * attempt)
