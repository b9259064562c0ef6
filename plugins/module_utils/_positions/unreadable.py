# SPDX-License-Identifier: GPL-3.0-or-later
"""Records in MirrorMaker 2's own topics that are not its own: passed over and named, since its compacted topics
cannot be emptied. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._errors import FormatError
from .._kafka.mm2_topics import Unread
from .._mm2.codec import decode_offset_sync_key
from .._values.listing import named
from .shapes import Partition

WHY = "{} records of topic {} are none of MirrorMaker 2's and were passed over ({})"
REMEDY = (
    "See who else writes to this topic; only MirrorMaker 2 should. What such a record took the place of is not known, "
    "and positions are no more certain for it"
)
NAMED = 3


def about(unread: Iterable[Unread]) -> set[Partition]:
    """The partitions of the source that unreadable offset syncs are about, as far as their keys say."""
    found = set()
    for record in unread:
        try:
            found.add(decode_offset_sync_key(record.key))
        except FormatError:
            continue
    return found


def counted(unread: Iterable[Unread]) -> list[dict[str, Any]]:
    """``[{topic, records, first: [{partition, offset}]}]``: how many there are, and where the first ones stand."""
    by_topic: dict[str, list[Unread]] = {}
    for record in unread:
        by_topic.setdefault(record.topic, []).append(record)
    return [
        {
            "topic": topic,
            "records": len(records),
            "first": [{"partition": record.partition, "offset": record.offset} for record in records[:NAMED]],
        }
        for topic, records in sorted(by_topic.items())
    ]


def unreadable_as_others(counts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same as ``others`` has it: ``*`` stands for whoever it concerns."""
    found = []
    for count in counts:
        places = named(f"partition {place['partition']}, offset {place['offset']}" for place in count["first"])
        why = WHY.format(count["records"], count["topic"], places)
        found.append({"group": "*", "kind": "unknown", "named": False, "why": why, "remedy": REMEDY})
    return found
