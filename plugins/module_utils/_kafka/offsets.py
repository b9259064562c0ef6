# SPDX-License-Identifier: GPL-3.0-or-later
"""Where partitions start and end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal, TypedDict

try:
    from confluent_kafka import IsolationLevel, TopicPartition
    from confluent_kafka.admin import OffsetSpec
except ImportError:
    pass

from .._errors import KafkaDrError
from .._values.portions import portions
from .client import KafkaClient

Partition = tuple[str, int]
Place = Literal["start", "end"]
Isolation = Literal["read_committed", "read_uncommitted"]
# What becomes of a partition that no broker knows.
Gone = Literal["left out", "error", "waited for"]
GoneFromBounds = Literal["error", "waited for"]

PARTITIONS_A_REQUEST = 2000
UNKNOWN = "UNKNOWN_TOPIC_OR_PART"
# librdkafka answers _NOENT by itself for a topic that did not exist when it last asked, and for a partition without a
# leader. It asks again only when it reads metadata.
NO_LEADERS, NO_LEADER = "_NOENT", "LEADER_NOT_AVAILABLE"


class LogBounds(TypedDict):
    """Offsets of one partition: the log's start, its high watermark, and its last stable offset."""

    start: int
    end: int
    stable: int


def offsets_behind(reached: int, start: int, end: int) -> int:
    """How many offsets of a log a copy that has come to ``reached`` is behind; what retention removed counts as copied.

    :param reached: the next offset to copy. :param end: the log's end, or its last stable offset.
    """
    return max(0, end - max(reached, start))


def list_offsets(
    client: KafkaClient,
    partitions: Iterable[Partition],
    place: Place = "end",
    isolation: Isolation = "read_committed",
    gone: Gone = "left out",
) -> dict[Partition, int]:
    """The log start or the end of each partition. The request is repeated while a partition's leader changes.

    :param place: ``start`` is the log start; ``end`` is the last stable offset, or the high watermark if
        ``isolation`` is ``read_uncommitted``.
    :param gone: what becomes of a partition that no broker knows: it is ``left out``, it is an ``error``, or it is
        ``waited for`` up to the client's timeout, and then an error.
    :raises KafkaDrError: a partition has no answer; a partial answer is never returned.
    """
    wanted = OffsetSpec.earliest() if place == "start" else OffsetSpec.latest()
    return _listed(client, [(partition, wanted) for partition in partitions], f"list the {place} of", isolation, gone)


def offsets_at(client: KafkaClient, moments: Mapping[Partition, int]) -> dict[Partition, int | None]:
    """For each partition the first offset whose record has a time, in milliseconds, or a later one; None where there is
    none. Partitions that no broker knows are left out.

    :raises KafkaDrError: a partition has no answer; a partial answer is never returned.
    """
    wanted = [(partition, OffsetSpec.for_timestamp(max(0, moment))) for partition, moment in moments.items()]
    found = _listed(client, wanted, "find a time in", "read_uncommitted", "left out")
    return {partition: offset if offset >= 0 else None for partition, offset in found.items()}


def _listed(
    client: KafkaClient, wanted: list[tuple[Partition, OffsetSpec]], doing: str, isolation: Isolation, gone: Gone
) -> dict[Partition, int]:
    """What ListOffsets answers for each partition; see :func:`list_offsets`."""
    level = IsolationLevel.READ_COMMITTED if isolation == "read_committed" else IsolationLevel.READ_UNCOMMITTED
    found: dict[Partition, int] = {}

    def ask(request: dict[TopicPartition, OffsetSpec]) -> None:
        futures = client.ask(
            "list offsets",
            lambda: client.admin.list_offsets(request, isolation_level=level, request_timeout=client.timeout),
        )
        for partition, future in futures.items():
            what = f"{doing} '{partition.topic}' partition {partition.partition}"
            try:
                found[(partition.topic, partition.partition)] = client.result(future, what).offset
            except KafkaDrError as error:
                _name_the_reason(client, partition.topic, error)
                if gone != "left out" or error.facts.get("code") != UNKNOWN:
                    raise

    for some in portions(wanted, PARTITIONS_A_REQUEST):
        asked = {TopicPartition(topic, number): spec for (topic, number), spec in some}
        client.while_leaders_change(partial(ask, asked), also=(UNKNOWN,) if gone == "waited for" else ())
    return found


def _name_the_reason(client: KafkaClient, topic: str, error: KafkaDrError) -> None:
    """Replace the code that librdkafka gives for two reasons by the reason: no such topic, or no leader."""
    if error.facts.get("code") == NO_LEADERS:
        error.facts["code"] = NO_LEADER if topic in client.metadata().topics else UNKNOWN


def topic_offsets(
    client: KafkaClient, partitions: Mapping[str, int], gone: GoneFromBounds = "error"
) -> dict[str, dict[str, LogBounds]]:
    """Log start, high watermark and last stable offset of every partition.

    :param partitions: ``{topic: number of partitions}``.
    :param gone: ``error`` or ``waited for``, as for :func:`list_offsets`.
    :returns: ``{topic: {partition as text: {start, end, stable}}}``.
    """
    every = [(topic, number) for topic, count in partitions.items() for number in range(count)]
    start = list_offsets(client, every, "start", "read_uncommitted", gone)
    end = list_offsets(client, every, "end", "read_uncommitted", gone)
    stable = list_offsets(client, every, "end", "read_committed", gone)
    return {
        topic: {
            str(number): {
                "start": start[(topic, number)],
                "end": end[(topic, number)],
                "stable": stable[(topic, number)],
            }
            for number in range(count)
        }
        for topic, count in partitions.items()
    }
