# SPDX-License-Identifier: GPL-3.0-or-later
"""Look at the records of one partition before any of them is written: what the target would not take, and what its
applications have written to the same keys since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import record
from .._digest.shapes import Progress
from .._kafka.offsets import list_offsets
from .._kafka.reader import columns, read
from .._proof.sides import KafkaSide
from . import repeats, spans
from .actions import REPLAY, WRITING
from .writing import Work, changed, refuse_unwritable


@dataclass(frozen=True)
class Look:
    """One partition to look at. It travels to where the data is read.

    :ivar work: with all offsets that the target never got as ``wanted``.
    :ivar copy: the topic of the copy in the target.
    :ivar older: see :class:`.choice.Choice`. :ivar written: runs of offsets that an earlier run wrote.
    :ivar following: the offset from which the writing goes on; 0 before it began.
    :ivar compacted: whether either side is compacted.
    :ivar since: the end of the copy, from which on applications have written there themselves.
    :ivar own: runs of the copy's offsets that a salvage wrote.
    :ivar others: runs of the copy's offsets that salvages of other regions have replayed since it ended.
    :ivar timestamps: whether the copy keeps records' times.
    :ivar deletions_kept: whether each key that applications have deleted since is still there as such.
    :ivar expires_before: what has an earlier time (milliseconds) the copy's retention would delete at once; 0 for none.
    """

    work: Work
    copy: str
    older: list[list[int]]
    written: list[list[int]]
    following: int
    compacted: bool
    since: int
    own: list[list[int]]
    others: list[list[int]]
    timestamps: bool
    deletions_kept: bool
    expires_before: int


def plan(source: KafkaSide, target: KafkaSide, look: Look, progress: Progress) -> dict[str, Any]:
    """``write``, ``export``, ``superseded`` and ``already``, runs of offsets.

    :raises KafkaDrError: the target would not take a record.
    """
    wanted, written = spans.as_runs(look.work.wanted), spans.as_runs(look.written)
    writes = look.work.action in WRITING
    replayed = repeats.replayed(target, look)
    offsets, keys, digests, old = _read(source, look, wanted, written, writes, progress, len(replayed) > 0)
    already = spans.without(spans.of_offsets(offsets[repeats.among(digests, replayed)]), written)
    wanted = spans.without(wanted, already)
    superseded = instead = spans.as_runs([])
    if look.compacted and len(offsets):
        since, whole = _keys_since(target, look)
        again = offsets[np.isin(keys, since)]
        superseded = spans.without(spans.both(spans.of_offsets(again), spans.as_runs(look.older)), written)
        if look.work.action == REPLAY:
            known = whole and look.deletions_kept
            instead = spans.as_runs([*spans.of_offsets(again).tolist(), *look.older]) if known else wanted
    if look.work.action == REPLAY:
        instead = spans.as_runs([*instead.tolist(), *spans.of_offsets(old).tolist()])
    wanted = spans.without(wanted, superseded)
    if not writes:
        return {"write": [], "export": wanted.tolist(), "superseded": superseded.tolist(), "already": []}
    # What an earlier run passed by stays passed by: its transactions went on behind it.
    passed = spans.without(spans.within(wanted, 0, look.following), written)
    export = spans.as_runs([*passed.tolist(), *spans.without(spans.both(wanted, instead), written).tolist()])
    write = spans.without(wanted, export)
    found = {"write": write, "export": export, "superseded": superseded, "already": already}
    return {name: runs.tolist() for name, runs in found.items()}


def _read(
    source: KafkaSide, look: Look, wanted: Any, written: Any, writes: bool, progress: Progress, whole: bool
) -> tuple[Any, Any, Any, Any]:
    """Offsets, keys (digests) and, if ``whole``, digests of what is wanted, and the offsets of what would expire, after
    a look at each record.
    """
    work = look.work
    found, digests, records = [np.empty(0, np.int64)], [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
    old = [np.empty(0, np.int64)]
    ranges = [(work.topic, work.partition, low, high) for low, high in spans.reading(wanted)]
    for dummy, messages in read(source.client, ranges, timeout=source.client.timeout, pace=source.pace):
        rows = list(zip(*columns(messages), strict=True))
        offsets = [row[0] for row in rows]
        inside = spans.holds(wanted, offsets)
        fresh = inside & ~spans.holds(written, offsets)
        size = sum(len(key or b"") + len(value or b"") for dummy, dummy2, key, value, dummy3 in rows)
        found.append(np.array(offsets, np.int64)[inside])
        if look.compacted:
            keys = [record.key_digest(row[2])[0] for row, taken in zip(rows, inside.tolist(), strict=True) if taken]
            digests.append(np.array(keys, np.uint64))
        if whole:
            records.append(repeats.digests([row for row, taken in zip(rows, inside.tolist(), strict=True) if taken]))
        for row, new in zip(rows, fresh.tolist(), strict=True):
            if writes and new:
                refuse_unwritable(work, *row)
        stamps = np.array([row[1] for row in rows], np.int64)
        old.append(np.array(offsets, np.int64)[fresh & (stamps >= 0) & (stamps < look.expires_before)])
        source.pace.take(size)
        progress(len(rows), size)
    every = np.concatenate(found)
    if len(every) != spans.count(wanted):
        raise changed(work.name, source.name, spans.count(wanted), len(every))
    return every, np.concatenate(digests), np.concatenate(records), np.concatenate(old)


def _keys_since(target: KafkaSide, look: Look) -> tuple[Any, bool]:
    """Digests of the keys of the copy's records that its applications have written, and whether none of these records
    was deleted by the copy's retention.
    """
    place = (look.copy, look.work.partition)
    end = list_offsets(target.client, [place], gone="error")[place]
    start = list_offsets(target.client, [place], "start", gone="error")[place]
    low = max(look.since, start)
    own = spans.as_runs(look.own)
    parts = [np.empty(0, np.uint64)]
    if end > low:
        for records in target.scan(*place, low, end):
            parts.append(np.unique(records.key_high[~spans.holds(own, records.offset)]))
    return np.unique(np.concatenate(parts)), start <= look.since
