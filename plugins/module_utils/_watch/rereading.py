# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare a stretch of the proven range once more: what was equal has to be equal still.

Nothing here reads the log. The stretch is followed and judged as new records are, by a :class:`.track.Track` of its
own, so that a fault has the same name whenever it is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .._digest.records import Records
from .._proof import align
from .._proof.shapes import Side
from . import judging
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


def reread(stretch: Stretch, source: Side, target: Side, known: Sequence[Difference], now_ms: int) -> Reread | None:
    """Compare a stretch.

    :param known: differences of these logs that were found before.
    :returns: None where a longer stretch is needed to tell.
    """
    track = _track(stretch)
    if track is None:
        return None
    last = stretch.whole or stretch.longest
    track.source_whole, track.target_whole = stretch.whole, last
    track.advance(now_ms, 0)
    # In a stretch that goes on, what one side has more of may follow on the other.
    while _differs(track, stretch.whole) and judging.judge(
        track, source, target, stretch.high[0] if last else None, now_ms
    ):
        track.advance(now_ms, 0)
    part = track.part
    if part.examined == stretch.low and not part.stopped and not last:
        return None
    certain = [fault for fault in track.found if not _may_be_copy(stretch, fault)]
    found = _numbered(stretch.part, _unknown(certain, known))
    return Reread(part.examined, part.matched, found, part.stopped)


def _differs(track: Track, whole: bool) -> bool:
    left, right = len(track.pending), len(track.fresh)
    return bool(left and right) or (whole and bool(left or right))


def _track(stretch: Stretch) -> Track | None:
    """A track of nothing but the stretch; None where it does not show what both logs begin with."""
    source, target, low = stretch.source, stretch.target, list(stretch.low)
    if stretch.source_passed or stretch.target_passed:
        blocks = align.blocks(source.digest(), target.digest())
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
    begins = low[0], low[1]
    of = stretch.part
    part = Confirmed(of.target_topic, of.source_id, of.target_id, begins=begins, through=begins, examined=begins)
    part.read, part.matched, part.source_tip = stretch.high[0], stretch.matched, of.source_tip
    return Track(stretch.place, part, pending=source, fresh=target, target_read=stretch.high[1], dirty=False)


def _unknown(found: Iterable[Difference], known: Sequence[Difference]) -> list[Difference]:
    """Faults that nobody has been told of: an accepted one is met again in each pass."""
    return [fault for fault in found if not any(_same(fault, other) for other in known)]


def _may_be_copy(stretch: Stretch, fault: Difference) -> bool:
    """Whether it may be a further copy of a record that the source has deleted since."""
    begins = stretch.part.begins or (0, 0)
    return fault.kind == "foreign" and stretch.part.duplicates > 0 and stretch.part.source_start > begins[0]


def _same(fault: Difference, other: Difference) -> bool:
    pairs = ((fault.source_offset, other.source_offset), (fault.target_offset, other.target_offset))
    within = [
        mine is not None and theirs is not None and theirs <= mine < theirs + max(1, other.count)
        for mine, theirs in pairs
    ]
    return any(within)


def _numbered(part: Confirmed, found: list[Difference]) -> list[Difference]:
    for number, fault in enumerate(found, part.differences):
        fault.number = number
    return found
