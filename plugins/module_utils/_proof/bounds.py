# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets that a comparison is bounded by, as a file of bounds gives them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from .._errors import UsageError
from .._kafka.topics import RETENTION
from .._mm2.names import HEARTBEATS
from .shapes import Bounds

# What bounds ranges of offsets.
ENDS = ("source", "target", "mirrored_through")
# Those by the source's topics.
OF_SOURCE = ("source", "mirrored_through")


def check_bounds(bounds: Any) -> Bounds:
    """The content of a bounds file.

    - ``source``, ``target``: ends of either side, by its own topics and partitions.
    - ``mirrored_through``: the offset below which everything had been copied, by the source's topics and partitions.
    - ``held``: ``at`` (milliseconds) and ``starts`` (log starts of the backup, by the source's topics and partitions)
      when deletion in the backup was held off.
    - ``complete``: whether ``target`` names all that the target had of the topics. Only a salvage asks.
    - ``ended_at``: when the copy ended (milliseconds since the epoch). Only a salvage asks.
    - ``limits``: ``retention.ms`` and ``retention.bytes`` of the source's topics before deletion there was held off; -1
      for no limit.

    :raises UsageError: it is something else.
    """
    sound = isinstance(bounds, dict) and not set(bounds) - {*ENDS, "held", "limits", "complete", "ended_at"}
    sound = sound and isinstance(bounds.get("complete", False), bool) and _whole(bounds.get("ended_at", 0))
    if sound and "held" in bounds:
        held = bounds["held"]
        sound = (
            isinstance(held, dict) and set(held) == {"at", "starts"} and _whole(held["at"]) and _offsets(held["starts"])
        )
    if not sound or not all(_offsets(bounds[part]) for part in ENDS if part in bounds) or not _limits(bounds):
        raise UsageError(
            "The bounds are not valid",
            expected='{"source": {"topic": {"0": end}}, "target": {...}, "mirrored_through": {...}, '
            '"held": {"at": milliseconds, "starts": {...}}, '
            '"limits": {"topic": {"retention.ms": limit, "retention.bytes": limit}}, "ended_at": milliseconds, '
            '"complete": true or false}, all others of them whole numbers',
            found=bounds,
        )
    return bounds


def _offsets(part: Any) -> bool:
    return isinstance(part, dict) and all(
        isinstance(ends, dict) and all(_whole(end) and str(number).isdigit() for number, end in ends.items())
        for ends in part.values()
    )


def _limits(bounds: dict[str, Any]) -> bool:
    limits = bounds.get("limits", {})
    return isinstance(limits, dict) and all(
        isinstance(topic, dict)
        and set(topic) == set(RETENTION)
        and all(limit == -1 or _whole(limit) for limit in topic.values())
        for topic in limits.values()
    )


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def unheld(bounds: Bounds, pattern: str, source_topics: Collection[str]) -> tuple[list[str], list[str]]:
    """``(given, copied)``: topics that the pattern means, that a bound speaks of, and that the source does not have.

    ``given`` have an end in the source, so that they were meant to be compared; of ``copied`` it is known only that a
    mirror copied them once.
    """
    meant = [named(bounds, part, pattern) - {*source_topics} for part in OF_SOURCE]
    return sorted(meant[0]), sorted(meant[1] - meant[0])


def named(bounds: Bounds, part: str, pattern: str) -> set[str]:
    """Topics of the source that one part of the bounds speaks of, and that the pattern means: also those that look
    internal, since a mirror with another separator copies them. Heartbeats are nobody's data, and what is internal
    whatever the separator is no mirror copies.
    """
    wanted = re.compile(pattern)
    return {
        name
        for name in bounds.get(part, {})
        if wanted.fullmatch(name) and name != HEARTBEATS and not name.startswith(("__", "."))
    }


def given(offsets: dict[str, Any] | None, name: str, number: int) -> int | None:
    """The offset given for a partition, or None; numbers of partitions are texts where they come from JSON."""
    ends = (offsets or {}).get(name) or {}
    return ends.get(str(number), ends.get(number))
