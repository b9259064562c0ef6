# SPDX-License-Identifier: GPL-3.0-or-later
"""How far mirrors are behind, and how fast they copy, looked at once a second while a drill runs.

What a mirror has copied is what Connect says it has: rows of ``mm2-offsets.<source>.internal`` in the target, which an exactly-once mirror commits together
with the records (KIP-618). The ends come from the source. Lag is counted in offsets: a transaction marker at the end of a partition counts as one.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from .playbook import collection

# A region that is lost does not answer; looking must not take longer than the time between two looks.
ANSWER_SECONDS = 0.8
QUIET = {"log_level": 0, "reconnect.backoff.max.ms": 1000, "socket.timeout.ms": 3000}


class Look(NamedTuple):
    """One mirror at one moment: ``lag`` in offsets (None where the source does not answer), ``copied`` offsets in all, ``held`` ends of the target in all."""

    lag: int | None
    copied: int
    held: int | None


class Side:
    """One region: its ends, and what mirrors into it have copied."""

    def __init__(self, config: dict, others: list[str], topics: list[str]):
        self.topics, self._config, self._decode = topics, {**config, **QUIET}, collection("_mm2.codec_connect").decode_source_offset
        self._admin = AdminClient(self._config)
        self._partitions: dict[str, int] = {}
        self._consumers: dict[str, Consumer] = {}
        self.copied: dict[str, dict[tuple[str, int], int]] = {other: {} for other in others}

    def asked(self):
        """Begin to ask for the ends; :func:`answers` takes what this returns."""
        if len(self._partitions) < len(self.topics):
            try:
                found = self._admin.list_topics(timeout=ANSWER_SECONDS).topics
            except KafkaException:
                return {}
            self._partitions = {topic: len(found[topic].partitions) for topic in self.topics if topic in found}
        wanted = {TopicPartition(topic, number): OffsetSpec.latest() for topic, count in self._partitions.items() for number in range(count)}
        return self._admin.list_offsets(wanted, request_timeout=ANSWER_SECONDS) if wanted else {}

    def listen(self) -> None:
        """Take what mirrors into this region have committed since the last look."""
        try:
            there = self._admin.list_topics(timeout=ANSWER_SECONDS).topics
        except KafkaException:
            return
        for other, copied in self.copied.items():
            name = f"mm2-offsets.{other}.internal"
            if name not in there:
                # It goes with its mirror, which is behind nothing from then on.
                copied.clear()
                if other in self._consumers:
                    self._consumers.pop(other).close()
                continue
            if other not in self._consumers:
                self._consumers[other] = self._reader(name, list(there[name].partitions))
            for message in self._consumers[other].consume(5000, 0):
                if message.error() is None:
                    row = self._decode(message.key(), message.value())
                    if row is not None and row.cluster == other:
                        copied[(row.topic, row.partition)] = -1 if row.offset is None else row.offset

    def _reader(self, topic: str, partitions: list[int]) -> Consumer:
        made = Consumer({**self._config, "group.id": "streamsafe-kafka-dr-drill", "isolation.level": "read_committed", "auto.offset.reset": "earliest",
                         "enable.auto.commit": False})
        made.assign([TopicPartition(topic, number, 0) for number in partitions])
        return made

    def close(self) -> None:
        for one in self._consumers.values():
            one.close()


def answers(futures: dict) -> dict[tuple[str, int], int] | None:
    """Ends by topic and partition; None where the region did not answer for all of them."""
    found, until = {}, time.monotonic() + ANSWER_SECONDS
    for place, future in futures.items():
        try:
            found[(place.topic, place.partition)] = future.result(max(0.01, until - time.monotonic())).offset
        except Exception:
            return None
    return found or None


def behind(ends: dict[tuple[str, int], int] | None, copied: dict[tuple[str, int], int]) -> int | None:
    """Offsets of the source that a mirror has not copied; None where the source does not answer or no mirror has begun."""
    if not ends or not copied:
        return None
    return sum(max(0, end - (copied.get(place, -1) + 1)) for place, end in ends.items())


class Sampler:
    """Looks at all regions every second, in a thread of its own, until it is stopped.

    :param client: gives librdkafka's configuration of a region.
    """

    def __init__(self, client: Callable[[str], dict], regions: list[str], topics: list[str], every: float = 1.0):
        self._client, self.regions, self.topics, self.every = client, regions, topics, every
        self.looks: list[tuple[float, dict[tuple[str, str], Look]]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="sampler")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End it; what was seen stays."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _run(self) -> None:
        sides = {one: Side(self._client(one), [other for other in self.regions if other != one], self.topics) for one in self.regions}
        try:
            while not self._ended.is_set():
                began = time.monotonic()
                try:
                    self.looks.append((time.time(), self._look(sides)))
                except (KafkaException, ValueError):
                    # A look that fails leaves a gap in a plot; it must not end a drill.
                    continue
                finally:
                    self._ended.wait(max(0.1, self.every - (time.monotonic() - began)))
        finally:
            for side in sides.values():
                side.close()

    @staticmethod
    def _look(sides: dict[str, Side]) -> dict[tuple[str, str], Look]:
        asked = {name: side.asked() for name, side in sides.items()}
        ends = {name: answers(futures) for name, futures in asked.items()}
        for name, side in sides.items():
            # Who does not answer is not asked a second time, or a look would take longer than the time between two.
            if ends[name] is not None:
                side.listen()
        held = {name: sum(found.values()) if found else None for name, found in ends.items()}
        return {(source, target): Look(behind(ends[source], copied), sum(offset + 1 for offset in copied.values()), held[target])
                for target, side in sides.items() for source, copied in side.copied.items()}

    def told(self, begin: float, end: float) -> dict[str, dict[str, list[list]]]:
        """What was seen between two wall times: ``{lag: {flow: [[second, records or None]]}, copied: {flow: [[second, records a second]]}}``.

        A flow is ``source to target``. Flows that copied nothing are left out. What is copied is told by the second, so that it stands beside the journals'.
        """
        made: dict[str, dict[str, list[list]]] = {"lag": {}, "copied": {}}
        for flow in sorted({one for dummy, look in self.looks for one in look}):
            seen = [(at, look[flow]) for at, look in self.looks if begin <= at <= end and flow in look]
            name = "%s to %s" % flow
            if any(look.copied for dummy, look in seen):
                made["lag"][name] = [[round(at, 1), look.lag] for at, look in seen]
                made["copied"][name] = paces(seen)
        return made


def paces(seen: list[tuple[float, Look]]) -> list[list]:
    """Records a second between neighbouring looks.

    Never more than the target grew by in the last three looks: offsets that are written there for a mirror to go on from were copied by none.
    """
    made = []
    for number, ((then, before), (at, look)) in enumerate(itertools.pairwise(seen)):
        grown = [one.held for dummy, one in seen[max(0, number - 2):number + 2] if one.held is not None]
        more = max(0, min(look.copied - before.copied, max(grown) - min(grown) if grown else 0))
        made.append([math.floor(at), round(more / max(0.2, at - then))])
    return made
