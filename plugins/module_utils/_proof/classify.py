# SPDX-License-Identifier: GPL-3.0-or-later
"""Name what two sequences do not have in common.

Of what alignment left over:

- A digest that is left on both sides was moved: ``reordered``.
- An extra record on the target is ``duplicated`` where the source holds its digest (the target has more copies),
  ``beyond`` where the source holds it beyond its bound, ``aborted`` where the source holds it uncommitted.
- A lost and an extra record in the same place that agree in a field are one ``altered`` record.
- Other lost records are ``missing``, at the head, at the tail or in between by their place among the matched; at the
  tail and beyond what the mirror had copied they are ``lost``. Other extra records are ``foreign``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.records import Records
from .._digest.shapes import Block
from . import align
from .altered import Unmatched, altered
from .found import Found

KNOWN, LATER, ABORTED = 1, 2, 4
# From digests of extras to what the source has of them, as bits of the above.
Find: TypeAlias = Callable[["np.ndarray"], "np.ndarray"]


def classify(
    source: Records,
    target: Records,
    source_ordinals: np.ndarray,
    target_ordinals: np.ndarray,
    blocks: list[Block],
    timestamps: bool = True,
    find: Find | None = None,
    head_gone: bool = False,
    source_started: int = 0,
    mirrored_through: int | None = None,
) -> Found:
    """Name the differences of one partition.

    :param source, target: records of the stretches that differ; ``*_ordinals``: their places in the whole sequences.
    :param blocks: all matched (source ordinal, target ordinal, count), ascending.
    :param find: says of digests of extras what the source has: KNOWN within bounds, LATER beyond them, ABORTED (bits,
        as array).
    :param head_gone: whether deletion at the head of the copy is known of.
    :param source_started: the source's log start.
    :param mirrored_through: source offset below which everything had been copied; None where that is not known.
    """
    found, place = Found(), np.array(blocks, np.int64).reshape(-1, 3)
    lost = Unmatched(source, source_ordinals).take(_outside(source_ordinals, place[:, 0], place[:, 2]))
    extra = Unmatched(target, target_ordinals).take(_outside(target_ordinals, place[:, 1], place[:, 2]))

    i, j = align.occurrences(lost.records.digest(timestamps), extra.records.digest(timestamps))
    found.add("reordered", lost.records.offset[i], extra.records.offset[j], lost.records.timestamp[i])
    lost, extra = lost.without(i), extra.without(j)

    extra = _add_known(found, extra, place, find, timestamps)
    i, j, names = altered(lost, extra, place)
    found.add("altered", lost.records.offset[i], extra.records.offset[j], lost.records.timestamp[i], names)
    pairs = np.stack([lost.ordinals[i], extra.ordinals[j]], axis=1) if len(i) else np.empty((0, 2), np.int64)
    lost, extra = lost.without(i), extra.without(j)
    extra = _add_older(found, extra, place, source_started, timestamps, source_empty=not len(source))
    found.add("foreign", None, extra.records.offset, extra.records.timestamp)
    _add_missing(found, lost, bounds(place, pairs), head_gone, mirrored_through)
    return found


def _add_known(found: Found, extra: Unmatched, place: np.ndarray, find: Find | None, timestamps: bool) -> Unmatched:
    """Name extras that the source holds somewhere; returns those that it does not."""
    if not len(extra.records):
        return extra
    code = find(extra.records.digest(timestamps)) if find else np.zeros(len(extra.records), np.int8)
    at_tail = extra.ordinals >= (place[-1, 1] + place[-1, 2] if len(place) else 0)
    duplicate = (code & KNOWN).astype(bool) & ~(at_tail & ((code & LATER) > 0))
    later = (code & LATER).astype(bool) & ~duplicate & at_tail
    aborted = (code & ABORTED).astype(bool) & ~duplicate & ~later
    offsets, stamps = extra.records.offset, extra.records.timestamp
    for kind, where in (("duplicated", duplicate), ("beyond", later), ("aborted", aborted)):
        found.add(kind, None, offsets[where], stamps[where])
    return extra.take(np.flatnonzero(~(duplicate | later | aborted)))


def _add_older(
    found: Found, extra: Unmatched, place: np.ndarray, source_started: int, timestamps: bool, source_empty: bool
) -> Unmatched:
    """Name extras that may be older than the source's log: before all that both have, and no more than there were
    offsets. What is one too many was copied twice, if it is among them twice. Returns those that nothing explains.
    """
    records = extra.records
    before = extra.ordinals < place[0, 1] if len(place) else np.full(len(records), source_empty)
    older = np.flatnonzero(before & (source_started > 0))
    twice = older[:0]
    if len(older) > source_started:
        dummy, first = np.unique(records.digest(timestamps)[older], return_index=True)
        twice = np.delete(older, first)[source_started - len(older) :]
        older = np.setdiff1d(older, twice)[:source_started]
    for kind, where in (("duplicated", twice), ("beyond", older)):
        found.add(kind, None, records.offset[where], records.timestamp[where])
    found.older_timestamps = records.timestamp[older]
    return extra.take(np.setdiff1d(np.arange(len(records)), np.concatenate([twice, older])))


def _add_missing(
    found: Found,
    lost: Unmatched,
    matched: tuple[int, int] | tuple[None, None],
    head_gone: bool,
    mirrored_through: int | None,
) -> None:
    """Name what the target lacks by its place among what is matched."""
    first, last = matched
    records = lost.records
    tail = lost.ordinals > last if last is not None else np.ones(len(records), bool)
    # A mirror copies in order: what lies before a record that was copied had been copied too, wherever the offset that
    # is known of stands.
    never = (
        tail & (records.offset >= mirrored_through) if mirrored_through is not None else np.zeros(len(records), bool)
    )
    head = (lost.ordinals < first if first is not None else np.full(len(records), head_gone)) & ~never
    tail &= ~head & ~never
    middle = ~head & ~tail & ~never
    for kind, where in (("missing_head", head), ("missing_tail", tail), ("lost", never), ("missing", middle)):
        found.add(kind, records.offset[where], None, records.timestamp[where])
    found.head_timestamps = records.timestamp[head]


def bounds(place: np.ndarray, pairs: np.ndarray) -> tuple[int, int] | tuple[None, None]:
    """Ordinals of the first and the last source record that has a counterpart; (None, None) if none has."""
    starts = np.concatenate([place[:, 0], pairs[:, 0]])
    ends = np.concatenate([place[:, 0] + place[:, 2] - 1, pairs[:, 0]])
    return (int(starts.min()), int(ends.max())) if len(starts) else (None, None)


def _outside(ordinals: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    if not len(starts):
        return np.ones(len(ordinals), bool)
    at = np.searchsorted(starts, ordinals, "right") - 1
    return (at < 0) | (ordinals >= starts[at] + counts[at])
