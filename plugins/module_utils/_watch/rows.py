# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a watch's topic: written from, and folded to, a :class:`.state.WatchState`.

Keys are JSON arrays, the first element names the kind. Values are JSON objects with ``v`` and ``at`` (milliseconds).
A record of another format is refused by its key.
"""

from __future__ import annotations

import binascii
import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from .._errors import FormatError, KafkaDrError
from .._ledger.kept import KeptRecord
from .._values.topic_name import is_topic_name
from . import fields
from .reasons import GONE
from .state import TOPIC, Confirmed, Difference, Partition, WatchState, Window

FORMAT = 1
CONFIRMED, WINDOW, DIFFERENCE, ACCEPTED, WATCH = "confirmed", "window", "difference", "accepted", "watch"
# Only ever has a null value: the broker stamps it.
TIME = "time"
KEYS: dict[str, tuple[type, ...]] = {
    WATCH: (str,),
    CONFIRMED: (str, str, int),
    WINDOW: (str, str, int, int),
    DIFFERENCE: (str, str, int, int),
    ACCEPTED: (str, str, int, int),
}
# Kafka numbers partitions with 32 bits.
LAST_PARTITION = (1 << 31) - 1
Row = tuple[bytes, "bytes | None"]
# By mirror and id of a difference: who accepted it.
Accepted = dict[str, dict[str, dict[str, Any]]]
# What the checks of a record raise.
WRONG = (ValueError, KeyError, TypeError, RecursionError, zlib.error, binascii.Error)


def key(kind: str, *parts: str | int) -> bytes:
    """The key of a record."""
    return json.dumps([kind, *parts], separators=(",", ":"), ensure_ascii=False).encode()


def _row(name: bytes, at: int, value: dict[str, Any]) -> Row:
    """A record. :raises KafkaDrError: it would be refused when it is read; what was kept before stays as it is."""
    written = json.dumps({"v": FORMAT, "at": at, **value}, separators=(",", ":"), ensure_ascii=False).encode()
    try:
        _take({}, {}, name, written)
    except WRONG as error:
        raise KafkaDrError(
            "The watch would not read again what it is about to keep",
            expected=f"a record of format {FORMAT}",
            found=f"the key {name!r}: {error!r}",
            remedy="What it kept before stands. This is a fault of the watch: report it with this line",
        ) from error
    return name, written


def watch_row(state: WatchState) -> Row:
    """The record that ends a round."""
    names = (*("source_cluster", "target_cluster", "topics", "rename"), *("began", "round", "seconds", "kept"))
    value = {name: getattr(state, name) for name in names}
    # Their partitions say it.
    gone = {place[0] for place, part in state.partitions.items() if part.gone}
    named = {topic: why for topic, why in state.not_watched.items() if why != GONE or topic not in gone}
    value["not_watched"] = fields.by_reason(named)
    return _row(key(WATCH, state.mirror), state.at, value)


def confirmed_row(mirror: str, place: Partition, part: Confirmed, at: int) -> Row:
    """The record of a partition."""
    return _row(key(CONFIRMED, mirror, *place), at, asdict(part))


def window_row(mirror: str, place: Partition, window: Window, at: int) -> Row:
    """The record of a window."""
    value = {**asdict(window), **{name: fields.pack(getattr(window, name)) for name in fields.ARRAYS}}
    return _row(key(WINDOW, mirror, *place, window.low), at, value)


def difference_row(mirror: str, difference: Difference, at: int) -> Row:
    """The record of a difference."""
    place = (difference.topic, difference.partition, difference.number)
    value = {name: getattr(difference, name) for name in fields.DIFFERENCE}
    return _row(key(DIFFERENCE, mirror, *place), at, value)


def accepted_row(mirror: str, difference: Difference, by: str, reason: str, at: int) -> Row:
    """The record that accepts a difference. It is another one's than the watch's, so that neither overwrites what the
    other has written, and it names what it accepts.
    """
    place = (difference.topic, difference.partition, difference.number)
    return _row(key(ACCEPTED, mirror, *place), at, {"id": difference.id(mirror), "by": by, "reason": reason})


def fold(records: Iterable[KeptRecord], mirror: str | None = None) -> dict[str, WatchState]:
    """The state of every mirror, whole or not.

    :param records: in log order. A round ended when the broker took its last record, where that is known.
    :param mirror: the only one that is asked for: what is another one's is not looked at, readable or not.
    :raises FormatError: one of them is not of the format.
    """
    latest: dict[bytes | None, tuple[int, bytes | None, int | None]] = {}
    for offset, name, value, stamped in records:
        latest[name] = (offset, value, stamped)
    states: dict[str, WatchState] = {}
    accepted: Accepted = {}
    for name, (offset, value, stamped) in latest.items():
        if value is None or (mirror is not None and _mirror(name) not in (mirror, None)):
            continue
        try:
            _take(states, accepted, name, value, stamped)
        except WRONG as error:
            raise foreign(name, offset) from error
    return {known: _whole_state(state, accepted.get(known, {})) for known, state in states.items()}


def _take(
    states: dict[str, WatchState], accepted: Accepted, name: bytes | None, value: bytes, stamped: int | None = None
) -> None:
    """Put a record where it belongs. It raises one of :data:`WRONG` where it is not of the format."""
    kind, mirror, *place = _key(name)
    content = json.loads(value)
    if content["v"] != FORMAT:
        raise ValueError("version")
    if kind == ACCEPTED:
        accepted.setdefault(mirror, {})[fields.text(content["id"])] = fields.acceptance(content)
        return
    state = states.setdefault(mirror, WatchState(mirror))
    _put(state, kind, place, content)
    if kind == WATCH and stamped is not None:
        state.at = stamped


def foreign(name: bytes | None, offset: int) -> FormatError:
    """The error for a record that no watch wrote."""
    delete = "delete that record by a null value for its key"
    try:
        kind, mirror = _key(name)[:2]
        own = kind != ACCEPTED
    except WRONG:
        own, mirror = False, ""
    return FormatError(
        f"'{TOPIC}' has a record that no watch wrote",
        expected=f"format {FORMAT}",
        found=f"the key {name!r} at offset {offset}",
        remedy=(
            # In the place of one of its own: what that one said would be forgotten.
            f"Find out who may write there, then begin the watch of the mirror {mirror!r} anew with --begin-anew; only "
            f"where there is no such watch, {delete}"
            if own
            else f"Find out who may write there, and {delete}"
        ),
    )


def names_of(records: Iterable[KeptRecord], mirror: str) -> list[bytes]:
    """Keys of all that there is of a mirror, also of what is of no format."""
    latest = {name: value for dummy, name, value, dummy2 in records if name is not None}
    return [name for name, value in latest.items() if value is not None and _mirror(name) == mirror]


def _mirror(name: bytes | None) -> str | None:
    """Whose a record is by its key, also one of no format; None where it is nobody's."""
    try:
        parts = json.loads(name or b"")
    except (ValueError, RecursionError):
        return None
    known = isinstance(parts, list) and len(parts) > 1 and isinstance(parts[0], str) and parts[0] in KEYS
    return parts[1] if known and isinstance(parts[1], str) else None


def _key(name: bytes | None) -> list[Any]:
    parts = json.loads(name or b"")
    kinds = KEYS[parts[0]]
    if len(parts) != len(kinds) + 1 or not all(
        isinstance(part, kind) and not isinstance(part, bool) for part, kind in zip(parts[1:], kinds, strict=True)
    ):
        raise ValueError("key")
    if any(isinstance(part, int) and not 0 <= part <= fields.LARGEST for part in parts[1:]):
        raise ValueError("key")
    # Another writing of the same name is no record of a watch: there would be two of one partition.
    if key(*parts) != name or (len(parts) > 2 and not (is_topic_name(parts[2]) and parts[3] <= LAST_PARTITION)):
        raise ValueError("key")
    return parts


def _whole_state(state: WatchState, accepted: dict[str, dict[str, Any]]) -> WatchState:
    """In order, with what was accepted: the difference that has that id, and no other one of its number."""
    if accepted:
        for found in state.differences:
            found.accepted = accepted.get(found.id(state.mirror))
    for (topic, dummy), part in state.partitions.items():
        if part.gone:
            state.not_watched.setdefault(topic, GONE)
    for windows in state.windows.values():
        windows.sort(key=lambda window: window.low)
    state.differences.sort(key=lambda found: (found.topic, found.partition, found.number))
    return state


def _put(state: WatchState, kind: str, place: list[Any], content: dict[str, Any]) -> None:
    at = fields.whole(content["at"])
    if kind == WATCH:
        state.at = at
        for name, check in fields.WATCH.items():
            setattr(state, name, check(content[name]))
        state.kept = fields.optional(fields.whole)(content.get("kept"))
    elif kind == CONFIRMED:
        state.partitions[place[0], place[1]] = Confirmed(
            **{name: check(content[name]) for name, check in fields.CONFIRMED.items()},
            **{name: check(content[name]) for name, check in fields.LATER.items() if name in content},
        )
    elif kind == WINDOW:
        window = Window(**{name: check(content[name]) for name, check in fields.WINDOW.items()})
        if window.low != place[2] or window.low >= window.high:
            raise ValueError("window")
        state.windows.setdefault((place[0], place[1]), []).append(window)
    else:
        found = {name: check(content[name]) for name, check in fields.DIFFERENCE.items()}
        state.differences.append(Difference(*place, **found))
