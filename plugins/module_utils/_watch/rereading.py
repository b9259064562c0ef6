# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare a stretch of the proven range once more: what was equal has to be equal still.

Nothing here reads the log. The stretch is followed and judged as new records are, by a :class:`.track.Track` of its
own, so that a fault has the same name whenever it is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.records import Records
from .._digest.shapes import Block
from .._proof import align
from .._proof.sides import KafkaSide
from . import judging
from .known import unknown
from .state import Confirmed, Difference, Span
from .track import Track

# Neighbours that show, in a log with further copies, that it goes on as the other one does.
SURE = 32


@dataclass
class Stretch:
    """What was read of both sides from where the last stretch ended.

    :ivar place: of the source. :ivar part: as the state has it.
    :ivar low: first offsets of the stretch on source and target. :ivar high: exclusive ends.
    :ivar matched: how many records were matched before it.
    :ivar source_passed, target_passed: whether retention has passed where the last stretch ended, so that a side may
        begin with what the other one has deleted.
    :ivar whole: whether it ends where the proven range does. :ivar longest: whether it is as long as one may be.
    """

    place: tuple[str, int]
    part: Confirmed
    source: Records
    target: Records
    low: Span
    high: Span
    matched: int = 0
    source_passed: bool = False
    target_passed: bool = False
    whole: bool = False
    longest: bool = False


@dataclass
class Reread:
    """What a stretch shows.

    :ivar ends: where the next one begins. :ivar matched: how many records were matched before that.
    :ivar found: faults, numbered behind those that the partition has. :ivar stopped: why it cannot be judged.
    """

    ends: Span
    matched: int
    found: list[Difference]
    stopped: str | None = None


def reread(
    stretch: Stretch, source: KafkaSide, target: KafkaSide, known: Sequence[Difference], now_ms: int
) -> Reread | None:
    """Compare a stretch.

    :param known: differences of these logs that were found before.
    :returns: None where a longer stretch is needed to tell.
    """
    track = _track(stretch)
    if track is None:
        return None
    track.source_whole = track.target_whole = stretch.whole
    track.advance(now_ms, 0)
    if not stretch.whole:
        _leave_last_moment(track)
    _judge(track, source, target, stretch, now_ms)
    part = track.part
    if part.examined == stretch.low and not part.stopped:
        if not stretch.longest and not stretch.whole:
            return None
        # As many further copies in a row are passed over; if there is nothing of that kind, the target lacks all this.
        judging.take_copies(track, source, target, now_ms)
        if part.examined == stretch.low:
            track.target_whole = True
            _judge(track, source, target, stretch, now_ms)
    certain = [fault for fault in track.found if not _may_be_copy(stretch, fault)]
    found = _numbered(stretch.part, [new for fault in certain for new in _unknown(fault, known, stretch)])
    return Reread(part.examined, part.matched, found, part.stopped)


def _leave_last_moment(track: Track) -> None:
    """Leave the records of the last millisecond to the next stretch where the two differ: between twins that a stretch
    cuts apart, alignment takes the one for the other.
    """
    left, right = track.pending, track.fresh
    if not len(left) or not len(right):
        return
    kept = _before_last_moment(left), _before_last_moment(right)
    if all(kept):
        track.part.read, track.target_read = int(left.offset[kept[0]]), int(right.offset[kept[1]])
        track.pending, track.fresh = left.take(slice(0, kept[0])), right.take(slice(0, kept[1]))


def _before_last_moment(records: Records) -> int:
    others = np.flatnonzero(records.timestamp != records.timestamp[-1])
    return int(others[-1]) + 1 if len(others) else 0


def _judge(track: Track, source: KafkaSide, target: KafkaSide, stretch: Stretch, now_ms: int) -> None:
    # In a stretch that goes on, what one side has more of may follow on the other.
    through = stretch.high[0] if track.target_whole else None
    while _differs(track, track.target_whole) and judging.judge(track, source, target, through, now_ms):
        track.advance(now_ms, 0)


def _differs(track: Track, whole: bool) -> bool:
    left, right = len(track.pending), len(track.fresh)
    return bool(left and right) or (whole and bool(left or right))


def _track(stretch: Stretch) -> Track | None:
    """A track of nothing but the stretch; None where it does not show what both logs begin with."""
    source, target, low = stretch.source, stretch.target, list(stretch.low)
    of = stretch.part
    part = Confirmed(of.target_topic, of.source_id, of.target_id, since=of.since)
    part.read, part.matched, part.source_tip = stretch.high[0], stretch.matched, of.source_tip
    track = Track(stretch.place, part, pending=source, fresh=target, target_read=stretch.high[1], dirty=False)
    if stretch.source_passed or stretch.target_passed:
        if not stretch.whole:
            _leave_last_moment(track)
        elif (stretch.source_passed and not len(source)) or (stretch.target_passed and not len(target)):
            # All that the other side has is what this one deleted.
            part.begins = part.through = part.examined = stretch.low
            track.pending, track.fresh = Records(), Records()
            return track
        source, target = track.pending, track.fresh
        blocks = _late_blocks(source, target, stretch.whole)
        if stretch.target_passed and stretch.part.duplicates:
            # Its log may begin with a further copy of what it has deleted.
            blocks = [block for block in blocks if block[2] >= SURE]
        if not blocks and (stretch.target_passed or not stretch.whole):
            return None
        i, j = blocks[0][:2] if blocks else (0, 0)
        # Only what the other side may have deleted is left out.
        if stretch.target_passed and i:
            source, low[0] = source.take(slice(i, None)), int(source.offset[i])
        if stretch.source_passed and j:
            target, low[1] = target.take(slice(j, None)), int(target.offset[j])
    track.pending, track.fresh = source, target
    part.begins = part.through = part.examined = (low[0], low[1])
    return track


def _late_blocks(source: Records, target: Records, whole: bool) -> list[Block]:
    """What two stretches have in common, aligned from behind: of twins, it is the first ones that retention took.
    Nothing where no record shows which ones belong together.
    """
    left, right = source.digest(), target.digest()
    if not whole and not len(np.intersect1d(_single(left), _single(right), assume_unique=True)):
        return []
    # Two that differ, so that alignment does not begin at the other end too.
    apart = np.array([0, 1], np.uint64)
    backward = align.blocks(np.append(left[::-1], apart[:1]), np.append(right[::-1], apart[1:]))
    return [(len(left) - i - count, len(right) - j - count, count) for i, j, count in reversed(backward)]


def _single(digests: np.ndarray) -> np.ndarray:
    """Those that occur once."""
    values, counts = np.unique(digests, return_counts=True)
    return values[counts == 1]


def _unknown(fault: Difference, known: Sequence[Difference], stretch: Stretch) -> list[Difference]:
    """The runs of a fault that nobody has been told of: an accepted one is met again in each pass, and what has changed
    beside it makes one run with it.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], unknown(fault, known), [False]]).astype(np.int8))).tolist()
    return [_run(fault, stretch, low, high) for low, high in zip(edges[::2], edges[1::2], strict=True)]


def _run(fault: Difference, stretch: Stretch, low: int, high: int) -> Difference:
    """Some neighbours of a run of differences."""
    source = None if fault.source_offset is None else fault.source_offset + low
    target = None if fault.target_offset is None else fault.target_offset + low
    records, offset = (stretch.target, target) if source is None else (stretch.source, source)
    moment = next(iter(records.timestamp[records.offset == offset].tolist()), None)
    return replace(fault, source_offset=source, target_offset=target, timestamp=moment, count=high - low)


def _may_be_copy(stretch: Stretch, fault: Difference) -> bool:
    """Whether it may be a further copy of a record that the source has deleted since."""
    begins = stretch.part.begins or (0, 0)
    return fault.kind == "foreign" and stretch.part.duplicates > 0 and stretch.part.source_start > begins[0]


def _numbered(part: Confirmed, found: list[Difference]) -> list[Difference]:
    for number, fault in enumerate(found, part.differences):
        fault.number = number
    return found
