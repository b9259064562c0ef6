# SPDX-License-Identifier: GPL-3.0-or-later
"""Write records, all or an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .client import KafkaClient

Record = tuple["int | None", "bytes | None", "bytes | None"]


def write(client: KafkaClient, topic: str, records: Iterable[Record]) -> None:
    """Write records in order and wait until all replicas have them.

    :param records: ``[(partition or None, key, value)]``; with None the key decides, by murmur2 as Java's own producers
        do.
    :raises KafkaDrError: the topic did not take them all; some may be there.
    """
    producer = client.producer()
    for number, key, value in records:
        where: dict[str, Any] = {} if number is None else {"partition": number}
        producer.produce(topic, key=key, value=value, **where)
    producer.flush()
