# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Write records, all or an error."""

from __future__ import annotations


def write(client, topic, records):
    """Write records in order and wait until all replicas have them.

    :param records: ``[(partition or None, key, value)]``; with None the key decides, by murmur2 as Java's own producers do.
    :raises KafkaDrError: the topic did not take them all; some may be there.
    """
    producer = client.producer()
    for number, key, value in records:
        producer.produce(topic, key=key, value=value, **({} if number is None else {"partition": number}))
    producer.flush()
