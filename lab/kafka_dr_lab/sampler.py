# SPDX-License-Identifier: GPL-3.0-or-later
"""How far mirrors are behind, and how fast they copy, sampled once a second while a drill runs.

What a mirror has copied comes from Connect's own offsets: records of ``mm2-offsets.<source>.internal`` in the target,
which an exactly-once mirror commits together with the data (KIP-618). The end offsets come from the source. Lag is
counted in offsets: a transaction marker at the end of a partition counts as one.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from .playbook import collection

Partition = tuple[str, int]
# A flow: source and target.
Flow = tuple[str, str]

# A lost region does not answer; a sample must not take longer than the time between two samples.
ANSWER_SECONDS = 0.8
# The futures of AdminClient.list_offsets.
Requests = dict[TopicPartition, Future[Any]]
QUIET = {"log_level": 0, "reconnect.backoff.max.ms": 1000, "socket.timeout.ms": 3000}


class Sample(NamedTuple):
    """One mirror at one moment: ``lag`` in offsets (None where the source does not answer), ``copied`` offsets in
    total, ``held``: the sum of the target's end offsets (None where the target does not answer).
    """

    lag: int | None
    copied: int
    held: int | None


class Side:
    """One region: its end offsets, and what mirrors into it have copied."""

    def __init__(self, config: dict[str, Any], others: list[str], topics: list[str]):
        self.topics, self._config = topics, {**config, **QUIET}
        self._decode = collection("_mm2.codec_connect").decode_source_offset
        self._admin = AdminClient(self._config)
        self._partitions: dict[str, int] = {}
        self._consumers: dict[str, Consumer] = {}
        self.copied: dict[str, dict[Partition, int]] = {other: {} for other in others}

    def request_ends(self) -> Requests:
        """Request the end offsets; :func:`end_offsets` waits for the answers."""
        if len(self._partitions) < len(self.topics):
            try:
                existing = self._admin.list_topics(timeout=ANSWER_SECONDS).topics
            except KafkaException:
                return {}
            self._partitions = {topic: len(existing[topic].partitions) for topic in self.topics if topic in existing}
        wanted = {
            TopicPartition(topic, number): OffsetSpec.latest()
            for topic, count in self._partitions.items()
            for number in range(count)
        }
        return self._admin.list_offsets(wanted, request_timeout=ANSWER_SECONDS) if wanted else {}

    def read_copied(self) -> None:
        """Read what mirrors into this region have committed since the last sample."""
        try:
            existing = self._admin.list_topics(timeout=ANSWER_SECONDS).topics
        except KafkaException:
            return
        for other, copied in self.copied.items():
            name = f"mm2-offsets.{other}.internal"
            if name not in existing:
                # The topic is deleted with its mirror, which has no lag from then on.
                copied.clear()
                if other in self._consumers:
                    self._consumers.pop(other).close()
                continue
            if other not in self._consumers:
                self._consumers[other] = self._reader(name, list(existing[name].partitions))
            for message in self._consumers[other].consume(5000, 0):
                if message.error() is None:
                    row = self._decode(message.key(), message.value())
                    if row is not None and row.cluster == other:
                        copied[(row.topic, row.partition)] = -1 if row.offset is None else row.offset

    def _reader(self, topic: str, partitions: list[int]) -> Consumer:
        consumer = Consumer(
            {
                **self._config,
                "group.id": "streamsafe-kafka-dr-drill",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
        return consumer

    def close(self) -> None:
        """Close the consumers."""
        for consumer in self._consumers.values():
            consumer.close()


def end_offsets(requests: Requests) -> dict[Partition, int] | None:
    """End offsets by partition; None where the region did not answer for all of them."""
    found: dict[Partition, int] = {}
    until = time.monotonic() + ANSWER_SECONDS
    for partition, future in requests.items():
        try:
            found[(partition.topic, partition.partition)] = future.result(max(0.01, until - time.monotonic())).offset
        except Exception:
            return None
    return found or None


def behind(ends: dict[Partition, int] | None, copied: dict[Partition, int]) -> int | None:
    """How many offsets of the source a mirror has not copied; None where the source does not answer or no mirror has
    begun.
    """
    if not ends or not copied:
        return None
    return sum(max(0, end - (copied.get(partition, -1) + 1)) for partition, end in ends.items())


class Sampler:
    """Samples all regions every second, in a thread of its own, until it is stopped.

    :param client: returns librdkafka's configuration of a region.
    """

    def __init__(
        self, client: Callable[[str], dict[str, Any]], regions: list[str], topics: list[str], every: float = 1.0
    ):
        self._client, self.regions, self.topics, self.every = client, regions, topics, every
        self.samples: list[tuple[float, dict[Flow, Sample]]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="sampler")

    def start(self) -> None:
        """Begin to sample."""
        self._thread.start()

    def stop(self) -> None:
        """Stop sampling; the samples stay."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _run(self) -> None:
        sides = {
            region: Side(self._client(region), [other for other in self.regions if other != region], self.topics)
            for region in self.regions
        }
        try:
            while not self._ended.is_set():
                began = time.monotonic()
                try:
                    self.samples.append((time.time(), self._sample(sides)))
                except (KafkaException, ValueError):
                    # A sample that fails leaves a gap in a plot; it must not end a drill.
                    continue
                finally:
                    self._ended.wait(max(0.1, self.every - (time.monotonic() - began)))
        finally:
            for side in sides.values():
                side.close()

    @staticmethod
    def _sample(sides: dict[str, Side]) -> dict[Flow, Sample]:
        requests = {name: side.request_ends() for name, side in sides.items()}
        ends = {name: end_offsets(futures) for name, futures in requests.items()}
        for name, side in sides.items():
            # A region that does not answer is not asked again, or a sample would take longer than the interval.
            if ends[name] is not None:
                side.read_copied()
        held = {name: sum(offsets.values()) if offsets else None for name, offsets in ends.items()}
        return {
            (source, target): Sample(
                behind(ends[source], copied), sum(offset + 1 for offset in copied.values()), held[target]
            )
            for target, side in sides.items()
            for source, copied in side.copied.items()
        }

    def series(self, begin: float, end: float) -> dict[str, dict[str, list[list]]]:
        """The samples between two wall times:
        ``{lag: {flow: [[second, offsets or None]]}, copied: {flow: [[second, records a second]]}}``.

        A flow is ``source to target``. Flows that copied nothing are left out. Copied records are given by whole
        second, like the journals' records.
        """
        series: dict[str, dict[str, list[list]]] = {"lag": {}, "copied": {}}
        for flow in sorted({flow for _at, sample in self.samples for flow in sample}):
            seen = [(at, sample[flow]) for at, sample in self.samples if begin <= at <= end and flow in sample]
            name = f"{flow[0]} to {flow[1]}"
            if any(sample.copied for _at, sample in seen):
                series["lag"][name] = [[round(at, 1), sample.lag] for at, sample in seen]
                series["copied"][name] = paces(seen)
        return series


def paces(seen: list[tuple[float, Sample]]) -> list[list]:
    """Copied records a second between neighbouring samples.

    Never more than the target grew by over the last three samples: offsets that a stage writes so that a mirror starts
    from them were not copied.
    """
    result = []
    for number, ((then, before), (at, sample)) in enumerate(itertools.pairwise(seen)):
        ends = [near.held for _at, near in seen[max(0, number - 2) : number + 2] if near.held is not None]
        copied = max(0, min(sample.copied - before.copied, max(ends) - min(ends) if ends else 0))
        result.append([math.floor(at), round(copied / max(0.2, at - then))])
    return result
