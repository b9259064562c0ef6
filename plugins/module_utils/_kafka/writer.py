# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Write records, all or an error."""

from __future__ import annotations

try:
    from confluent_kafka import KafkaException
except ImportError:
    pass

from .._errors import KafkaDrError


def write(client, topic, records):
    """Write records in order and wait until all replicas have them.

    :param records: ``[(partition or None, key, value)]``; with None the key decides, by murmur2 as Java's own producers do.
    :raises KafkaDrError: the topic did not take them all; some may be there.
    """
    failed = []
    producer = client.producer()
    for number, key, value in records:
        place = {} if number is None else {"partition": number}
        while True:
            try:
                producer.produce(topic, key=key, value=value, on_delivery=lambda error, message: failed.append(error) if error else None, **place)
                break
            except BufferError:
                producer.poll(0.1)
    left = producer.flush(client.timeout)
    if failed:
        raise client.translate(KafkaException(failed[0]), "write to '%s'" % topic)
    if left:
        raise KafkaDrError("Topic '%s' on %s did not take %d records" % (topic, client.name, left), remedy="Look at the brokers and run this again")
