# SPDX-License-Identifier: GPL-3.0-or-later
"""What a consumer tells beside records, while ranges are read: ends of partitions, and errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

try:
    from confluent_kafka import KafkaError, KafkaException
except ImportError:
    KafkaError = None  # type: ignore[assignment, misc]

from .._errors import KafkaDrError, NotProvableError, TimedOutError
from .client import KafkaClient
from .offsets import Partition

# A confluent_kafka.Message, whose fields the stubs call optional: those of an error may be missing.
Record = Any


class RangeGoneError(NotProvableError):
    """The log no longer starts where the range does; ``facts`` name topic and partition."""

    kind = "range_gone"


if KafkaError is not None:
    # Brokers that come back, and the coordinator of a group that is named and never used (reading by assignment needs
    # no right to it).
    PASSING = (
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._TIMED_OUT,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
    )


def split(client: KafkaClient, batch: list[Record]) -> tuple[dict[Partition, int], list[Record]]:
    """Split a batch: the ends of partitions, and the records. Errors that end the reading are raised."""
    ended: dict[Partition, int] = {}
    records: list[Record] = []
    for message in batch:
        error = message.error()
        if error is None:
            records.append(message)
        elif error.code() == KafkaError._PARTITION_EOF:
            ended[(message.topic(), message.partition())] = message.offset()
        elif error.code() in (KafkaError.OFFSET_OUT_OF_RANGE, KafkaError._AUTO_OFFSET_RESET):
            raise RangeGoneError(
                f"Offsets of topic {message.topic()} partition {message.partition()} on {client.name} are gone",
                found=error.str(),
                topic=message.topic(),
                partition=message.partition(),
            )
        elif error.code() in (
            KafkaError.UNKNOWN_TOPIC_OR_PART,
            KafkaError._UNKNOWN_TOPIC,
            KafkaError._UNKNOWN_PARTITION,
        ):
            raise NotProvableError(
                f"Topic {message.topic()} on {client.name} went away while it was read",
                found=error.str(),
                topic=message.topic(),
            )
        elif error.fatal() or (not error.retriable() and error.code() not in PASSING):
            raise client.translate(KafkaException(error), "read")
    return ended, records


def stalled(client: KafkaClient, left: Iterable[Partition], timeout: float) -> KafkaDrError:
    topic, number = sorted(left)[0]
    for heard in client.heard[::-1]:
        if heard.code() in (
            KafkaError._TRANSPORT,
            KafkaError._ALL_BROKERS_DOWN,
            KafkaError._AUTHENTICATION,
            KafkaError._SSL,
            KafkaError._RESOLVE,
        ):
            return client.translate(KafkaException(heard), "read")
    return TimedOutError(
        f"Nothing came from {client.name} for {timeout} s",
        expected=f"the records of topic {topic} partition {number}",
        remedy="Look at the leader of this partition",
        topic=topic,
        partition=number,
    )
