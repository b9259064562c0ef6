# SPDX-License-Identifier: GPL-3.0-or-later
"""Show that what was written is what the source holds: both are read again, and their digests compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import batch, chunks
from .._digest.shapes import Progress
from .._kafka.deciding import await_decided
from .._kafka.offsets import list_offsets
from .._kafka.reader import columns, read
from .._proof.sides import KafkaSide
from . import spans
from .writing import Work


@dataclass(frozen=True)
class Claim:
    """One partition that was written, by the entries of its transactions.

    :ivar source, target: runs of offsets on both sides. :ivar timestamps: whether the target keeps them.
    :ivar since: where the copy ended, of a compacted topic that was replayed to; None of any other.
    """

    work: Work
    source: list[list[int]]
    target: list[list[int]]
    timestamps: bool
    since: int | None = None


def prove(source: KafkaSide, target: KafkaSide, claim: Claim, progress: Progress) -> dict[str, Any]:
    """``equal``, ``records`` as the target has them, ``bytes`` of their keys and values, ``covered``, how many keys
    others had written before an older record of them was replayed, and ``unseen``, up to which offset what they wrote
    is gone.

    :raises KafkaDrError: a side could not be read.
    """
    work = claim.work
    last = spans.bounds(spans.as_runs(claim.target))[1]
    if last is not None:
        await_decided(
            target.client,
            (work.target_topic, work.partition),
            last + 1,
            target.client.timeout,
            f"What was written to {work.target_topic}-{work.partition} on {target.name} cannot be read",
            "and run this again: no record is written twice",
        )
    held = _digest(source, (work.topic, work.partition), spans.as_runs(claim.source), claim, progress, expected=True)
    copy = _digest(target, (work.target_topic, work.partition), spans.as_runs(claim.target), claim, progress)
    covered, unseen = (0, 0) if claim.since is None or last is None else _covered(target, claim, last + 1)
    return {
        "equal": chunks.equal(held, copy),
        "expected": held.count,
        "records": copy.count,
        "bytes": held.size,
        "covered": covered,
        "unseen": unseen,
    }


def _covered(side: KafkaSide, claim: Claim, end: int) -> tuple[int, int]:
    """Keys of which a replayed record lies behind one of others, who wrote it once the keys had been looked at; and
    where the log starts, if retention has taken some of what they wrote.
    """
    runs, log, since = spans.as_runs(claim.target), (claim.work.target_topic, claim.work.partition), claim.since or 0
    start = list_offsets(side.client, [log], "start", gone="error")[log]
    keys, ours, offsets = [np.empty(0, np.uint64)], [np.empty(0, bool)], [np.empty(0, np.int64)]
    for records in side.scan(*log, max(start, since), end) if start < end else ():
        keys.append(records.key_high)
        ours.append(spans.holds(runs, records.offset))
        offsets.append(records.offset)
    names, which = np.unique(np.concatenate(keys), return_inverse=True)
    own, place = np.concatenate(ours), np.concatenate(offsets)
    last, first = np.full(len(names), -1, np.int64), np.full(len(names), end, np.int64)
    np.maximum.at(last, which[own], place[own])
    np.minimum.at(first, which[~own], place[~own])
    return int((first < last).sum()), start if start > since else 0


def _digest(
    side: KafkaSide, place: tuple[str, int], runs: Any, claim: Claim, progress: Progress, expected: bool = False
) -> chunks.Chunks:
    """Chunks of the records at these offsets.

    :param expected: with the headers that they have in the target.
    """
    digester = batch.Digester(claim.timestamps)
    ranges = [(*place, low, high) for low, high in spans.reading(runs)]
    for dummy, messages in read(side.client, ranges, timeout=side.client.timeout, pace=side.pace):
        rows = list(zip(*columns(messages), strict=True))
        keep = spans.holds(runs, [row[0] for row in rows]).tolist()
        kept = [row for row, inside in zip(rows, keep, strict=True) if inside]
        before = digester.bytes
        if kept:
            offsets, stamps, keys, values, headers = map(list, zip(*kept, strict=True))
            if expected:
                headers = [claim.work.headers(*pair) for pair in zip(offsets, headers, strict=True)]
            digester.add(offsets, stamps, keys, values, headers)
        side.pace.take(digester.bytes - before)
        progress(len(rows), digester.bytes - before)
    return digester.chunks()
