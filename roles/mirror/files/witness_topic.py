# SPDX-License-Identifier: GPL-3.0-or-later
"""The position witness's own topic, in the target."""

from __future__ import annotations

import time
from typing import Any

try:
    import witness
except ImportError:
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec
from witness_settings import QUIET, Config

Row = tuple[bytes, "bytes | None"]


class Target:
    """The witness's topic."""

    def __init__(self, config: Config) -> None:
        self.topic, self.timeout = config["topic"], 30
        self.shared = {**QUIET, **config["target"]}
        self.failed = None
        self.connect()

    def connect(self) -> None:
        """New clients: an idempotent producer that failed for good stays so."""
        self.admin = AdminClient(self.shared)
        self.producer = Producer(
            {
                **self.shared,
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 20,
                "compression.type": "zstd",
                "message.max.bytes": 10000000,
                "message.timeout.ms": 30000,
            }
        )

    def end(self) -> int:
        """The topic's end; raises where it does not exist."""
        here = TopicPartition(self.topic, 0)
        asked = self.admin.list_offsets(
            {here: OffsetSpec.latest()}, isolation_level=IsolationLevel.READ_UNCOMMITTED, request_timeout=self.timeout
        )
        return asked[here].result(self.timeout + 5).offset

    def known(self) -> dict[str, Any]:
        """Everything that the topic still holds, as :func:`witness.fold` gives it. :raises TimeoutError: its end was
        not reached.
        """
        end = self.end()
        consumer = Consumer(
            {
                **self.shared,
                "group.id": "position-witness-unused",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
            }
        )
        records, until = [], time.monotonic() + self.timeout
        try:
            consumer.assign([TopicPartition(self.topic, 0, OFFSET_BEGINNING)])
            while time.monotonic() < until:
                for message in consumer.consume(1000, 0.2):
                    if message.error() is None:
                        records.append(witness.decode(message.key(), message.value()))
                    elif message.error().name() != "_PARTITION_EOF":
                        raise KafkaException(message.error())
                    elif message.offset() >= end:
                        return witness.fold(records)
        finally:
            consumer.close()
        raise TimeoutError(f"{self.topic} could not be read to its end within {self.timeout} s")

    def write(self, rows: list[Row]) -> None:
        """Write the rows in order; raises unless every one was acknowledged."""
        self.failed = None
        for key, value in rows:
            while True:
                try:
                    self.producer.produce(self.topic, key=key, value=value, partition=0, on_delivery=self._delivered)
                    break
                except BufferError:
                    self.producer.poll(0.1)
        left = self.producer.flush(35)
        if self.failed is not None:
            raise KafkaException(self.failed)
        if left:
            raise TimeoutError(f"{left} records were not acknowledged within 35 s")

    def _delivered(self, error: KafkaError | None, dummy: object) -> None:
        self.failed = self.failed or error
