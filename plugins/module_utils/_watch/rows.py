# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a watch's topic: written from, and folded to, a :class:`.state.WatchState`.

Keys are JSON arrays, the first element names the kind. Values are JSON objects with ``v`` and ``at`` (milliseconds).
A record of another format is refused by its key.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from .._errors import FormatError
from .._values.whole import is_whole
from .state import TOPIC, Confirmed, Difference, Partition, Span, Tip, WatchState, Window

FORMAT = 1
LARGEST = 1 << 62
# What one array may unpack to: a window holds at most some ten thousand records of 8 bytes.
ARRAY_BYTES = 16 << 20
CONFIRMED, WINDOW, DIFFERENCE, ACCEPTED, WATCH = "confirmed", "window", "difference", "accepted", "watch"
KEYS: dict[str, tuple[type, ...]] = {
    WATCH: (str,),
    CONFIRMED: (str, str, int),
    WINDOW: (str, str, int, int),
    DIFFERENCE: (str, str, int, int),
    ACCEPTED: (str, str, int, int),
}
ARRAYS = ("runs", "content", "timestamps")

Row = tuple[bytes, "bytes | None"]


def key(kind: str, *parts: str | int) -> bytes:
    """The key of a record."""
    return json.dumps([kind, *parts], separators=(",", ":"), ensure_ascii=False).encode()


def _dump(at: int, value: dict[str, Any]) -> bytes:
    return json.dumps({"v": FORMAT, "at": at, **value}, separators=(",", ":"), ensure_ascii=False).encode()


def pack(data: bytes) -> str:
    """An array as text."""
    return base64.b64encode(zlib.compress(data, 1)).decode()


def unpack(text: Any) -> bytes:
    """The array of a text. :raises ValueError: it is none, or larger than any that is written."""
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text, validate=True), ARRAY_BYTES)
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("array")
    return data


def watch_row(state: WatchState) -> Row:
    """The record that ends a round."""
    names = ("source_cluster", "target_cluster", "topics", "rename", "began", "round", "seconds", "not_watched")
    return key(WATCH, state.mirror), _dump(state.at, {name: getattr(state, name) for name in names})


def confirmed_row(mirror: str, place: Partition, part: Confirmed, at: int) -> Row:
    """The record of a partition."""
    return key(CONFIRMED, mirror, *place), _dump(at, asdict(part))


def window_row(mirror: str, place: Partition, window: Window, at: int) -> Row:
    """The record of a window."""
    value = {**asdict(window), **{name: pack(getattr(window, name)) for name in ARRAYS}}
    return key(WINDOW, mirror, *place, window.low), _dump(at, value)


def difference_row(mirror: str, difference: Difference, at: int) -> Row:
    """The record of a difference."""
    place = (difference.topic, difference.partition, difference.number)
    value = {name: getattr(difference, name) for name in DIFFERENCE_FIELDS}
    return key(DIFFERENCE, mirror, *place), _dump(at, value)


def accepted_row(mirror: str, difference: Difference, by: str, reason: str, at: int) -> Row:
    """The record that accepts a difference. It is another one's than the watch's, so that neither overwrites what the
    other has written, and it names what it accepts.
    """
    place = (difference.topic, difference.partition, difference.number)
    return key(ACCEPTED, mirror, *place), _dump(at, {"id": difference.id(mirror), "by": by, "reason": reason})


def fold(records: Iterable[tuple[int, bytes | None, bytes | None]]) -> dict[str, WatchState]:
    """The state of every mirror.

    :param records: ``(offset, key, value)`` in log order. :raises FormatError: one of them is not of the format.
    """
    latest: dict[bytes | None, tuple[int, bytes | None]] = {}
    for offset, name, value in records:
        latest[name] = (offset, value)
    states: dict[str, WatchState] = {}
    accepted: dict[str, dict[str, dict[str, Any]]] = {}
    for name, (offset, value) in latest.items():
        if value is None:
            continue
        try:
            kind, mirror, *place = _key(name)
            content = json.loads(value)
            if content["v"] != FORMAT:
                raise ValueError("version")
            if kind == ACCEPTED:
                accepted.setdefault(mirror, {})[_text(content["id"])] = _acceptance(content)
            else:
                _put(states.setdefault(mirror, WatchState(mirror)), kind, place, content)
        except (ValueError, KeyError, TypeError, RecursionError, zlib.error, binascii.Error) as error:
            raise foreign(name, offset) from error
    return {mirror: _whole_state(state, accepted.get(mirror, {})) for mirror, state in states.items() if state.round}


def foreign(name: bytes | None, offset: int) -> FormatError:
    """The error for a record that no watch wrote."""
    return FormatError(
        f"'{TOPIC}' has a record that no watch wrote",
        expected=f"format {FORMAT}",
        found=f"the key {name!r} at offset {offset}",
        remedy="Find out who may write there, and delete that record by a null value for its key",
    )


def _key(name: bytes | None) -> list[Any]:
    parts = json.loads(name or b"")
    kinds = KEYS[parts[0]]
    if len(parts) != len(kinds) + 1 or not all(
        isinstance(part, kind) and not isinstance(part, bool) for part, kind in zip(parts[1:], kinds, strict=True)
    ):
        raise ValueError("key")
    if any(isinstance(part, int) and not 0 <= part <= LARGEST for part in parts[1:]):
        raise ValueError("key")
    return parts


def _whole_state(state: WatchState, accepted: dict[str, dict[str, Any]]) -> WatchState:
    """In order, with what was accepted: the difference that has that id, and no other one of its number."""
    if accepted:
        for found in state.differences:
            found.accepted = accepted.get(found.id(state.mirror))
    for windows in state.windows.values():
        windows.sort(key=lambda window: window.low)
    state.differences.sort(key=lambda found: (found.topic, found.partition, found.number))
    return state


def _put(state: WatchState, kind: str, place: list[Any], content: dict[str, Any]) -> None:
    at = _whole(content["at"])
    if kind == WATCH:
        state.at = at
        for name, check in WATCH_FIELDS.items():
            setattr(state, name, check(content[name]))
    elif kind == CONFIRMED:
        # A watch that did not read anything again kept no place of it.
        content.setdefault("scrub_at", None)
        # Nor where the source ended.
        content.setdefault("source_end", 0)
        state.partitions[place[0], place[1]] = Confirmed(
            **{name: check(content[name]) for name, check in CONFIRMED_FIELDS.items()}
        )
    elif kind == WINDOW:
        fields = {name: check(content[name]) for name, check in WINDOW_FIELDS.items()}
        if fields["low"] != place[2] or not fields["low"] < fields["high"]:
            raise ValueError("window")
        state.windows.setdefault((place[0], place[1]), []).append(Window(**fields))
    else:
        fields = {name: check(content[name]) for name, check in DIFFERENCE_FIELDS.items()}
        state.differences.append(Difference(*place, **fields))


def _whole(value: Any) -> int:
    """An offset, a count, a time; -1 stands for what Kafka does not know."""
    if not is_whole(value, LARGEST, -1):
        raise ValueError(value)
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def _optional(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else check(value)


def _pair(value: Any) -> Span:
    source, target = map(_whole, value)
    return source, target


def _tip(value: Any) -> Tip:
    offset, epoch, digest = value
    if not is_whole(digest, (1 << 64) - 1):
        raise ValueError(value)
    return Tip(_whole(offset), _whole(epoch), digest)


def _anchor(value: Any) -> dict[str, Any]:
    return {
        "source": _whole(value["source"]),
        "target": _whole(value["target"]),
        "digest": _tip([0, 0, value["digest"]]).digest,
        "timestamp": _whole(value["timestamp"]),
    }


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise ValueError(value)
    return [_text(item) for item in value]


def _cursor(value: Any) -> list[int]:
    source, target, matched, until = map(_whole, value)
    return [source, target, matched, until]


def _runs(value: Any) -> list[list[int]]:
    return [list(map(_whole, (source, target, count))) for source, target, count in value]


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, float) else float(_whole(value))


def _by_topic(value: Any) -> dict[str, str]:
    return {_text(topic): _text(reason) for topic, reason in value.items()}


def _acceptance(value: Any) -> dict[str, Any]:
    return {"by": _text(value["by"]), "reason": _text(value["reason"]), "at": _whole(value["at"])}


_LATER: Callable[[Any], Any] = _optional(_whole)
WATCH_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("source_cluster", "target_cluster", "topics", "rename"), _text),
    **dict.fromkeys(("began", "round"), _whole),
    "seconds": _seconds,
    "not_watched": _by_topic,
}
CONFIRMED_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("target_topic", "source_id", "target_id", "mode", "chain"), _text),
    "begins": _optional(_pair),
    **dict.fromkeys(("through", "examined"), _pair),
    "anchor": _optional(_anchor),
    **dict.fromkeys(("source_tip", "target_tip"), _optional(_tip)),
    **dict.fromkeys(
        (
            "since",
            "read",
            "records",
            "matched",
            "duplicates",
            "unproven",
            "source_start",
            "source_end",
            "older",
            "waiting",
            "differences",
        ),
        _whole,
    ),
    **dict.fromkeys(("oldest_waiting", "proven_at", "scrubbed"), _LATER),
    "scrub_at": _optional(_cursor),
    "stopped": _optional(_text),
    "notes": _texts,
    "map_runs": _runs,
}
WINDOW_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("low", "high", "count"), _whole),
    **dict.fromkeys(ARRAYS, unpack),
    **dict.fromkeys(("previous", "hash"), _text),
}
DIFFERENCE_FIELDS: dict[str, Callable[[Any], Any]] = {
    "kind": _text,
    **dict.fromkeys(("source_offset", "target_offset", "timestamp"), _LATER),
    "field": _optional(_text),
    **dict.fromkeys(("count", "found_at", "matched"), _whole),
    "ends": _pair,
}
