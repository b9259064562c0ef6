# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report says of the standing proof: ``report.watch``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .._values.moment import AHEAD_SECONDS
from .expiring import vanished
from .figures import RoundFigures, TopicFigures
from .reasons import EXPECTED, UNASKED, UNSEEN
from .state import Confirmed, Difference, Partition, WatchState

NAMED = 100
# Above so many partitions, what is proven is told by topic.
PARTITIONS_NAMED = 2000


def summarise(
    state: WatchState, ends: Mapping[Partition, int] | None = None, now_ms: int | None = None
) -> dict[str, Any]:
    """``report.watch``.

    :param ends: last stable offsets of the source, where they are known: offsets that no round has read count as
        unproven too.
    :param now_ms: milliseconds since the epoch, by which ages are told.
    """
    now = int(time.time() * 1000) if now_ms is None else now_ms
    known = (now - state.at) / 1000 >= -AHEAD_SECONDS
    open_ones = [found for found in state.standing_differences() if found.accepted is None]
    silent = (now - state.at) / 1000
    accepted = _accepted(state)
    stopped = [
        {"topic": topic, "partition": number, "reason": part.stopped}
        for (topic, number), part in sorted(state.partitions.items())
        if part.stopped
    ]
    return {
        "mirror": state.mirror,
        "at": state.at,
        "age_seconds": round(max(0, silent), 3) if known else None,
        "ahead_seconds": 0 if known else round(-silent, 3),
        "round": state.round,
        "proven_through": proven_through(state),
        "records": sum(part.records for part in state.partitions.values()),
        "duplicates": sum(part.duplicates for part in state.partitions.values()),
        **_unproven(state, ends or {}),
        "unproven_seconds": round(max(0, now - _unproven_since(state, ends or {})) / 1000, 3) if known else None,
        "scrubbed_at": scrubbed_at(state),
        "differences": [_difference(state.mirror, found) for found in open_ones[:NAMED]],
        "differences_left_out": max(0, len(open_ones) - NAMED),
        "differences_accepted": len(accepted),
        "accepted": accepted[-NAMED:],
        "stopped": stopped[:NAMED],
        "stopped_left_out": max(0, len(stopped) - NAMED),
        "topics_not_watched": [{"topic": name, "reason": why} for name, why in sorted(state.not_watched.items())],
    }


def _counted(state: WatchState) -> dict[Partition, Confirmed]:
    """Of a topic that is compacted, that was deleted, or that the watch is not asked for, nothing is waited for."""
    left = (*EXPECTED, UNASKED)
    return {place: part for place, part in state.partitions.items() if state.not_watched.get(place[0]) not in left}


def _unproven_since(state: WatchState, ends: Mapping[Partition, int]) -> int:
    """Milliseconds of the oldest record that is not proven. What came since the last round began is not, whatever it
    is.
    """
    oldest = [oldest_unproven(part, ends.get(place), state.at) for place, part in _counted(state).items()]
    return min([state.round_began(), *(moment for moment in oldest if moment is not None)])


def _unproven(state: WatchState, ends: Mapping[Partition, int]) -> dict[str, Any]:
    counted = _counted(state)
    parts = counted.values()
    return {
        "unproven_records": sum(unproven_records(part, ends.get(place)) for place, part in counted.items()),
        "never_compared": sum(part.left_unproven for part in parts),
        "undecided_records": sum(max(0, part.source_high - part.source_end) for part in parts),
        "vanished_records": sum(vanished(part) for part in parts),
    }


def unproven_records(part: Confirmed, end: int | None = None) -> int:
    """Source records that are not proven: never compared, waiting, or behind a difference.

    Where only offsets are known, each counts as a record.
    """
    beyond = max(0, max(end or 0, part.source_end, part.source_high) - part.read)
    return part.left_unproven + part.waiting + max(0, part.examined[0] - part.through[0]) + beyond


def scrubbed_at(state: WatchState) -> int | None:
    """When all that is proven was read again at last, in milliseconds: the oldest of all partitions whose source still
    holds something proven; None where there is none, or one was not read again yet.
    """
    moments = [
        part.scrubbed
        for (topic, dummy), part in state.partitions.items()
        if topic not in state.not_watched
        # Of what the source has deleted, nothing can be read again.
        and part.begins is not None
        and part.through[0] > max(part.begins[0], part.source_start)
    ]
    known = [moment for moment in moments if moment is not None]
    return min(known) if known and len(known) == len(moments) else None


def oldest_unproven(part: Confirmed, end: int | None = None, at: int = 0) -> int | None:
    """Milliseconds of the oldest source record beyond ``through``, or since when there may be one; None where there is
    none that a round could have seen. A timestamp counts where it is no later than the record was seen.

    :param end: as of :func:`unproven_records`. :param at: when the round ended of which the state is.
    """
    known = _known_since(part, end, at)
    # The watch's clock may be ahead; what it knew of was there when the round ended.
    return min([*known, at] if at else known) if known else None


def _known_since(part: Confirmed, end: int | None, at: int) -> list[int]:
    proven_at = part.proven_at or part.since
    # Nobody knows what the source got since it was looked at last.
    known = [] if part.looked_at is None else [part.looked_at or part.since]
    if part.through[0] < part.examined[0]:
        # Behind a difference nothing is proven, whatever was compared since.
        return [*known, proven_at]
    known += [moment for moment in (part.oldest_waiting, part.unread_since) if moment is not None]
    if part.waiting and part.oldest_waiting is None:
        # A former version kept no time of records without timestamps.
        known.append(proven_at)
    if part.source_end > part.read:
        # Of what was not read, nothing is known but what it follows.
        last = part.anchor["timestamp"] if part.anchor is not None else -1
        known.append(min(last, proven_at) if last >= 0 else part.since)
    if max(part.source_high, end or 0) > part.read:
        known.append(at)
    return known


def proven_through(state: WatchState) -> dict[str, Any]:
    """``{topic: {partition: [source, target]}}``, exclusive; of very many ``{topic: {partitions, records}}``.

    A partition of which nothing is proven is left out of the former, a topic that the watch cannot stand for of both.
    """
    found: dict[str, Any] = {}
    watched = {
        place: part for place, part in state.partitions.items() if state.not_watched.get(place[0]) in (None, *UNSEEN)
    }
    if len(watched) > PARTITIONS_NAMED:
        for (topic, dummy), part in sorted(watched.items()):
            row = found.setdefault(topic, {"partitions": 0, "records": 0})
            row["partitions"] += 1
            row["records"] += part.records
        return found
    for (topic, number), part in sorted(watched.items()):
        if part.begins is not None:
            found.setdefault(topic, {})[str(number)] = list(part.through)
    return found


def figures(state: WatchState, now_ms: int) -> RoundFigures:
    """Figures of a state; what only a running watch knows is left at its default."""
    topics: dict[str, TopicFigures] = {}
    began = state.round_began()
    for (topic, dummy), part in _counted(state).items():
        row = topics.setdefault(topic, TopicFigures())
        row.unproven_records += unproven_records(part)
        moment = oldest_unproven(part, at=state.at)
        age = max(0, now_ms - min(began, began if moment is None else moment)) / 1000
        row.proven_age_seconds = max(row.proven_age_seconds, age)
    for found in state.standing_differences():
        if found.accepted is None:
            topics.setdefault(found.topic, TopicFigures()).differences += 1
    return RoundFigures(
        mirror=state.mirror,
        at=state.at,
        proven_age_seconds=max(0, now_ms - _unproven_since(state, {})) / 1000,
        unproven_records=sum(row.unproven_records for row in topics.values()),
        differences=sum(row.differences for row in topics.values()),
        stopped=sum(1 for part in state.partitions.values() if part.stopped),
        mirror_lag_records=sum(part.waiting for part in state.partitions.values()),
        seconds=state.seconds,
        scrubbed_at=scrubbed_at(state),
        topics=topics,
    )


def _accepted(state: WatchState) -> list[dict[str, Any]]:
    """What was accepted, the last one last."""
    found = [
        {**_difference(state.mirror, difference), "accepted": difference.accepted}
        for difference in state.differences
        if difference.accepted is not None
    ]
    return sorted(found, key=lambda row: row["accepted"]["at"])


def describe(mirror: str, found: Difference) -> str:
    """A difference in a line, its id first."""
    where = [
        f"{side} offset {offset}"
        for side, offset in (("source", found.source_offset), ("target", found.target_offset))
        if offset is not None
    ]
    return f"{found.id(mirror)}: {found.kind} x{found.count} at {', '.join(where) or 'an unknown offset'}"


def _difference(mirror: str, found: Difference) -> dict[str, Any]:
    return {
        "id": found.id(mirror),
        "text": describe(mirror, found),
        "topic": found.topic,
        "partition": found.partition,
        "kind": found.kind,
        "source_offset": found.source_offset,
        "target_offset": found.target_offset,
        "timestamp": found.timestamp,
        "field": found.field,
        "count": found.count,
        "found_at": found.found_at,
    }
