# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what is proven once more, by and by, so that a record that a disk or a person has changed since is found.

A pass over a partition goes from where its proven range begins, or from where both logs begin now, to where the range
ends. Its place is kept in the state, so that a pass goes on after the watch was started again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from .._digest.records import Records
from .._kafka.read_events import RangeGoneError
from .._proof.sides import KafkaSide
from . import judging
from .rereading import Reread, Stretch, reread
from .state import Difference, Partition, Span
from .track import Track

DAY = 86400
# Offsets of either side that are read at once; more only where a stretch cannot be judged.
PORTION, MOST = 100000, 4000000
# Seconds of a round that it may take.
SECONDS = 1.0
APART = "it is not reread today: from where retention left the two logs they have too few records in common"


class Scrubber:
    """Rereads proven ranges at the pace that lets each pass take so many days.

    :param days: of a pass over everything; 0 for never.
    """

    def __init__(self, source: KafkaSide, target: KafkaSide, days: float) -> None:
        self.source, self.target, self.days = source, target, days
        self._last = time.monotonic()
        self._allowed = 0.0
        self._apart: dict[tuple[Partition, str, str], float] = {}

    def step(
        self, tracks: Iterable[Track], differences: Mapping[Partition, Sequence[Difference]], now_ms: int, now: float
    ) -> None:
        """Reread what has become due since the last call. What it finds is in the tracks.

        :param differences: those found before, by partition. :param now: seconds of the monotonic clock.
        :raises KafkaDrError: a side does not answer.
        """
        if not self.days:
            return
        self._apart = {logs: since for logs, since in self._apart.items() if now - since < DAY}
        wanted = {track.place: track for track in tracks if _has_proven(track) and _logs(track) not in self._apart}
        total = sum(track.part.through[0] - _lowest(track) for track in wanted.values())
        self._allowed = min(self._allowed + (now - self._last) * total / (self.days * DAY), float(total))
        self._last = now
        while wanted and time.monotonic() - now < SECONDS:
            track = min(wanted.values(), key=_order)
            source, dummy, dummy, until = _cursor(track)
            if self._allowed < min(PORTION, max(1, until - max(source, _lowest(track)))):
                return
            read = self._portion(track, differences.get(track.place, ()), now_ms)
            self._allowed -= max(1, read)
            if not read or not _has_proven(track):
                del wanted[track.place]

    def _portion(self, track: Track, known: Sequence[Difference], now_ms: int) -> int:
        """Reread one stretch of a partition; how many offsets of the source were read, 0 where it has to wait."""
        log_starts = self._starts(track)
        if log_starts is None:
            # The next survey says what became of the topic.
            return 0
        source, target, matched, until = _cursor(track)
        passed = log_starts[0] > source, log_starts[1] > target
        track.part.source_start = max(track.part.source_start, log_starts[0])
        low = max(source, log_starts[0]), max(target, log_starts[1])
        if any(passed):
            low = self._beside(track, low, passed)
        if _done(track, low, until) or log_starts[1] >= track.part.through[1]:
            return self._ended(track, now_ms)
        length = PORTION
        while True:
            stretch = self._stretch(track, low, length, matched, passed)
            found = reread(stretch, self.source, self.target, known, now_ms) if stretch else None
            if found is not None and stretch is not None:
                # What retention or another log under the same name makes of it is no fault.
                sure = not found.found or (self._starts(track) == log_starts and self._same_logs(track))
                return self._take(track, stretch, found, until, now_ms) if sure else 0
            if stretch is None or stretch.longest or stretch.whole:
                break
            length = min(MOST, length * 4)
        if stretch is not None:
            self._apart[_logs(track)] = time.monotonic()
            if APART not in track.part.notes[-1:]:
                track.note(APART)
        return 0

    def _starts(self, track: Track) -> Span | None:
        """Where the logs of both sides begin now; None where one of them is gone."""
        copy = track.part.target_topic, track.place[1]
        starts = self.source.starts([track.place]), self.target.starts([copy])
        return (starts[0][track.place], starts[1][copy]) if track.place in starts[0] and copy in starts[1] else None

    def _same_logs(self, track: Track) -> bool:
        """Whether the record that was read last is still there on both sides: a topic may have been made again, or a
        log cut, since the round looked; the next one says so.
        """
        tips = (
            (self.source, track.place[0], track.part.source_tip),
            (self.target, track.part.target_topic, track.part.target_tip),
        )
        for side, topic, tip in tips:
            if tip is None:
                continue
            place = topic, track.place[1]
            if side.ends([place]).get(place, 0) <= tip.offset:
                return False
            try:
                (found,) = side.records(*place, [(tip.offset, tip.offset + 1)], keep="content")
            except RangeGoneError:
                return False
            if found.digest().tolist() != [tip.digest]:
                return False
        return True

    def _beside(self, track: Track, low: Span, passed: tuple[bool, bool]) -> Span:
        """Where to look for the record that the other log begins with now: not before the first one that is as old."""
        topic, number = track.place
        copy = track.part.target_topic
        source, target = low
        if passed[0]:
            target = max(
                target, self._as_old(self.target, copy, number, self._first(self.source, topic, number, low[0]))
            )
        if passed[1]:
            source = max(
                source, self._as_old(self.source, topic, number, self._first(self.target, copy, number, low[1]))
            )
        return source, target

    @staticmethod
    def _first(side: KafkaSide, topic: str, number: int, low: int) -> int:
        """Milliseconds of the first record from an offset on; 0 where the next ones are none."""
        high = min(low + 100, side.ends([(topic, number)]).get((topic, number), low))
        if high <= low:
            return 0
        try:
            (records,) = side.records(topic, number, [(low, high)], keep="content")
        except RangeGoneError:
            return 0
        return int(records.timestamp[0]) if len(records) else 0

    @staticmethod
    def _as_old(side: KafkaSide, topic: str, number: int, moment: int) -> int:
        return side.offset_at((topic, number), moment) or 0 if moment > 0 else 0

    def _stretch(self, track: Track, low: Span, length: int, matched: int, passed: tuple[bool, bool]) -> Stretch | None:
        through = track.part.through
        high = min(through[0], low[0] + length), min(through[1], low[1] + length)
        both = self._read(track, low, high)
        if both is None:
            return None
        return Stretch(
            track.place, track.part, *both, low, high, matched, *passed, whole=high == through, longest=length >= MOST
        )

    def _read(self, track: Track, low: Span, high: Span) -> tuple[Records, Records] | None:
        """The stretch on both sides; None where retention took some of it meanwhile, or a log ends before it."""
        place, copy = track.place, (track.part.target_topic, track.place[1])
        if self.source.ends([place]).get(place, 0) < high[0] or self.target.ends([copy]).get(copy, 0) < high[1]:
            return None
        try:
            (source,) = self.source.records(*place, [(low[0], high[0])], keep="content")
            (target,) = self.target.records(*copy, [(low[1], high[1])], keep="content")
        except RangeGoneError:
            return None
        return source, target

    def _take(self, track: Track, stretch: Stretch, found: Reread, until: int, now_ms: int) -> int:
        part = track.part
        part.scrub_at, track.dirty = [*found.ends, found.matched, until], True
        if found.stopped or len(track.faults) + len(found.found) > judging.MOST:
            track.stop(
                found.stopped or f"more than {judging.MOST} differences, the last ones in what was proven before"
            )
        elif found.found:
            track.blame(found.found)
            track.note(f"{len(found.found)} differences in what was proven before, found when it was read again")
        elif _done(track, found.ends, until):
            self._ended(track, now_ms)
        return stretch.high[0] - stretch.low[0]

    def _ended(self, track: Track, now_ms: int) -> int:
        """A pass has come to its end."""
        track.part.scrub_at, track.part.scrubbed, track.dirty = None, now_ms, True
        return 1


def _has_proven(track: Track) -> bool:
    """Whether there is something to reread: behind a difference nothing is proven, and before it all is named."""
    part = track.part
    proven = part.stopped is None and bool(part.target_id) and part.begins is not None and not track.held
    return proven and part.through[0] > _lowest(track)


def _lowest(track: Track) -> int:
    """The first offset of the proven range that the source still has."""
    return max((track.part.begins or (0, 0))[0], track.part.source_start)


def _cursor(track: Track) -> tuple[int, int, int, int]:
    """Where the pass goes on: offsets of source and target, how many records were matched before them, and the offset
    of the source at which it ends. That is fixed: what is proven may grow faster than it is reread.
    """
    begins = track.part.begins or (0, 0)
    source, target, matched, until = track.part.scrub_at or (*begins, 0, track.part.through[0])
    return source, target, matched, until


def _done(track: Track, ends: Span, until: int) -> bool:
    """Whether a pass that came so far is at its end: of what ends with the proven range, both sides have to be."""
    through = track.part.through
    return ends[0] >= until and (until < through[0] or ends[0] > through[0] or ends[1] >= through[1])


def _logs(track: Track) -> tuple[Partition, str, str]:
    return track.place, track.part.source_id, track.part.target_id


def _order(track: Track) -> tuple[bool, int, Partition]:
    """A pass that has begun first, then the oldest."""
    return track.part.scrub_at is None, track.part.scrubbed or 0, track.place
