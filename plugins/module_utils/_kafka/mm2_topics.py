# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Read MirrorMaker 2's own topics to their end, decoded. A topic that does not exist is None, an empty one an empty list."""

from __future__ import annotations

from typing import NamedTuple

from .._errors import FormatError
from .._mm2 import codec, codec_connect, witness
from .cluster import describe_topics, topic_offsets
from .reader import read

# A witness's last round stamp is looked for in so many offsets before the end; further back, the whole topic is read.
STAMP_SEARCH = 20000


def log_bounds(client, partitions):
    """:func:`topic_offsets` of topics that may have been created a moment ago, which are unknown first."""
    return topic_offsets(client, partitions, gone="waited for")


class Row(NamedTuple):
    """A record as read: ``timestamp`` in milliseconds, ``value`` decoded."""

    partition: int
    offset: int
    timestamp: int
    value: object


def read_rows(client, topic, decode, begin=None):
    """Every committed record of a topic up to its last stable offset, decoded.

    :param decode: ``decode(key, value)``; None leaves the record out.
    :param begin: ``{partition: offset}`` to begin at, instead of the log start.
    :returns: rows ordered by partition and offset, or None where the topic does not exist.
    :raises FormatError: with ``topic``, ``partition`` and ``offset`` of the record that is not what it should be.
    """
    described = describe_topics(client, [topic])
    if topic not in described:
        return None
    bounds = log_bounds(client, {topic: described[topic]["partitions"]})[topic]
    ranges = [(topic, int(number), max(one["start"], (begin or {}).get(int(number), 0)), one["stable"]) for number, one in bounds.items()]
    rows = []
    for index, messages in read(client, ranges, timeout=client.timeout):
        for message in messages:
            value = _decoded(client, topic, ranges[index][1], message, decode)
            if value is not None:
                rows.append(Row(ranges[index][1], message.offset(), message.timestamp()[1], value))
    return sorted(rows, key=lambda row: row[:2])


def _decoded(client, topic, number, message, decode):
    try:
        return decode(message.key(), message.value())
    except FormatError as error:
        raise FormatError(
            "%s; offset %d of partition %d of topic '%s' on %s" % (error.message, message.offset(), number, topic, client.name), error.expected, error.found,
            "See who else writes to this topic; only MirrorMaker 2 or this collection should",
            **{**error.facts, "topic": topic, "partition": number, "offset": message.offset()}
        ) from error


def read_offset_syncs(client, topic):
    """Rows of :class:`codec.OffsetSync` in log order."""
    return read_rows(client, topic, lambda key, value: None if value is None else codec.decode_offset_sync(key, value))


def read_checkpoints(client, topic):
    """Rows of :class:`codec.Checkpoint` in log order."""
    return read_rows(client, topic, lambda key, value: None if value is None else codec.decode_checkpoint(key, value))


def read_last_heartbeat(client, topic, source, target, tail=200):
    """Milliseconds of the newest heartbeat of ``source`` -> ``target`` among the last ``tail`` offsets of each partition; None where none is there."""
    described = describe_topics(client, [topic])
    if topic not in described:
        return None
    bounds = log_bounds(client, {topic: described[topic]["partitions"]})[topic]
    begin = {int(number): one["stable"] - tail for number, one in bounds.items()}
    rows = read_rows(client, topic, lambda key, value: None if value is None else codec.decode_heartbeat(key, value), begin)
    times = [row.value.timestamp for row in rows or [] if (row.value.source, row.value.target) == (source, target)]
    return max(times, default=None)


def read_source_offsets(client, topic, cluster, connector=None):
    """How far Connect says each source partition was copied.

    :param connector: name of the connector; None takes any that is called, or ends in, ``MirrorSourceConnector``.
    :returns: None where the topic does not exist, else ``{(source topic, partition): last offset copied}``, ``conflicts`` (keys with rows in
        more than one partition of the topic: an old one can win after a restart) and ``transactional`` (seen to be written in transactions:
        the log of a partition ends in a control record, so the mirror is exactly-once and these offsets are atomic with the data).
    """
    rows = read_rows(client, topic, lambda key, value: (codec_connect.decode_source_offset(key, value),))
    if rows is None:
        return None
    offsets, places, newest = {}, {}, None
    for row in sorted(rows, key=lambda one: (one.timestamp, one.partition, one.offset)):
        value = row.value[0]
        if value is None or value.cluster != cluster:
            continue
        if value.connector != connector and (connector is not None or value.connector.rpartition(".")[2] != codec_connect.SOURCE_CONNECTOR):
            continue
        key = (value.topic, value.partition)
        places.setdefault(key, set()).add(row.partition)
        newest = row.partition
        offsets.pop(key, None)
        if value.offset is not None:
            offsets[key] = value.offset
    return {"offsets": offsets, "conflicts": sorted(key for key, where in places.items() if len(where) > 1),
            "transactional": newest is not None and _ends_in_control_record(client, topic, rows, newest)}


def _ends_in_control_record(client, topic, rows, number):
    """A control record cannot be seen, but the offset that it takes can: the log's end is not the last record's offset plus one."""
    count = describe_topics(client, [topic])[topic]["partitions"]
    stable = log_bounds(client, {topic: count})[topic][str(number)]["stable"]
    return stable > max(row.offset for row in rows if row.partition == number) + 1


def read_witness(client, topic):
    """What the position witness knows: :func:`witness.fold` of its topic, read from its last whole snapshot; None where the topic does not exist."""
    described = describe_topics(client, [topic])
    if topic not in described:
        return None
    bounds = log_bounds(client, {topic: 1})[topic]["0"]
    tail = read_rows(client, topic, witness.decode, {0: bounds["stable"] - STAMP_SEARCH})
    stamps = [row.value for row in tail if row.value["kind"] == "round"]
    low = tail[0].offset if tail else bounds["stable"]
    since = stamps[-1]["since"] if stamps else 0
    if since < low and low > bounds["start"]:
        tail = read_rows(client, topic, witness.decode, {0: since})
    return witness.fold(row.value for row in tail if row.offset >= since)


def read_witness_rounds(client, topic):
    """When the last rounds of the position witness began, in milliseconds by its clock, oldest first; None where the topic does not exist."""
    described = describe_topics(client, [topic])
    if topic not in described:
        return None
    bounds = log_bounds(client, {topic: 1})[topic]["0"]
    rows = read_rows(client, topic, witness.decode, {0: bounds["stable"] - STAMP_SEARCH}) or []
    return [row.value["at"] for row in rows if row.value["kind"] == "round" and not row.value["gone"]]
