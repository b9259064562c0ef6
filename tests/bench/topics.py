# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics of a benchmark: the same records on both sides."""

from __future__ import annotations

import multiprocessing

from tests.support.kafka import Kafka

Sides = dict[str, Kafka]

PADDING = b"departures are what the drill copies; here a payload of their length does, since only its size matters " * 3
START = 1700000000000


def value_of(number: int) -> bytes:
    """193 bytes that differ from record to record."""
    return b"%012d" % number + PADDING[:181]


def generate(bootstrap: str, topic: str, low: int, high: int, partitions: int, without: int = -1) -> None:
    """Write records low..high in partition order; deterministic, so that both sides hold the same."""
    from confluent_kafka import Producer

    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "linger.ms": 20,
            "batch.num.messages": 100000,
            "batch.size": 1000000,
            "queue.buffering.max.messages": 1000000,
            "queue.buffering.max.kbytes": 512000,
            "log_level": 0,
            "max.in.flight.requests.per.connection": 1,
        }
    )
    for number in range(low, high):
        if number == without:
            continue
        while True:
            try:
                producer.produce(
                    topic, value_of(number), b"N%06d" % (number % 4000), number % partitions, timestamp=START + number
                )
                break
            except BufferError:
                producer.poll(0.05)
    producer.flush(120)


def fill(sides: Sides, topic: str, count: int, partitions: int, lost: int = -1) -> None:
    """Create and fill a topic on both sides, two processes at a time; ``lost`` is left out on the target."""
    from confluent_kafka.admin import AdminClient, NewTopic

    for cluster in sides.values():
        client = AdminClient({**cluster.client, "log_level": 0})
        for future in client.create_topics([NewTopic(topic, partitions, 1, config={"retention.ms": "-1"})]).values():
            future.result()
    workers = [
        multiprocessing.Process(
            target=generate, args=(cluster.bootstrap, topic, 0, count, partitions, lost if name == "target" else -1)
        )
        for name, cluster in sides.items()
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            raise SystemExit(f"filling {topic} failed")
