# SPDX-License-Identifier: GPL-3.0-or-later
"""Send records of one's own through a mirror that is at work, and see when they arrive, and where."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._errors import KafkaDrError, NotProvableError, TimedOutError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.commits import commit_positions
from .._kafka.consumers import consumer_at_end
from .._kafka.distinct import refuse_same
from .._kafka.producing import TranslatingProducer
from .._kafka.topics import describe_topics

# Records a second: slow enough that each one's way can be told from the others'.
RATE = 50.0


def mirror_probe(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The module's work.

    :returns: ``run``, ``records``, ``latency`` in seconds (``least``, ``median``, ``p95``, ``most``), ``places``
        (partition, source_offset, target_offset of each record), ``group`` (the group of this run), ``position`` (by
        partition the place that it was committed at).
    :raises NotProvableError: a record arrived altered.
    :raises TimedOutError: records did not arrive.
    """
    source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"])
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"])
    refuse_same(source, target)
    count = _common_partitions(source, target, params)
    run = uuid.uuid4().hex
    # By its name nobody had it: to commit for a group that is there would move an application.
    group = f"{params['group_prefix']}-{run}" if params["group_prefix"] else ""
    result = {
        "changed": True,
        "run": run,
        "group": group,
        "records": params["records"],
        "latency": {},
        "places": [],
        "position": {},
        "diff": {"before": "", "after": f"{params['records']} records in topic {params['topic']}\n"},
    }
    if check_mode:
        return result
    writer = source
    if params["writer_client"]:
        writer = KafkaClient(params["writer_client"], params["writer_client_secrets"], params["timeout"])
    records = _Run(run, count, params)
    records.send_through(writer, target)
    result["places"] = records.places()
    result["latency"] = latency(records.seconds())
    if group:
        result["position"] = middle(result["places"])
        _commit(source, group, params["topic"], result["position"])
    return result


def _common_partitions(source: KafkaClient, target: KafkaClient, params: dict[str, Any]) -> int:
    count = _partitions(source, params["topic"])
    if _partitions(target, params["target_topic"]) < count:
        raise UsageError(
            f"Topic '{params['target_topic']}' has fewer partitions than its original",
            expected=f"{count} partitions",
            remedy="Wait until the mirror has added them",
        )
    return count


def _commit(source: KafkaClient, group: str, topic: str, position: dict[str, dict[str, int]]) -> None:
    positions = {(topic, int(partition)): place["source_offset"] for partition, place in position.items()}
    for error in commit_positions(source, {group: positions}).values():
        raise error


def _partitions(client: KafkaClient, topic: str) -> int:
    found = describe_topics(client, [topic])
    if topic not in found:
        raise UsageError(
            f"Topic '{topic}' is not on {client.name}",
            expected="it to be created, and mirrored",
            remedy="Use the role probe, which sees to both",
        )
    return found[topic]["partitions"]


def latency(seconds: list[float]) -> dict[str, float]:
    """``{least, median, p95, most}``, rounded to milliseconds."""
    ordered = sorted(max(0.0, measured) for measured in seconds)
    return {
        name: round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3)
        for name, part in (("least", 0.0), ("median", 0.5), ("p95", 0.95), ("most", 1.0))
    }


def middle(places: list[dict[str, int]]) -> dict[str, dict[str, int]]:
    """Of each partition the record in the middle: ``{partition as str: {source_offset, target_offset}}``."""
    by_partition: dict[str, list[dict[str, int]]] = {}
    for place in sorted(places, key=lambda place: place["source_offset"]):
        by_partition.setdefault(str(place["partition"]), []).append(
            {"source_offset": place["source_offset"], "target_offset": place["target_offset"]}
        )
    return {number: rows[len(rows) // 2] for number, rows in by_partition.items()}


def content(run: str, number: int) -> tuple[bytes, bytes, list[tuple[Any, ...]]]:
    """Key, value and headers of one record of a run."""
    return (
        run.encode(),
        json.dumps({"probe": run, "number": number}).encode(),
        [("kafka-dr-probe", run.encode()), ("number", b"%d" % number)],
    )


@dataclass
class _Sent:
    """A record as it was written; without an offset until the source has acknowledged it."""

    partition: int
    at: float
    offset: int | None = None


class _Arrived(NamedTuple):
    offset: int
    at: float


class _Run:
    """One run of the probe: its records by number, as they were sent and as they arrived.

    :param count: partitions of the topic.
    """

    def __init__(self, run: str, count: int, params: dict[str, Any]) -> None:
        self.run, self.count, self.params = run, count, params
        self.sent: dict[int, _Sent] = {}
        self.arrived: dict[int, _Arrived] = {}
        self.failed: list[Any] = []

    def send_through(self, writer: KafkaClient, target: KafkaClient) -> None:
        """Write the records while listening at the other end."""
        producer = writer.producer(linger_ms=0)
        consumer = consumer_at_end(target, self.params["target_topic"], self.count)
        try:
            began = time.monotonic()
            until = None
            while len(self.arrived) < self.params["records"]:
                if len(self.sent) < self.params["records"] and time.monotonic() - began >= len(self.sent) / RATE:
                    self._write(producer)
                producer.poll(0)
                self._refuse_failed(producer)
                self._listen(consumer)
                if len(self.sent) == self.params["records"]:
                    until = until or time.monotonic() + self.params["wait_seconds"]
                    if time.monotonic() > until:
                        raise self._too_late(target.name)
            producer.flush(self.params["timeout"])
            self._refuse_failed(producer)
            if any(record.offset is None for record in self.sent.values()):
                raise KafkaDrError(
                    "Records of the probe arrived that the source has not acknowledged",
                    remedy="Look at the source's brokers, and probe again",
                )
        finally:
            consumer.close()

    def places(self) -> list[dict[str, Any]]:
        return [
            {
                "partition": record.partition,
                "source_offset": record.offset,
                "target_offset": self.arrived[number].offset,
            }
            for number, record in sorted(self.sent.items())
        ]

    def seconds(self) -> list[float]:
        return [self.arrived[number].at - record.at for number, record in self.sent.items()]

    def _write(self, producer: TranslatingProducer) -> None:
        number = len(self.sent)
        record = self.sent[number] = _Sent(number % self.count, time.time())
        key, value, headers = content(self.run, number)

        def delivered(error: Any, message: Any) -> None:
            if error is not None:
                self.failed.append(error)
            else:
                record.offset = message.offset()

        producer.produce(
            self.params["topic"], value, key, partition=record.partition, headers=headers, on_delivery=delivered
        )

    def _refuse_failed(self, producer: TranslatingProducer) -> None:
        if self.failed:
            raise producer.error(self.failed[0], f"write to topic '{self.params['topic']}'")

    def _too_late(self, target: str) -> TimedOutError:
        return TimedOutError(
            f"Not all records of the probe came through the mirror within {self.params['wait_seconds']} s",
            expected=f"{self.params['records']} records in {self.params['target_topic']} on {target}",
            found=f"{len(self.arrived)}",
            remedy="Run the doctor; a mirror that is far behind needs a larger wait_seconds",
            run=self.run,
        )

    def _listen(self, consumer: Any) -> None:
        """Take what has arrived; records of other runs are passed by.

        :raises NotProvableError: a record of this run is not what was written, or came twice.
        """
        for message in consumer.consume(500, 0.02):
            if message.error() is not None or message.key() != self.run.encode():
                continue
            where = f"offset {message.offset()} of partition {message.partition()}"
            headers: Any = message.headers() or []
            number = next((int(value) for name, value in headers if name == "number"), -1)
            if (message.key(), message.value(), message.headers()) != content(self.run, number):
                raise NotProvableError(
                    f"A record of the probe arrived altered, at {where}",
                    remedy="Look for transforms and converters in the mirror's configuration",
                )
            if number in self.arrived:
                raise NotProvableError(
                    f"Record {number} of the probe arrived twice, at {where}",
                    remedy="Run the mirror exactly-once; see the doctor",
                )
            self.arrived[number] = _Arrived(message.offset(), time.time())
