# SPDX-License-Identifier: GPL-3.0-or-later
"""Name what the target has otherwise than the source, as a proof names it, up to the last record that both have."""

from __future__ import annotations

from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.records import Records
from .._digest.shapes import Block
from .._errors import KafkaDrError
from .._proof import align, classify
from .._proof.found import Found
from .._proof.sides import KafkaSide
from .lookup import Lookup
from .state import Difference, Span
from .track import Track

# Records that are read again for the names of the fields that differ.
FIELDS = 100000
# Stretches of a side that are read for it.
RANGES = 100
# Differences of one partition that are kept; beyond them it is watched no longer.
MOST = 1000
# Records of one side that are aligned at once.
ALIGNED = 4000000


def lacks(track: Track, mirrored_through: int | None) -> bool:
    """Whether the target does not have what the mirror says it has copied."""
    if mirrored_through is None or track.part.begins is None or not track.target_whole:
        return False
    return len(track.pending) > 0 and int(track.pending.offset[0]) < mirrored_through


def judge(track: Track, source: KafkaSide, target: KafkaSide, mirrored_through: int | None, now_ms: int) -> bool:
    """Account for what differs; returns whether anything was judged.

    :param mirrored_through: source offset below which the target has everything that was copied, known before the
        target was looked at; None where it is not known.
    """
    if max(len(track.pending), len(track.fresh)) > ALIGNED:
        track.stop(f"more than {ALIGNED} records differ from source offset {track.part.examined[0]} on")
        return True
    lookup = Lookup(source, target, track)
    left_before = len(track.fresh)
    if left_before:
        _take_copies(track, lookup, now_ms, track.source_whole)
    blocks = align.blocks(track.pending.digest(), track.fresh.digest())
    left, right = _extent(track, blocks, mirrored_through)
    if not left and not right:
        track.tried = track.reached
        return len(track.fresh) < left_before
    found = _classified(track, source, target, blocks, left, right, lookup)
    track.part.duplicates += found.counts["duplicated"]
    faults = _faults(track, blocks, found, now_ms)
    if len(faults) + len(track.faults) > MOST:
        track.stop(f"more than {MOST} differences, the last ones from source offset {track.part.examined[0]} on")
        return True
    track.found += faults
    track.faults += faults
    track.part.differences += len(faults)
    track.confirm(blocks, left, right, now_ms)
    track.unsettled = None
    return True


def _faults(track: Track, blocks: list[Block], found: Found, now_ms: int) -> list[Difference]:
    # A further copy may stand before the record that it is one of; nothing is told of what follows by itself.
    copies = [run["target_offset"] for run in found.runs if run["kind"] == "duplicated"]
    differences = [run for run in found.runs if run["kind"] != "duplicated"]
    return [_difference(track, blocks, number, run, copies, now_ms) for number, run in enumerate(differences)]


def take_copies(track: Track, source: KafkaSide, target: KafkaSide, now_ms: int) -> None:
    """Account for the further copies that the target goes on with, whatever follows them."""
    _take_copies(track, Lookup(source, target, track), now_ms, True)


def _take_copies(track: Track, lookup: Lookup, now_ms: int, whole: bool) -> None:
    """Account for what the target begins with as long as it goes on as the source does, with further copies of records
    that it had before in between.

    It is done first, since between twins alignment may take a copy for a record that moved, and so that what is proven
    ends at the first fault and not before the copies.
    """
    # Only so many can follow one another on the target.
    wanted, held = track.pending.digest()[: len(track.fresh)].tolist(), track.fresh.digest().tolist()
    pairs: list[tuple[int, int]] = []
    extras: list[int] = []
    for at, digest in enumerate(held):
        if len(pairs) < len(wanted) and digest == wanted[len(pairs)]:
            pairs.append((len(pairs), at))
        else:
            extras.append(at)
    strange = sorted({held[at] for at in extras} - set(wanted[: len(pairs)]))
    before = {digest for digest, known in zip(strange, lookup.before(strange), strict=True) if known}
    right = len(held) if whole else (pairs[-1][1] + 1 if pairs else 0)
    while True:
        pairs = [pair for pair in pairs if pair[1] < right]
        known = before.union(wanted[: len(pairs)])
        cut = next((at for at in extras if at < right and held[at] not in known), right)
        if cut == right:
            break
        right = cut
    if right:
        track.part.duplicates += right - len(pairs)
        track.confirm(_joined(pairs), len(pairs), right, now_ms)


def _joined(pairs: list[tuple[int, int]]) -> list[Block]:
    """Matched records as runs."""
    blocks: list[Block] = []
    for i, j in pairs:
        if blocks and (blocks[-1][0] + blocks[-1][2], blocks[-1][1] + blocks[-1][2]) == (i, j):
            blocks[-1] = (*blocks[-1][:2], blocks[-1][2] + 1)
        else:
            blocks.append((i, j, 1))
    return blocks


def _extent(track: Track, blocks: list[Block], mirrored_through: int | None) -> tuple[int, int]:
    """How many records of either side can be judged: those before the last pair that matches, of the source also those
    that the mirror says it has copied, of the target all where the source has nothing that was not read.
    """
    left, right = (blocks[-1][0] + blocks[-1][2], blocks[-1][1] + blocks[-1][2]) if blocks else (0, 0)
    if track.source_whole:
        right = len(track.fresh)
    if mirrored_through is not None and track.target_whole:
        left = max(left, int(np.searchsorted(track.pending.offset, mirrored_through)))
    return left, right


def _classified(
    track: Track, source: KafkaSide, target: KafkaSide, blocks: list[Block], left: int, right: int, lookup: Lookup
) -> Found:
    # Those that were matched are nothing to name, and their fields nothing to read.
    rests = _rest(left, [(i, count) for i, dummy, count in blocks]), _rest(right, [(j, n) for dummy, j, n in blocks])
    lost, extra = track.pending.take(rests[0]), track.fresh.take(rests[1])
    topic, number = track.place
    if len(lost) + len(extra) <= FIELDS:
        lost = _with_fields(source, topic, number, lost)
        extra = _with_fields(target, track.part.target_topic, number, extra)
    # The records before were matched: nothing here is a head.
    shifted = [(0, 0, 1), *((i + 1, j + 1, count) for i, j, count in blocks)]
    places = rests[0] + 1, rests[1] + 1
    return classify.classify(lost, extra, *places, shifted, find=lambda digests: lookup.find(digests, left))


def _rest(end: int, matched: list[tuple[int, int]]) -> np.ndarray:
    """Places below an end that no run holds."""
    rest = np.ones(end, bool)
    for first, count in matched:
        rest[first : first + count] = False
    return np.flatnonzero(rest)


def _with_fields(side: KafkaSide, topic: str, number: int, records: Records) -> Records:
    """The same records with the digests of their fields, where they can still be read, and not too much between them
    has to be read too.
    """
    ranges = _ranges(records.offset)
    if not ranges or len(ranges) > RANGES or sum(high - low for low, high in ranges) > FIELDS:
        return records
    try:
        again = Records.join(side.records(topic, number, ranges))
    except KafkaDrError:
        return records
    again = again.take(np.isin(again.offset, records.offset))
    same = np.array_equal(again.offset, records.offset) and np.array_equal(again.digest(), records.digest())
    return again if same else records


def _ranges(offsets: np.ndarray) -> list[tuple[int, int]]:
    """Ranges that hold ascending offsets, with little between: one if they lie near each other."""
    if not len(offsets):
        return []
    near = FIELDS if offsets[-1] - offsets[0] < FIELDS else FIELDS // RANGES
    cuts = np.flatnonzero(np.diff(offsets) > near) + 1
    firsts, lasts = offsets[np.append(0, cuts)].tolist(), offsets[np.append(cuts, len(offsets)) - 1].tolist()
    return [(first, last + 1) for first, last in zip(firsts, lasts, strict=True)]


def _difference(
    track: Track, blocks: list[Block], number: int, run: dict[str, Any], copies: list[int], now_ms: int
) -> Difference:
    held = [*copies, *([] if run["target_offset"] is None else [run["target_offset"]])]
    ends, matched = _before(track, blocks, run["source_offset"], min(held, default=None))
    return Difference(
        *track.place,
        number=track.part.differences + number,
        # The clock may have been set back, as by a move to another machine.
        found_at=max(now_ms, track.part.since),
        ends=ends,
        matched=track.part.matched + matched,
        **run,
    )


def _before(track: Track, blocks: list[Block], source: int | None, target: int | None) -> tuple[Span, int]:
    """Where the matched records end that lie before a fault on both sides, and how many of them are new."""
    ends, matched = track.part.examined, 0
    for i, j, count in blocks:
        lefts, rights = track.pending.offset[i : i + count], track.fresh.offset[j : j + count]
        before = count
        if source is not None:
            before = min(before, int(np.searchsorted(lefts, source)))
        if target is not None:
            before = min(before, int(np.searchsorted(rights, target)))
        if before:
            ends, matched = (int(lefts[before - 1]) + 1, int(rights[before - 1]) + 1), matched + before
        if before < count:
            break
    return ends, matched
