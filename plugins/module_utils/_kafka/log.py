# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic of one partition as a log: read whole or not at all, appended to by one writer at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

try:
    from confluent_kafka import KafkaError, KafkaException
except ImportError:
    pass

from .._errors import KafkaDrError, TimedOutError
from .client import KafkaClient, partition
from .offsets import LogBounds, topic_offsets
from .producing import FencedError

# Offset and value.
LogRecord = tuple[int, "bytes | None"]

# A writer that was cut off is aborted by the coordinator after this time, and within ten seconds more; readers wait for
# that.
TRANSACTION_SECONDS = 10
# What is large takes longer over a slow link: so many bytes a second, before they are compressed; and no longer than
# this, since readers wait.
SLOWEST, LONGEST = 100_000, 60
ATTEMPTS = 5


def read_log(client: KafkaClient, topic: str) -> tuple[int, list[LogRecord]]:
    """The log's start, and every committed record as ``(offset, value)``.

    :raises TimedOutError: the end was not reached, or a transaction is open before it, behind which records may stand.
    """
    end = time.monotonic() + client.timeout
    while True:
        bounds = topic_offsets(client, {topic: 1})[topic]["0"]
        if bounds["stable"] >= bounds["end"]:
            break
        if time.monotonic() > end:
            raise TimedOutError(
                f"'{topic}' on {client.name} could not be read to its end: a transaction is open in it",
                expected=f"no record after offset {bounds['stable']} to be undecided",
                found=f"the end at offset {bounds['end']}",
                remedy=(
                    "A run that was cut off leaves one for a minute at most: run this again. Otherwise find whose it "
                    "is with 'kafka-transactions.sh describe-producers', abort it, and take away their right to write "
                    "there"
                ),
            )
        time.sleep(0.2)
    return bounds["start"], _read(client, topic, bounds, end) if bounds["start"] < bounds["stable"] else []


def _read(client: KafkaClient, topic: str, bounds: LogBounds, end: float) -> list[LogRecord]:
    records: list[LogRecord] = []
    consumer = client.consumer(fetch_wait_max_ms=50)
    try:
        consumer.assign([partition(topic, 0, bounds["start"])])
        while True:
            message: Any
            for message in consumer.consume(500, 0.05):
                if message.error() is None:
                    records.append((message.offset(), message.value()))
                    end = max(end, time.monotonic() + client.timeout)
                elif message.error().code() != KafkaError._PARTITION_EOF:
                    raise client.translate(KafkaException(message.error()), f"read '{topic}'")
            position = client.ask(f"read '{topic}'", lambda: consumer.position([partition(topic, 0)]))[0].offset
            if position >= bounds["stable"]:
                return [record for record in records if record[0] < bounds["stable"]]
            if time.monotonic() > end:
                raise TimedOutError(
                    f"'{topic}' on {client.name} could not be read to its end",
                    expected=f"offset {bounds['stable']}",
                    found=f"offset {position}",
                    remedy="Look at the brokers and run this again",
                )
    finally:
        consumer.close()


def append_log(
    client: KafkaClient,
    topic: str,
    transactional_id: str,
    key: bytes,
    compose: Callable[[int, list[LogRecord]], list[bytes]],
    size: int = 0,
) -> None:
    """Read the log to its end and write what follows, with nobody in between.

    Taking over the ``transactional_id`` ends whatever another writer has begun (KIP-98). A writer that does so while
    this one writes makes it begin again from reading.

    :param compose: gets what :func:`read_log` returns, and returns the values to write in one transaction; an empty
        list writes nothing. It has to find again what an earlier attempt wrote. What it raises ends the append.
    :param size: how many bytes these values are, about; what is large may take longer.
    :raises FencedError: other writers took over :data:`ATTEMPTS` times.
    """
    seconds = min(LONGEST, TRANSACTION_SECONDS + size // SLOWEST)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            producer = client.producer(
                transactional_id=transactional_id, transaction_timeout_ms=seconds * 1000, compression_type="zstd"
            )
            producer.init_transactions()
            values = compose(*read_log(client, topic))
            if values:
                producer.begin_transaction()
                for value in values:
                    producer.produce(topic, key=key, value=value, partition=0)
                producer.commit_transaction(max(client.timeout, seconds))
            return
        except KafkaDrError as error:
            # An answer without a meaning leaves open whether the transaction was committed. The next attempt reads it.
            again = isinstance(error, FencedError) or error.facts.get("code") == "UNKNOWN"
            if not again or attempt == ATTEMPTS:
                raise
            time.sleep(0.2 * attempt)
