# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of Connect's own topics as MirrorMaker 2 writes them: how far a partition was copied, and states of tasks.

Source offsets: key ``["<connector>",{"cluster":"<source alias>","partition":0,"topic":"items"}]``, value
``{"offset":N}`` or null, JSON without schema. Sources: ``OffsetStorageWriter`` (the pair of connector name and source
partition), ``MirrorUtils.wrapPartition`` and ``wrapOffset``. N is the offset of the last record copied, so the position
reached ("mirrored through") is N + 1. In dedicated mode the connector is ``MirrorSourceConnector``; on Strimzi
``<source>-><target>.MirrorSourceConnector``.

States (``KafkaStatusBackingStore``): key ``status-connector-<connector>`` or ``status-task-<connector>-<number>``,
value ``{"state","trace","worker_id",…}`` or null.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, TypedDict

from .._errors import FormatError
from .._values.askable import is_sendable
from .._values.whole import is_whole

SOURCE_CONNECTOR = "MirrorSourceConnector"


class SourceOffset(NamedTuple):
    """``offset`` is the last record copied; None is a tombstone: Connect forgot it."""

    connector: str
    cluster: str
    topic: str
    partition: int
    offset: int | None


def _json(data: bytes | None, what: str) -> Any:
    try:
        return json.loads(bytes(data or b"").decode("utf-8"))
    except UnicodeDecodeError as error:
        raise FormatError(f"Not a {what} at byte {error.start}", expected="UTF-8", position=error.start) from error
    except (ValueError, RecursionError) as error:
        position = getattr(error, "pos", 0)
        raise FormatError(
            f"Not a {what} at character {position}", expected="JSON", found=str(error), position=position
        ) from error


class TaskState(TypedDict):
    """The state of a task; ``task`` is None where it is that of the connector itself."""

    connector: str
    task: int | None
    state: str | None
    trace: str | None
    worker: str | None


def decode_status(key: bytes | None, value: bytes | None) -> TaskState | None:
    """:class:`TaskState`, or None for a record of another kind; what cannot be read of a value has no state."""
    words = (key or b"").decode("utf-8", "replace")
    if words.startswith("status-task-"):
        connector, dummy, number = words.removeprefix("status-task-").rpartition("-")
        if not (number.isascii() and number.isdecimal() and len(number) <= 10):
            return None
        task = int(number)
    elif words.startswith("status-connector-"):
        connector, task = words.removeprefix("status-connector-"), None
    else:
        return None
    try:
        status = json.loads(value) if value else {}
    except (ValueError, RecursionError):
        status = {}
    texts = {name: text for name, text in status.items() if isinstance(text, str)} if isinstance(status, dict) else {}
    return {
        "connector": connector,
        "task": task,
        "state": texts.get("state"),
        "trace": texts.get("trace"),
        "worker": texts.get("worker_id"),
    }


def decode_source_offset(key: bytes | None, value: bytes | None) -> SourceOffset | None:
    """:class:`SourceOffset`, or None for a well-formed record of another kind (checkpoint and heartbeat connectors
    write here too).
    """
    if key is None:
        raise FormatError("A Connect offset key is missing", expected="bytes", found="null", position=0)
    pair = _json(key, "Connect offset key")
    if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], dict)):
        raise FormatError(
            "Not a Connect offset key", expected='["connector", {…}]', found=type(pair).__name__, position=0
        )
    connector, partition = pair
    if set(partition) != {"cluster", "partition", "topic"}:
        return None
    if not (
        isinstance(partition["cluster"], str)
        and isinstance(partition["topic"], str)
        and is_sendable(partition["topic"])
        and is_whole(partition["partition"], 2**31 - 1)
    ):
        raise FormatError(
            "Not a MirrorMaker 2 source partition",
            expected="cluster, topic and a partition number",
            found=partition,
            position=0,
        )
    offset = None
    if value is not None:
        wrapped = _json(value, "Connect offset value")
        if not (isinstance(wrapped, dict) and is_whole(wrapped.get("offset"), 2**63 - 1)):
            raise FormatError("Not a MirrorMaker 2 source offset", expected='{"offset": N}', found=wrapped, position=0)
        offset = wrapped["offset"]
    return SourceOffset(connector, partition["cluster"], partition["topic"], partition["partition"], offset)


def encode_source_offset(row: SourceOffset) -> tuple[bytes, bytes | None]:
    """``(key, value)`` byte for byte as Connect writes them, so that partitioning and compaction meet the same key."""
    partition = {"cluster": row.cluster, "partition": row.partition, "topic": row.topic}
    key = json.dumps([row.connector, partition], separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    value = None if row.offset is None else json.dumps({"offset": row.offset}, separators=(",", ":")).encode("utf-8")
    return key, value
