# SPDX-License-Identifier: GPL-3.0-or-later
"""Look at the records of one partition before any of them is written: what the target would not take, and what its
applications have written to the same keys since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import record
from .._digest.shapes import Progress
from .._kafka.offsets import list_offsets
from .._kafka.reader import columns, read
from .._proof.sides import KafkaSide
from . import keys, repeats, spans
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


class _Seen(NamedTuple):
    """What is wanted, as arrays that follow each other: offsets, keys (digests), and digests; and of what is not
    written, the offsets of what would expire, and what :meth:`.Work.unwritable` has.
    """

    offsets: list[Any]
    keys: list[Any]
    digests: list[Any]
    old: list[Any]
    unwritable: list[Any]


def plan(source: KafkaSide, target: KafkaSide, look: Look, progress: Progress) -> dict[str, Any]:
    """``write``, ``export``, ``superseded`` and ``already``, runs of offsets; and of those to export, those (``torn``)
    that follow a record of their key that a salvage has replayed.

    :raises KafkaDrError: the target would not take a record.
    """
    wanted, written = spans.as_runs(look.work.wanted), spans.as_runs(look.written)
    writes = look.work.action in WRITING
    replayed = repeats.replayed(target, look)
    seen = _read(source, look, wanted, written, progress, len(replayed) > 0)
    offsets, names, digests, old, unwritable = map(np.concatenate, seen)
    already = spans.without(spans.of_offsets(offsets[repeats.among(digests, replayed)]), written)
    wanted = spans.without(wanted, already)
    superseded = again = torn = spans.as_runs([])
    since = keys.Since(names[:0], names[:0], True)
    if look.compacted and len(offsets):
        since = _keys_since(target, look)
        again = spans.of_offsets(offsets[np.isin(names, since.others)])
        superseded = spans.both(spans.without(wanted, written), spans.both(again, spans.as_runs(look.older)))
    wanted = spans.without(wanted, superseded)
    if not writes:
        return _as_lists(write=superseded[:0], export=wanted, superseded=superseded, already=superseded[:0])
    todo = spans.without(wanted, written)
    # What an earlier run passed by stays passed by: its transactions went on behind it.
    passed = export = spans.within(todo, 0, look.following)
    if look.work.action == REPLAY:
        instead = _instead(look, again, since.whole, wanted)
        export = spans.joined(passed, spans.both(todo, spans.joined(instead, spans.of_offsets(old))))
        if look.compacted:
            there = spans.joined(spans.both(spans.of_offsets(offsets), written), already)
            export, torn = keys.together(keys.Keyed(offsets, names, there, todo, passed), export, since)
    write = spans.without(wanted, export)
    refuse_unwritable(look.work, unwritable, spans.without(write, written))
    return _as_lists(write=write, export=export, superseded=superseded, already=already, torn=torn)


def _instead(look: Look, again: Any, whole: bool, wanted: Any) -> Any:
    """What would, or might, put an older value over a newer one."""
    if not look.compacted:
        return spans.as_runs([])
    return spans.joined(again, spans.as_runs(look.older)) if whole and look.deletions_kept else wanted


def _as_lists(**runs: Any) -> dict[str, Any]:
    return {"torn": [], **{name: found.tolist() for name, found in runs.items()}}


def _read(source: KafkaSide, look: Look, wanted: Any, written: Any, progress: Progress, whole: bool) -> _Seen:
    """Look at each record. :param whole: with its digest."""
    work = look.work
    offset, digest, measures = np.empty(0, np.int64), np.empty(0, np.uint64), np.empty((0, 3), np.int64)
    seen = _Seen([offset], [digest], [digest], [offset], [measures])
    ranges = [(work.topic, work.partition, low, high) for low, high in spans.reading(wanted)]
    for dummy, messages in read(source.client, ranges, timeout=source.client.timeout, pace=source.pace):
        rows = list(zip(*columns(messages), strict=True))
        offsets, stamps = (np.array([row[at] for row in rows], np.int64) for at in range(2))
        inside = spans.holds(wanted, offsets)
        fresh = inside & ~spans.holds(written, offsets)
        taken = [row for row, is_wanted in zip(rows, inside.tolist(), strict=True) if is_wanted]
        seen.offsets.append(offsets[inside])
        if look.compacted:
            seen.keys.append(np.array([record.key_digest(row[2])[0] for row in taken], np.uint64))
        if whole:
            seen.digests.append(repeats.digests(taken))
        if work.action in WRITING:
            new = [row for row, is_new in zip(rows, fresh.tolist(), strict=True) if is_new]
            seen.unwritable.append(work.unwritable(new))
        seen.old.append(offsets[fresh & (stamps >= 0) & (stamps < look.expires_before)])
        size = sum(len(row[2] or b"") + len(row[3] or b"") for row in rows)
        source.pace.take(size)
        progress(len(rows), size)
    found = sum(map(len, seen.offsets))
    if found != spans.count(wanted):
        raise changed(work.name, source.name, spans.count(wanted), found)
    return seen


def _keys_since(target: KafkaSide, look: Look) -> keys.Since:
    place = (look.copy, look.work.partition)
    end = list_offsets(target.client, [place], gone="error")[place]
    start = list_offsets(target.client, [place], "start", gone="error")[place]
    low = max(look.since, start)
    runs = spans.as_runs(look.own)
    others, own = ([np.empty(0, np.uint64)] for dummy in range(2))
    if end > low:
        for records in target.scan(*place, low, end):
            ours = spans.holds(runs, records.offset)
            others.append(np.unique(records.key_high[~ours]))
            own.append(np.unique(records.key_high[ours]))
    return keys.Since(np.unique(np.concatenate(others)), np.unique(np.concatenate(own)), start <= look.since)
