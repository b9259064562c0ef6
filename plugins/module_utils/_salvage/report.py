# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a salvage."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .part import Part
    from .run import Salvage

from .._proof.offset_rows import OffsetRows
from .._values.moment import moment
from .._values.place import shown
from . import actions, spans

COUNTS = ("salvaged", "exported", "side_topic", "replayed", "skipped", "superseded", "already", "expired", "bytes")
MAPS = ("offset_map", "written_map")
# As long as the differences are many.
LONG = (*MAPS, "exported_offsets")


def identity(salvage: Salvage) -> dict[str, Any]:
    """Which salvage it is: another loss, other topics or other actions are another one."""
    asked = {
        "topics": salvage.wanted.topics,
        "rename": salvage.wanted.rename,
        "actions": [(rule.topics.pattern, rule.action) for rule in salvage.rules],
        "bounds": {name: salvage.wanted.bounds.get(name) or {} for name in ("target", "mirrored_through")},
    }
    return {
        "source": salvage.source.cluster_id,
        "target": salvage.target.cluster_id,
        "asked": hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest(),
    }


def pieces(runs: Any, most: int) -> Iterator[list[list[int]]]:
    """Runs in pieces of at most ``most`` offsets each."""
    piece: list[list[int]] = []
    room = most
    for first, count in runs.tolist():
        while count:
            taken = min(count, room)
            piece.append([first, taken])
            first, count, room = first + taken, count - taken, room - taken
            if not room:
                yield piece
                piece, room = [], most
    if piece:
        yield piece


def build(salvage: Salvage) -> dict[str, Any]:
    """The report's keys without ``engine``."""
    topics: dict[str, Any] = {}
    # What else hinders a proof hides nothing: what the source does not have any more cannot be salvaged.
    doubtful = salvage.comparison.hidden or any(topic.changed for topic in salvage.comparison.topics)
    complete, reasons = not salvage.reasons and not doubtful, [*salvage.comparison.reasons, *salvage.reasons]
    for topic in salvage.comparison.topics:
        parts = [part for part in salvage.parts if part.pair.topic is topic]
        action = actions.action_for(salvage.rules, topic.name)
        topics[topic.name] = {
            "action": action,
            "topic_id": topic.source["topic_id"],
            "target_topic": topic.target_name,
            "written_to": actions.destination(action, topic.target_name) if action in actions.WRITING else None,
            "partitions": {str(part.pair.number): of_partition(part) for part in parts},
        }
        reasons += [f"{topic.name}: {reason}" for reason in topic.reasons]
        for part in parts:
            part_reasons = [*part.pair.reasons, *part.choice.reasons, *part.doubts, *part.reasons]
            reasons += [f"{topic.name}-{part.pair.number}: {reason}" for reason in part_reasons]
            complete = complete and not part.doubts and not part.reasons and _whole(part)
    totals = {
        name: sum(part[name] for topic in topics.values() for part in topic["partitions"].values()) for name in COUNTS
    }
    return {
        **totals,
        "complete": complete,
        "reasons": reasons,
        "topics": topics,
        "directory": shown(salvage.wanted.out),
        "files": len(salvage.files),
        "source": salvage.source.name,
        "target": salvage.target.name,
        "began": moment(salvage.began),
        "seconds": round(time.time() - salvage.began, 3),
    }


def _whole(part: Part) -> bool:
    return part.exported + part.written + part.skipped == spans.count(part.write) + spans.count(part.export)


def of_partition(part: Part) -> dict[str, Any]:
    """What the report has of one partition."""
    done = part.action if part.action in actions.WRITING else ""
    first, last = spans.bounds(spans.joined(part.write, part.export))
    return {
        "salvaged": part.exported + part.written,
        "exported": part.exported,
        "side_topic": part.written if done == actions.SIDE_TOPIC else 0,
        "replayed": part.written if done == actions.REPLAY else 0,
        "skipped": part.skipped,
        "superseded": spans.count(part.superseded),
        "already": spans.count(part.already),
        "expired": part.choice.expired,
        "first": first,
        "last": last,
        "bytes": part.bytes,
        "range": list(part.pair.source_range),
        "exported_offsets": [] if part.action == actions.NONE else part.export.tolist(),
        "offset_map": OffsetRows((part.pair.result or {}).get("offset_map", [])).rows.tolist(),
        # What is not proven to be there is not mapped.
        "written_map": part.known.mapping(part.work.target_topic) if done and not part.reasons else [],
    }


def short(salvage_report: dict[str, Any]) -> dict[str, Any]:
    """The topics without what is as long as the differences are many."""
    return _without(salvage_report, LONG)


def for_directory(salvage_report: dict[str, Any]) -> dict[str, Any]:
    """What stands beside the files. By the offsets, a later run knows what it may replace."""
    return {
        **{key: salvage_report[key] for key in ("source", "target", "began", "complete", "reasons")},
        "topics": _without(salvage_report, MAPS),
    }


def _without(salvage_report: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {
        name: {
            **topic,
            "partitions": {
                number: {key: value for key, value in part.items() if key not in names}
                for number, part in topic["partitions"].items()
            },
        }
        for name, topic in salvage_report["topics"].items()
    }
