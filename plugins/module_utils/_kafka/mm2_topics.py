# SPDX-License-Identifier: GPL-3.0-or-later
"""Read MirrorMaker 2's own topics to their end, decoded. A topic that does not exist is None, an empty one an empty
list.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypedDict

from .._errors import FormatError
from .._mm2 import codec, codec_connect, witness
from .client import KafkaClient
from .offsets import LogBounds, Partition, topic_offsets
from .reader import read
from .topics import describe_topics

# A witness's last round stamp is looked for in so many offsets before the end; further back, the whole topic is read.
STAMP_SEARCH = 20000


class Row(NamedTuple):
    """A record as read: ``timestamp`` in milliseconds, ``value`` decoded."""

    partition: int
    offset: int
    timestamp: int
    value: Any


class Unread(NamedTuple):
    """A record that is not what it should be, and was passed over."""

    topic: str
    partition: int
    offset: int
    key: bytes | None


# From key and value; None leaves the record out. Raises FormatError.
Decode = Callable[["bytes | None", "bytes | None"], Any]


class SourceOffsets(TypedDict):
    """How far Connect says each source partition was copied, see :func:`read_source_offsets`."""

    offsets: dict[Partition, int]
    conflicts: list[Partition]
    hidden: set[Partition]
    transactional: bool
    plain: set[Partition]
    noted_at: float | None


def _bounds(client: KafkaClient, topic: str) -> dict[int, LogBounds] | None:
    """Bounds of each partition of a topic, which may have been created a moment ago; None where it does not exist."""
    described = describe_topics(client, [topic])
    if topic not in described:
        return None
    found = topic_offsets(client, {topic: described[topic]["partitions"]}, gone="waited for")[topic]
    return {int(number): bounds for number, bounds in found.items()}


def stable_ends(client: KafkaClient, topic: str) -> int:
    """The sum of a topic's last stable offsets; 0 where it does not exist."""
    return sum(log["stable"] for log in (_bounds(client, topic) or {}).values())


def read_rows(
    client: KafkaClient,
    topic: str,
    decode: Decode,
    begin: Mapping[int, int] | None = None,
    unread: list[Unread] | None = None,
) -> list[Row] | None:
    """Every committed record of a topic up to its last stable offset, decoded.

    :param decode: ``decode(key, value)``; None leaves the record out.
    :param begin: ``{partition: offset}`` to begin at, instead of the log start.
    :param unread: takes the records that are not what they should be, which are then passed over.
    :returns: rows ordered by partition and offset, or None where the topic does not exist.
    :raises FormatError: with ``topic``, ``partition`` and ``offset`` of the record that is not what it should be,
        unless ``unread`` takes it.
    """
    bounds = _bounds(client, topic)
    return None if bounds is None else _rows_within(client, topic, bounds, decode, begin, unread)


def _rows_within(
    client: KafkaClient,
    topic: str,
    bounds: Mapping[int, LogBounds],
    decode: Decode,
    begin: Mapping[int, int] | None = None,
    unread: list[Unread] | None = None,
) -> list[Row]:
    """As :func:`read_rows`, up to these last stable offsets."""
    ranges = [
        (topic, number, max(log["start"], (begin or {}).get(number, 0)), log["stable"])
        for number, log in bounds.items()
    ]
    rows = []
    for index, messages in read(client, ranges, timeout=client.timeout):
        message: Any
        for message in messages:
            try:
                value = _decoded(client, topic, ranges[index][1], message, decode)
            except FormatError:
                if unread is None:
                    raise
                unread.append(Unread(topic, ranges[index][1], message.offset(), message.key()))
                continue
            if value is not None:
                rows.append(Row(ranges[index][1], message.offset(), message.timestamp()[1], value))
    return sorted(rows, key=lambda row: row[:2])


def _decoded(client: KafkaClient, topic: str, number: int, message: Any, decode: Decode) -> Any:
    try:
        return decode(message.key(), message.value())
    except FormatError as error:
        raise FormatError(
            f"{error.message}; offset {message.offset()} of partition {number} of topic '{topic}' on {client.name}",
            error.expected,
            error.found,
            "See who else writes to this topic; only MirrorMaker 2 or this collection should",
            **{**error.facts, "topic": topic, "partition": number, "offset": message.offset()},
        ) from error


def read_offset_syncs(client: KafkaClient, topic: str, unread: list[Unread] | None = None) -> list[Row] | None:
    """Rows of :class:`codec.OffsetSync` in log order; ``unread`` as :func:`read_rows` has it."""
    return read_rows(
        client, topic, lambda key, value: None if value is None else codec.decode_offset_sync(key, value), unread=unread
    )


def read_checkpoints(client: KafkaClient, topic: str, unread: list[Unread] | None = None) -> list[Row] | None:
    """Rows of :class:`codec.Checkpoint` in log order; ``unread`` as :func:`read_rows` has it."""
    return read_rows(
        client, topic, lambda key, value: None if value is None else codec.decode_checkpoint(key, value), unread=unread
    )


def read_last_heartbeat(client: KafkaClient, topic: str, source: str, target: str, tail: int = 200) -> int | None:
    """Milliseconds of the newest heartbeat of ``source`` -> ``target`` among the last ``tail`` offsets of each
    partition; None where none is there.
    """
    bounds = _bounds(client, topic)
    if bounds is None:
        return None
    begin = {number: log["stable"] - tail for number, log in bounds.items()}
    rows = read_rows(
        client, topic, lambda key, value: None if value is None else codec.decode_heartbeat(key, value), begin
    )
    times = [row.value.timestamp for row in rows or [] if (row.value.source, row.value.target) == (source, target)]
    return max(times, default=None)


def read_source_offsets(
    client: KafkaClient, topic: str, cluster: str, connector: str | None = None
) -> SourceOffsets | None:
    """How far Connect says each source partition was copied.

    :param connector: name of the connector; None takes any that is called, or ends in, ``MirrorSourceConnector``.
    :returns: None where the topic does not exist, else ``offsets`` ``{(source topic, partition): last offset copied}``;
        ``conflicts``, keys with rows in more than one partition of the topic, of which an old one can win after a
        restart; ``hidden``, keys of which later rows may stand behind a transaction that is open; ``transactional``,
        whether the log of a partition ends in a control record, so that the mirror is exactly-once and these offsets
        are atomic with the data; ``plain``, keys that were written without transactions at some time, see
        :func:`_plain`; ``noted_at``, when Connect wrote the latest of them, in seconds since the epoch.
    """
    bounds = _bounds(client, topic)
    if bounds is None:
        return None
    rows = _rows_within(client, topic, bounds, lambda key, value: (codec_connect.decode_source_offset(key, value),))
    behind = {number for number, log in bounds.items() if log["stable"] < log["end"]}
    last: dict[Partition, dict[int, Row]] = {}
    of_key: dict[Partition, list[Row]] = {}
    for row in (row for row in rows if row.value[0] is not None and row.value[0].cluster == cluster):
        value = row.value[0]
        if value.connector != connector and (
            connector is not None or value.connector.rpartition(".")[2] != codec_connect.SOURCE_CONNECTOR
        ):
            continue
        # Within a partition the log's order counts: workers' clocks differ, and a task moves between workers.
        last.setdefault((value.topic, value.partition), {})[row.partition] = row
        of_key.setdefault((value.topic, value.partition), []).append(row)
    newest = {key: max(places.values(), key=_written) for key, places in last.items()}
    latest = max(newest.values(), key=_written, default=None)
    return {
        "offsets": {key: row.value[0].offset for key, row in newest.items() if row.value[0].offset is not None},
        "conflicts": sorted(key for key, places in last.items() if len(places) > 1),
        "hidden": {key for key, places in last.items() if behind & set(places)},
        "transactional": latest is not None and _ends_in_control_record(bounds, rows, latest.partition),
        "plain": _plain(rows, of_key),
        # A worker's clock may be ahead.
        "noted_at": None if latest is None else min(latest.timestamp / 1000, time.time()),
    }


def _written(row: Row) -> tuple[int, int, int]:
    return row.timestamp, row.partition, row.offset


def _plain(rows: Sequence[Row], of_key: Mapping[Partition, Sequence[Row]]) -> set[Partition]:
    """Keys that were written without transactions, which write a key once and end in a control record: three rows, no
    offset between them left out.

    Two alone may be one that was put there before the mirror began, and its first own.
    """
    places = {row[:2]: index for index, row in enumerate(rows)}
    gapless = {
        key: [
            later.partition == earlier.partition
            and places[later[:2]] - places[earlier[:2]] == later.offset - earlier.offset
            and later.value != earlier.value
            for earlier, later in pairwise(some)
        ]
        for key, some in of_key.items()
    }
    return {key for key, found in gapless.items() if any(first and second for first, second in pairwise(found))}


def _ends_in_control_record(bounds: Mapping[int, LogBounds], rows: Iterable[Row], number: int) -> bool:
    """A control record cannot be seen, but the offset that it takes can: the log's end is not the last record's offset
    plus one.
    """
    return bounds[number]["stable"] > max(row.offset for row in rows if row.partition == number) + 1


def read_witness(client: KafkaClient, topic: str) -> dict[str, Any] | None:
    """What the position witness knows: :func:`witness.fold` of its topic, read from its last whole snapshot; None where
    the topic does not exist.
    """
    bounds = _bounds(client, topic)
    if bounds is None:
        return None
    log = bounds[0]
    tail = read_rows(client, topic, witness.decode, {0: log["stable"] - STAMP_SEARCH}) or []
    stamps = [row.value for row in tail if row.value["kind"] == "round"]
    low = tail[0].offset if tail else log["stable"]
    since = stamps[-1]["since"] if stamps else 0
    if since < low and low > log["start"]:
        tail = read_rows(client, topic, witness.decode, {0: since}) or []
    return witness.fold(row.value for row in tail if row.offset >= since)


def read_witness_rounds(client: KafkaClient, topic: str, mirror: str = "") -> list[int] | None:
    """When the last rounds of the position witness began, in milliseconds by its clock, oldest first; None where the
    topic does not exist.

    :param mirror: whose witness, as :func:`.witness.owner` says it; rounds of another's do not count.
    """
    bounds = _bounds(client, topic)
    if bounds is None:
        return None
    rows = read_rows(client, topic, witness.decode, {0: bounds[0]["stable"] - STAMP_SEARCH}) or []
    rounds = [row.value for row in rows if row.value["kind"] == "round" and not row.value["gone"]]
    return [value["at"] for value in rounds if not witness.is_others(value.get("mirror"), mirror)]


def read_task_states(client: KafkaClient, topic: str) -> list[codec_connect.TaskState] | None:
    """The last state of each connector and task that Connect has not deleted, from its status topic."""
    rows = read_rows(client, topic, codec_connect.decode_status)
    if rows is None:
        return None
    last = {(row.value["connector"], row.value["task"]): row.value for row in rows}
    # A connector's own state comes before those of its tasks.
    order = sorted(last, key=lambda key: (key[0], -1 if key[1] is None else key[1]))
    return [last[key] for key in order if last[key]["state"] not in (None, "DESTROYED")]
