# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for what is digested, and for what a cluster or a manifest says of its topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict

Partition = tuple[str, int]
Span = tuple[int, int]  # the first offset, and the one after the last
Block = tuple[int, int, int]  # a matched run: ordinal on the source, ordinal on the target, count
Headers = list[tuple[str, "bytes | None"]]
Isolation = Literal["read_committed", "read_uncommitted"]
# A side's description, see ``_proof/sides.py``.
SideSpec = dict[str, Any]
# Called with the records and the bytes read since the last call.
Progress = Callable[[int, int], None]


class OffsetRange(NamedTuple):
    """Offsets of one partition to digest, with or without the records' timestamps."""

    topic: str
    partition: int
    low: int
    high: int
    timestamps: bool

    @property
    def length(self) -> int:
        """How many offsets, and so how many records at most."""
        return self.high - self.low


class TopicSurvey(TypedDict):
    """What a side says of one topic; ``bounds`` are log start and last stable offset of each partition."""

    topic_id: str
    config: dict[str, str | None]
    partitions: list[int]
    bounds: dict[int, Span]
