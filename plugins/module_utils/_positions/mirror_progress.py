# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a mirror has come: copied offsets and lag of each partition, its heartbeat, and the position witness."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.distinct import refuse_same
from .._kafka.mm2_topics import (
    read_checkpoints,
    read_last_heartbeat,
    read_offset_syncs,
    read_source_offsets,
    read_witness,
)
from .._kafka.offsets import offsets_behind, topic_offsets
from .._kafka.reader import read
from .._kafka.topics import describe_topics, hidden_topics
from .._mm2.names import MirrorNames, check_names, compile_filter
from .witnessed import unless_others

# A source partition whose last copied record lies further than this before its end is not counted: its lag is told in
# offsets.
LOOK_INTO = 2000
# Of so many of those it is looked whether there is any data at all: what an aborted transaction wrote is never copied.
LOOK_FOR_ANY = 50
# How much earlier than the witness saw it a topic may have been made again, in milliseconds: rounds take their time.
UNSEEN = 60000
Partition = tuple[str, int]


def mirror_names(params: dict[str, Any]) -> MirrorNames:
    """The names of the mirror that the options ``source_alias``, ``target_alias``, ``policy``, ``separator`` give."""
    return check_names(
        MirrorNames(params["source_alias"], params["target_alias"], params["policy"], params["separator"])
    )


def mirror_progress(params: dict[str, Any], target: KafkaClient | None = None) -> dict[str, Any]:
    """The state of the mirror, read from its clusters.

    :param params: ``MIRROR_SPEC`` with ``topics``, ``topics_exclude`` and ``details``; without ``source_client`` the
        lag is not known.
    :param target: the target's client, where the caller has one.
    :returns: ``exists``, ``exactly_once_seen``, ``noted_at``, ``conflicts[]``, ``partitions[]``, ``hidden[]``,
        ``heartbeat``, ``witness``, ``lag``, as the module ``mirror_offsets_info`` documents them.
    :raises KafkaDrError: a cluster cannot be read, or both are the same one.
    """
    names = mirror_names(params)
    source, target = _clients(params, names, target)
    matches = compile_filter(params["topics"], params["topics_exclude"])

    def wanted(topic: str) -> bool:
        return matches(topic) and names.is_data(topic)

    # The source's ends first: what the mirror copied since then counts, so that "caught up" can become true under live
    # traffic.
    bounds = _source_bounds(source, wanted)
    copied = read_source_offsets(
        target, params["offsets_topic"] or names.source_offsets, names.source, params["connector"]
    )
    offsets = copied["offsets"] if copied else {}
    witness = _witness(names, target, params["positions_topic"], wanted, offsets)
    partitions = _partitions(names, source, bounds, offsets, wanted)
    return {
        "exists": {"source_offsets": copied is not None, "witness": witness["exists"]},
        "exactly_once_seen": bool(copied and copied["transactional"]),
        "noted_at": copied["noted_at"] if copied else None,
        "conflicts": [{"topic": place[0], "partition": place[1]} for place in (copied["conflicts"] if copied else ())],
        "partitions": partitions,
        "hidden": _hidden(source, partitions),
        "heartbeat": _heartbeat(names, target),
        "witness": witness,
        **(_details(names, target) if params["details"] else {}),
        "lag": sum(row["lag"] or 0 for row in partitions),
    }


def _clients(
    params: dict[str, Any], names: MirrorNames, target: KafkaClient | None
) -> tuple[KafkaClient | None, KafkaClient]:
    """Source and target, two clusters; the source is None where it is not to be asked."""
    if target is None:
        target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], names.target)
    source = None
    if params["source_client"]:
        source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"], names.source)
    target.metadata()
    if source is not None:
        refuse_same(source, target)
    return source, target


def _source_bounds(source: KafkaClient | None, wanted: Callable[[str], bool]) -> dict[str, Any]:
    if source is None:
        return {}
    topics = [name for name in source.metadata().topics if wanted(name)]
    partitions = {name: topic["partitions"] for name, topic in describe_topics(source, topics).items()}
    return topic_offsets(source, partitions, gone="waited for")


def _partitions(
    names: MirrorNames,
    source: KafkaClient | None,
    bounds: dict[str, Any],
    offsets: dict[Partition, int],
    wanted: Callable[[str], bool],
) -> list[dict[str, Any]]:
    through = {key: offset + 1 for key, offset in offsets.items() if wanted(key[0])}
    rows: dict[Partition, dict[str, Any]] = {
        key: {
            "topic": key[0],
            "partition": key[1],
            "target_topic": names.copy_of(key[0]),
            "mirrored_through": reached,
            "source_start": None,
            "source_end": None,
            "lag": None,
            "caught_up": None,
        }
        for key, reached in through.items()
    }
    if source is None:
        return [rows[key] for key in sorted(rows)]
    for topic, ends in bounds.items():
        for number, bound in ends.items():
            key = (topic, int(number))
            row = rows.setdefault(
                key,
                {"topic": topic, "partition": key[1], "target_topic": names.copy_of(topic), "mirrored_through": None},
            )
            reached = row["mirrored_through"] or 0
            row.update(
                source_start=bound["start"],
                source_end=bound["stable"],
                lag=offsets_behind(reached, bound["start"], bound["stable"]),
                stale=max(reached, bound["start"]) > bound["end"],
            )
    _confirm_stale(source, rows)
    _look_for_data(source, rows)
    return [rows[key] for key in sorted(rows)]


def _hidden(source: KafkaClient | None, rows: list[dict[str, Any]]) -> list[str]:
    """Topics that were copied and that the source does not list, because they are hidden: not those that were
    deleted.
    """
    if source is None:
        return []
    listed = {row["topic"] for row in rows if row["source_end"] is not None}
    return hidden_topics(source, sorted({row["topic"] for row in rows} - listed))


def _confirm_stale(source: KafkaClient, rows: dict[Partition, dict[str, Any]]) -> None:
    """An offset beyond the end read before may be one copied since; it is stale only where it lies beyond the end even
    now.
    """
    seeming = [key for key, row in rows.items() if row.get("stale")]
    if seeming:
        partitions = {topic: 1 + max(number for name, number in seeming if name == topic) for topic, dummy in seeming}
        now = topic_offsets(source, partitions, gone="waited for")
        for key in seeming:
            rows[key]["stale"] = (rows[key]["mirrored_through"] or 0) > now[key[0]][str(key[1])]["end"]


def _look_for_data(source: KafkaClient, rows: dict[Partition, dict[str, Any]]) -> None:
    """Offsets are no records: control records at the end of the source are never copied, so what is left is read."""
    near = [key for key, row in rows.items() if row["lag"] and row["lag"] <= LOOK_INTO]
    found = dict.fromkeys(near, 0)
    ranges = [(*key, rows[key]["source_end"] - rows[key]["lag"], rows[key]["source_end"]) for key in near]
    for index, messages in read(source, ranges, timeout=source.timeout):
        found[near[index]] += len(messages)
    far = [key for key, row in rows.items() if row["lag"] and row["lag"] > LOOK_INTO]
    for key in far if len(far) <= LOOK_FOR_ANY else ():
        end = rows[key]["source_end"]
        with contextlib.closing(
            read(source, [(*key, end - rows[key]["lag"], end)], timeout=source.timeout)
        ) as portions:
            if next(portions, None) is None:
                found[key] = 0
    for key, row in rows.items():
        if key in found:
            row["lag"] = found[key]
        if row["lag"] is not None:
            row["caught_up"] = row["lag"] == 0 and not row["stale"]


def _heartbeat(names: MirrorNames, target: KafkaClient) -> dict[str, Any]:
    now = time.time()
    came = read_last_heartbeat(target, names.heartbeats_copied, names.target, names.source)
    if came is None:
        came = read_last_heartbeat(target, names.heartbeats_copied, names.source, names.target)
    emitted = read_last_heartbeat(target, names.heartbeats_emitted, names.source, names.target)
    # Those of the source end with the mirror that wrote them there, and with the copying of heartbeats.
    last = max((moment for moment in (came, emitted) if moment is not None), default=None)
    return {
        "copied_at": _seconds(came),
        "emitted_at": _seconds(emitted),
        "age": None if last is None else round(now - last / 1000, 3),
    }


def _witness(
    names: MirrorNames, target: KafkaClient, topic: str, wanted: Callable[[str], bool], copied: dict[Partition, int]
) -> dict[str, Any]:
    known = read_witness(target, topic)
    if known is None or unless_others(known, names.source, names.target) is None:
        return {
            "exists": known is not None,
            **dict.fromkeys(("at", "age", "ends", "ends_at")),
            "groups": 0,
            "made_again": [],
            "begun_again": [],
            "cluster_id": "",
            "other_mirror": known["mirror"] if known else "",
        }
    at = known["at"]
    ends = (
        None
        if known["ends"] is None
        else {name: offsets_of_topic for name, offsets_of_topic in known["ends"].items() if wanted(name)}
    )
    again = {
        name: witnessed["recreated"]
        for name, witnessed in known["topics"].items()
        if witnessed["recreated"] and wanted(name)
    }
    return {
        "exists": True,
        "at": _seconds(at),
        "age": None if at is None else round(time.time() - at / 1000, 3),
        "groups": len(known["groups"]),
        "ends": ends,
        "ends_at": _seconds(known["ends_at"]),
        "cluster_id": known["cluster"] or "",
        "other_mirror": "",
        "made_again": sorted(again),
        "begun_again": _begun_again(names, target, again, known["cluster_since"], ends or {}, copied),
    }


def _begun_again(
    names: MirrorNames,
    target: KafkaClient,
    again: dict[str, int],
    cluster_since: int,
    ends: dict[str, dict[str, int]],
    copied: dict[Partition, int],
) -> list[str]:
    """Topics of which the mirror was seen to copy the present topic from its first record on.

    Connect's offset alone does not say it: a mirror goes on at the place that it had in the former topic, as soon as
    the present one reaches so far. An offset sync of the first record does. For a cluster that took another's place, a
    stage began the mirror anew; an offset beyond the end is still a former one.

    :param again: when the witness saw each topic made again, in milliseconds; ``cluster_since``: the same of the
        cluster. :param copied: last offsets copied.
    """
    rows = (read_offset_syncs(target, names.offset_syncs) or []) if again else []
    first = {
        (row.value.topic, row.value.partition)
        for row in rows
        if row.value.upstream == 0 and row.timestamp >= again.get(row.value.topic, row.timestamp) - UNSEEN
    }

    def begun(key: Partition, end: int) -> bool:
        return key in first or (again[key[0]] <= cluster_since and copied.get(key, -1) < end)

    return [
        topic
        for topic in sorted(again)
        if all(
            not end or (topic, int(number)) not in copied or begun((topic, int(number)), end)
            for number, end in ends.get(topic, {}).items()
        )
    ]


def _details(names: MirrorNames, target: KafkaClient) -> dict[str, Any]:
    syncs = read_offset_syncs(target, names.offset_syncs)
    checkpoints = read_checkpoints(target, names.checkpoints)
    last = {}
    for row in checkpoints or []:
        last[row.value[:3]] = row
    return {
        "offset_syncs": None
        if syncs is None
        else [{**row.value._asdict(), "at": _seconds(row.timestamp)} for row in syncs],
        "checkpoints": None
        if checkpoints is None
        else [{**row.value._asdict(), "at": _seconds(row.timestamp)} for row in last.values()],
    }


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
