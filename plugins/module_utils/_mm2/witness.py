# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the position witness: where every group of the source stood, and when.

The topic lies in the target region and has one partition, compacted by key. Keys and values are JSON:

- ``["group","<name>"]`` -> ``{"v":1,"at":ms,"positions":{"<topic>":{"<partition>":offset}}}``: all positions of a group
  as read in one answer of the source, written when any moved; all groups again at each whole snapshot. null: the group
  is gone. ``"seldom":true`` beside it: of a group that is not watched, read at ``at``; whether that still held at a
  later round is not known. ``"metadata":{"<topic>":{"<partition>":"<text>"}}`` beside it: what was committed with the
  positions, where that is not empty, and all of it together is no longer than a record may well be.
- ``["topic","<name>"]`` -> ``{"v":1,"at":ms,"id":"<topic id>","recreated":ms}``: so that a topic re-created under its
  old name is seen; ``recreated`` is when this id was first seen in another's place, 0 if never.
- ``["ends",""]`` -> ``{"v":1,"at":ms,"ends":{"<topic>":{"<partition>":offset}},"open":{...}}``: the source's last
  stable offsets, written when any moved; what a lost source held, as far as it was seen. ``open``, in the same form:
  the ends of the logs that reach further, into transactions that are open.
- ``["cluster",""]`` -> ``{"v":1,"at":ms,"id":"<cluster id>","since":ms,"mirror":"<source>-><target>"}``: the cluster
  that all of this is about, and when it was first seen in another's place, 0 if never. Another one that answers in its
  place is not believed. ``mirror``: whose witness wrote all of this, by the mirror's aliases; records of another one
  are not believed. Older witnesses wrote none.
- ``["others",""]`` -> ``{"v":1,"at":ms,"groups":["<name>"]}``: groups that are no consumer groups (share groups and
  groups of the streams protocol) as they were listed at ``at``; written with each whole snapshot. They have no
  positions that could be kept.
- ``["round",""]`` -> ``{"v":1,"at":ms,"since":offset,"groups":n,"changed":n}``: every round, last. Every record at or
  after ``since`` that no later record supersedes still held when this round began reading, at ``at`` (milliseconds
  since the epoch, the witness's clock). ``mirror`` as in ``cluster``.

This file stands alone: the witness program is deployed with a copy of it beside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

try:
    from .._errors import FormatError
except ImportError:  # deployed beside the witness program, outside the collection

    class FormatError(ValueError):  # type: ignore[no-redef]
        """Bytes that are not what they claim to be."""

        def __init__(self, message: str, **facts: Any) -> None:
            super().__init__(message)
            self.facts = facts


# Of topics, by partition; and the key and value of a record.
Offsets = dict[str, dict[int, int]]
Texts = dict[str, dict[int, str]]
Record = tuple[bytes, "bytes | None"]

VERSION = 1
# What the witness passes over: groups of people who look, of Kafka itself, and of the collection.
UNWATCHED_GROUPS = "console-consumer-.*,__.*,streamsafe-kafka-dr-.*"
# Kafka's offsets and partitions, and the last moment that dates have.
LARGEST, PARTITIONS, LATEST = 2**63 - 1, 2**31 - 1, 253_402_300_799_000
# Bytes of metadata in a record, which has to fit into a topic's max.message.bytes with the positions.
MOST_METADATA = 200_000
KINDS = ("group", "topic", "ends", "cluster", "others", "round")


def _bytes(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def encode_group(
    group: str, at: int, positions: Offsets | None, seldom: bool = False, metadata: Texts | None = None
) -> Record:
    """``(key, value)``; ``positions`` is ``{topic: {partition: offset}}``, or None for a group that is gone; so is
    ``metadata``, with texts.
    """
    if positions is None:
        return _bytes(["group", group]), None
    more: dict[str, Any] = {"seldom": True} if seldom else {}
    if metadata and len(_bytes(metadata)) <= MOST_METADATA:
        more["metadata"] = metadata
    return _bytes(["group", group]), _bytes({"v": VERSION, "at": at, "positions": positions, **more})


def recreated_at(topic_id: str, at: int, before: tuple[str, int] | None) -> int:
    """When a topic was first seen in another one's place; 0 where it never was.

    :param before: the topic's id as it was last known, and when that one was first seen in another's place.
    """
    if before is None:
        return 0
    return before[1] if before[0] == topic_id else at


def encode_topic(topic: str, at: int, topic_id: str, recreated: int = 0) -> Record:
    """``(key, value)`` of a topic's identity."""
    return _bytes(["topic", topic]), _bytes({"v": VERSION, "at": at, "id": topic_id, "recreated": recreated})


def encode_ends(at: int, ends: Offsets, beyond: Offsets | None = None) -> Record:
    """``(key, value)`` of the source's ends, ``{topic: {partition: last stable offset}}``; ``beyond``: the ends of the
    logs that reach further.
    """
    return _bytes(["ends", ""]), _bytes({"v": VERSION, "at": at, "ends": ends, **({"open": beyond} if beyond else {})})


def owner(source: str, target: str) -> str:
    """How records name the mirror whose witness wrote them: no two mirrors have both aliases."""
    return f"{source}->{target}"


def is_others(mirror: str | None, own: str) -> bool:
    """Whether records are of another mirror's witness; those of nobody known, or for nobody known, count as its own."""
    return bool(mirror and own and mirror != own)


def encode_cluster(at: int, cluster_id: str, since: int = 0, mirror: str = "") -> Record:
    """``(key, value)`` of the source's id; ``mirror`` as of :func:`owner`, empty where it is not known."""
    return _bytes(["cluster", ""]), _bytes(
        {"v": VERSION, "at": at, "id": cluster_id, "since": since, **({"mirror": mirror} if mirror else {})}
    )


def encode_others(at: int, groups: list[str]) -> Record:
    """``(key, value)`` of the groups that are no consumer groups."""
    return _bytes(["others", ""]), _bytes({"v": VERSION, "at": at, "groups": groups})


def encode_round(at: int, since: int, groups: int, changed: int, mirror: str = "") -> Record:
    """``(key, value)`` of a round's stamp; ``mirror`` as of :func:`encode_cluster`."""
    return _bytes(["round", ""]), _bytes(
        {
            "v": VERSION,
            "at": at,
            "since": since,
            "groups": groups,
            "changed": changed,
            **({"mirror": mirror} if mirror else {}),
        }
    )


def decode(key: bytes | None, value: bytes | None) -> dict[str, Any]:
    """``{kind, name, ...}`` with the fields above; ``gone`` true for a null value.

    :raises FormatError: not a record of the witness, with the position where that showed.
    """
    kind, name = _key(key)
    if value is None:
        return {"kind": kind, "name": name, "gone": True}
    fields = _parse(value, "value")
    if not isinstance(fields, dict) or fields.get("v") != VERSION:
        raise FormatError(f"Not a witness record of version {VERSION}", found=str(fields)[:80], position=0)
    if not _whole(fields.get("at"), LATEST):
        raise FormatError(
            "A witness record has no time", expected="at in milliseconds", found=str(fields.get("at")), position=0
        )
    needed = {
        "group": _good_positions,
        "topic": lambda record: isinstance(record.get("id"), str) and _whole(record.get("recreated"), LATEST),
        "ends": lambda record: _good_offsets(record.get("ends")) and _good_offsets(record.get("open", {})),
        "cluster": lambda record: (
            isinstance(record.get("id"), str) and _whole(record.get("since", 0), LATEST) and _good_mirror(record)
        ),
        "others": lambda record: (
            isinstance(record.get("groups"), list) and all(isinstance(name, str) for name in record["groups"])
        ),
        "round": lambda record: (
            all(_whole(record.get(name)) for name in ("since", "groups", "changed")) and _good_mirror(record)
        ),
    }
    if not needed[kind](fields):
        raise FormatError(f"A witness record of kind '{kind}' lacks its fields", found=str(fields)[:80], position=0)
    if kind == "group":
        for place in {"positions", "metadata"} & set(fields):
            fields[place] = {
                topic: {int(number): held for number, held in numbers.items()}
                for topic, numbers in fields[place].items()
            }
    return {**fields, "kind": kind, "name": name, "gone": False}


def _key(key: bytes | None) -> list[str]:
    pair = _parse(key, "key")
    kinds = '"|"'.join(KINDS)
    if not (isinstance(pair, list) and len(pair) == 2 and pair[0] in KINDS and isinstance(pair[1], str)):
        raise FormatError("Not a witness key", expected=f'["{kinds}", name]', found=str(pair)[:80], position=0)
    return pair


def _whole(value: Any, most: int = LARGEST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _partition(number: str) -> bool:
    return number.isascii() and number.isdecimal() and len(number) <= 10 and int(number) <= PARTITIONS


def _good_mirror(fields: dict[str, Any]) -> bool:
    return isinstance(fields.get("mirror", ""), str)


def _good_positions(fields: dict[str, Any]) -> bool:
    return _good_offsets(fields.get("positions")) and _by_partition(
        fields.get("metadata", {}), lambda text: isinstance(text, str)
    )


def _good_offsets(positions: Any) -> bool:
    """Whether this is ``{topic: {partition: offset}}`` as JSON holds it."""
    return _by_partition(positions, _whole)


def _by_partition(held: Any, good: Callable[[Any], bool]) -> bool:
    return isinstance(held, dict) and all(
        isinstance(partitions, dict) and all(_partition(number) and good(value) for number, value in partitions.items())
        for partitions in held.values()
    )


def _parse(data: bytes | None, what: str) -> Any:
    if data is None:
        raise FormatError(f"A witness {what} is missing", position=0)
    try:
        return json.loads(bytes(data).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise FormatError(f"A witness {what} is not UTF-8 at byte {error.start}", position=error.start) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"A witness {what} is not JSON", found=str(error), position=getattr(error, "pos", 0)
        ) from error


def fold(records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The latest state of everything.

    :param records: decoded records in log order.
    :returns: ``groups: {name: {at, positions, seldom, metadata}}`` (the last two where it is so), ``topics: {name: {id,
        recreated}}``, ``ends``, ``open``, ``ends_at``, ``cluster`` (its id or None), ``cluster_since`` (0 where it took
        no other's place), ``mirror`` (whose witness wrote it, or None), ``others`` (names or None), ``others_at``,
        ``at`` (ms of the last round or None), ``since``.
        A group's ``at`` is when its positions were read; until when they held, the ``at`` of the last round says,
        unless they are read ``seldom``.
    """
    known: dict[str, Any] = dict.fromkeys(("ends", "ends_at", "cluster", "mirror", "others", "others_at", "at"))
    known.update(groups={}, topics={}, open={}, since=0, cluster_since=0)
    for record in records:
        kind, name, gone = record["kind"], record["name"], record["gone"]
        if kind == "cluster":
            known["cluster"], known["cluster_since"] = (None, 0) if gone else (record["id"], record.get("since", 0))
            known["mirror"] = None if gone else record.get("mirror")
        elif kind == "others":
            known["others"], known["others_at"] = (None, None) if gone else (record["groups"], record["at"])
        elif kind in ("group", "topic"):
            store = known[kind + "s"]
            if gone:
                store.pop(name, None)
            elif kind == "group":
                more = {field: record[field] for field in ("seldom", "metadata") if record.get(field)}
                store[name] = {"at": record["at"], "positions": record["positions"], **more}
            else:
                store[name] = {"id": record["id"], "recreated": record["recreated"]}
        elif not gone and kind == "round":
            known["at"], known["since"] = record["at"], record["since"]
        elif not gone:
            known["ends"], known["open"], known["ends_at"] = record["ends"], record.get("open", {}), record["at"]
    return known
