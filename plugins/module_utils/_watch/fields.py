# SPDX-License-Identifier: GPL-3.0-or-later
"""What each field of a watch's records has to be: functions that return it.

They raise ValueError, TypeError or KeyError where it is nothing that a watch writes.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from .._values.topic_name import has_legal_characters
from .._values.whole import is_whole
from .state import Span, Tip

LARGEST = 1 << 62
# Of the times that Kafka takes in records and as a policy.
LATEST, EARLIEST = (1 << 63) - 1, -(1 << 63)
ARRAYS = ("runs", "content", "timestamps")
# What one array may unpack to: a window holds at most some ten thousand records of 8 bytes.
ARRAY_BYTES = 16 << 20


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


def whole(value: Any) -> int:
    """An offset, a count, when something was seen; -1 stands for what Kafka does not know."""
    if not is_whole(value, LARGEST, -1):
        raise ValueError(value)
    return value


def moment(value: Any) -> int:
    """A time that others set, of a record or in a policy: any that Kafka takes."""
    if not is_whole(value, LATEST, EARLIEST):
        raise ValueError(value)
    return value


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def _name(value: Any) -> str:
    """A name that can be asked for; one that is renamed may be longer than any topic's."""
    if not has_legal_characters(text(value)):
        raise ValueError(value)
    return value


def optional(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A check that takes None too."""
    return lambda value: None if value is None else check(value)


def _pair(value: Any) -> Span:
    source, target = map(whole, value)
    return source, target


def _pairs(value: Any) -> list[list[int]]:
    return [list(_pair(row)) for row in value]


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _tip(value: Any) -> Tip:
    offset, epoch, digest = value
    if not is_whole(digest, (1 << 64) - 1):
        raise ValueError(value)
    return Tip(whole(offset), whole(epoch), digest)


def _anchor(value: Any) -> dict[str, Any]:
    return {
        "source": whole(value["source"]),
        "target": whole(value["target"]),
        "digest": _tip([0, 0, value["digest"]]).digest,
        "timestamp": moment(value["timestamp"]),
    }


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise ValueError(value)
    return [text(item) for item in value]


def _cursor(value: Any) -> list[int]:
    source, target, matched, until = map(whole, value)
    return [source, target, matched, until]


def _runs(value: Any) -> list[list[int]]:
    return [list(map(whole, (source, target, count))) for source, target, count in value]


def _seconds(value: Any) -> float:
    seconds = float(value) if isinstance(value, float) else float(whole(value))
    if not 0 <= seconds < math.inf:
        raise ValueError(value)
    return seconds


def by_reason(not_watched: Mapping[str, str]) -> dict[str, list[str]]:
    """``{reason: topics}`` of ``{topic: reason}``: one record is to hold some ten thousand names."""
    reasons: dict[str, list[str]] = {}
    for topic, reason in not_watched.items():
        reasons.setdefault(reason, []).append(topic)
    return reasons


def _by_topic(value: Any) -> dict[str, str]:
    """The inverse of :func:`by_reason`; the first versions of the watch wrote ``{topic: reason}``."""
    if not isinstance(value, dict):
        raise ValueError(value)
    found = {}
    for left, right in value.items():
        if isinstance(right, str):
            found[_name(left)] = text(right)
        else:
            found.update(dict.fromkeys(map(_name, _texts(right)), text(left)))
    return found


def acceptance(value: Any) -> dict[str, Any]:
    """Who accepted a difference, why, and when."""
    return {"by": text(value["by"]), "reason": text(value["reason"]), "at": whole(value["at"])}


_LATER: Callable[[Any], Any] = optional(whole)
_MOMENT: Callable[[Any], Any] = optional(moment)
WATCH: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("source_cluster", "target_cluster", "topics", "rename"), text),
    **dict.fromkeys(("began", "round"), whole),
    "seconds": _seconds,
    "not_watched": _by_topic,
}
CONFIRMED: dict[str, Callable[[Any], Any]] = {
    "target_topic": _name,
    **dict.fromkeys(("source_id", "target_id", "mode", "chain"), text),
    "begins": optional(_pair),
    **dict.fromkeys(("through", "examined"), _pair),
    "anchor": optional(_anchor),
    **dict.fromkeys(("source_tip", "target_tip"), optional(_tip)),
    **dict.fromkeys(
        (
            "since",
            "read",
            "records",
            "matched",
            "duplicates",
            "unproven",
            "source_start",
            "older",
            "waiting",
            "differences",
        ),
        whole,
    ),
    "oldest_waiting": _MOMENT,
    **dict.fromkeys(("proven_at", "scrubbed"), _LATER),
    "stopped": optional(text),
    "notes": _texts,
    "map_runs": _runs,
}
# What the first versions of the watch did not keep.
LATER: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("source_end", "source_high"), whole),
    **dict.fromkeys(("unread_since", "target_start", "looked_at"), _LATER),
    "expiring_for": _MOMENT,
    "scrub_at": optional(_cursor),
    **dict.fromkeys(("expiring", "vanished"), _pairs),
    **dict.fromkeys(("unstamped", "gone"), _flag),
    "former_ids": _texts,
}
WINDOW: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("low", "high", "count"), whole),
    **dict.fromkeys(ARRAYS, unpack),
    **dict.fromkeys(("previous", "hash"), text),
}
DIFFERENCE: dict[str, Callable[[Any], Any]] = {
    "kind": text,
    **dict.fromkeys(("source_offset", "target_offset"), _LATER),
    "timestamp": _MOMENT,
    "field": optional(text),
    **dict.fromkeys(("count", "found_at", "matched"), whole),
    "ends": _pair,
}
