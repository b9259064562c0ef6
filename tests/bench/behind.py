# SPDX-License-Identifier: GPL-3.0-or-later
"""How far what is proven is behind what the mirror has copied, under a steady rate."""

from __future__ import annotations

import json
import threading
import time

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import list_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import TOPIC
from tests.bench.topics import value_of
from tests.support.kafka import Kafka

STEADY = "steady"


class Behind(threading.Thread):
    """What the target had, and what the watch had as proven, by time."""

    def __init__(self, target: Kafka, partitions: int) -> None:
        super().__init__(daemon=True)
        self.target, self.partitions, self.stop = target, partitions, threading.Event()
        self.had: list[tuple[float, int, int]] = []
        self.proven: dict[int, list[tuple[float, int]]] = {}

    def run(self) -> None:
        from confluent_kafka import OFFSET_END, Consumer, TopicPartition

        settings = {"group.id": "bench", "enable.auto.commit": False, "isolation.level": "read_committed"}
        consumer = Consumer({**self.target.client, **settings})
        consumer.assign([TopicPartition(TOPIC, 0, OFFSET_END)])
        places, looked = [(STEADY, number) for number in range(self.partitions)], 0.0
        client = KafkaClient(self.target.client)
        while not self.stop.is_set():
            for message in consumer.consume(200, 0.1):
                key, value = message.key(), message.value()
                if message.error() is None and key and value:
                    kind, mirror, *place = json.loads(key)
                    if (kind, mirror) == ("confirmed", STEADY):
                        through = json.loads(value)["through"][1]
                        self.proven.setdefault(place[1], []).append((message.timestamp()[1] / 1000, through))
            if time.time() - looked > 0.25:
                looked = time.time()
                self.had += [(looked, place[1], end) for place, end in list_offsets(client, places).items()]
        consumer.close()

    def seconds(self, since: float, until: float) -> list[float]:
        """For each end that was seen in a time, the seconds until it was proven, or until the last look."""
        found = []
        for at, number, end in self.had:
            proven = [moment for moment, through in self.proven.get(number, []) if through >= end]
            if since <= at <= until:
                found.append(max(0.0, (proven[0] if proven else self.had[-1][0]) - at))
        return found


def produce(bootstrap: str, rate: int, seconds: float, partitions: int) -> None:
    """A steady rate of records that differ."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 20, "queue.buffering.max.messages": 1000000})
    began, number = time.monotonic(), 0
    while (passed := time.monotonic() - began) < seconds:
        while number < passed * rate:
            producer.produce(STEADY, value_of(number), b"N%06d" % (number % 4000), number % partitions)
            number += 1
        producer.poll(0)
        time.sleep(0.02)
    producer.flush(60)
