# SPDX-License-Identifier: GPL-3.0-or-later
"""Which proven records the target may have deleted by itself, known before they are gone.

Of a record that was deleted, nobody can tell any more whether its time had come. So a watch asks ahead: below which
offset has every record expired in ten minutes, in an hour, in a day? ``ListOffsets`` with a time answers with the first
record that is as young or younger, so that all before it are older (``LogSegment.findOffsetByTimestamp``). A log start
that passes that offset earlier was moved by somebody, or by the size of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .._kafka.offsets import list_offsets, offsets_at

if TYPE_CHECKING:
    import numpy as np

    from .._digest.shapes import Partition
    from .._kafka.client import KafkaClient
    from .state import Confirmed
    from .track import Track

MINUTE, HOUR = 60_000, 3_600_000
# A retention of a thousand years is none: no record is so old, whose time counts from 1970.
FOREVER = 365_000 * 24 * HOUR
# Milliseconds by which a record may be deleted before its time, at most: clocks of brokers differ, and the moments that
# are asked about lie so far apart.
EARLY = 30 * MINUTE
# How many moments ahead each look asks about, and how far ahead it asks once an hour.
SOON, TODAY = 6, 24 * HOUR
# Partitions that a round looks at.
AT_ONCE = 500
GONE_KEPT = 10


class Retention(NamedTuple):
    """What a topic's policy deletes: records older than so many milliseconds (None: none), and by the log's size."""

    milliseconds: int | None = None
    size: bool = False


KEEPS_ALL = Retention()


def retention(configs: dict[str, str | None]) -> Retention:
    """The retention of a topic, from its configs in effect."""
    # An empty policy is none.
    if "delete" not in (configs.get("cleanup.policy", "delete") or ""):
        return KEEPS_ALL
    milliseconds, size = (int(configs.get(name) or -1) for name in ("retention.ms", "retention.bytes"))
    return Retention(milliseconds if 0 <= milliseconds < FOREVER else None, size >= 0)


def longer(target: Retention, source: Retention) -> Retention:
    """What excuses that a copy is gone: what its own policy deletes before the source's would is missed there."""
    times = target.milliseconds, source.milliseconds
    return target._replace(milliseconds=None if None in times else max(time for time in times if time is not None))


def early(milliseconds: int) -> int:
    """By how much a record may be deleted before its time, where it is kept for so long."""
    return min(EARLY, max(MINUTE, milliseconds // 50))


def step(milliseconds: int) -> int:
    """How far apart the moments lie that each look asks about, which comes twice as often."""
    return min(10 * MINUTE, max(MINUTE, milliseconds // 50))


def soon(milliseconds: int) -> list[int]:
    """How far ahead each look asks, in milliseconds, where records are kept for so long."""
    return [step(milliseconds) * number for number in range(1, SOON + 1)]


def today(milliseconds: int) -> list[int]:
    """How far ahead a look asks once an hour; after the retention itself all that there is now has expired."""
    apart = early(milliseconds)
    return [*range(apart, min(TODAY, milliseconds) + apart, apart)]


def expired_below(part: Confirmed, kept: Retention, now_ms: int) -> int:
    """The target's offset below which nobody misses a proven record: it was seen to expire, was deleted when it was
    looked last, or the source has deleted it too. What lies between it and a later log start is not explained.

    :param kept: the target's retention now. What would have expired under a shorter one does not count.
    """
    asked, now_kept = part.expiring_for, kept.milliseconds
    known: list[int] = []
    if asked is not None and now_kept is not None and now_kept <= asked and not part.unstamped:
        known = [offset for moment, offset in part.expiring if moment <= now_ms + early(now_kept)]
    return max([part.begins[1] if part.begins else 0, part.target_start or 0, _left_by_source(part), *known])


def _on_source(part: Confirmed, offset: int) -> int:
    """The source's offset behind what the target had before one, as far as the offset map reaches back."""
    runs = [run for run in part.map_runs if run[1] <= offset]
    return runs[-1][0] + min(offset - runs[-1][1], runs[-1][2]) if runs else part.examined[0]


def _left_by_source(part: Confirmed) -> int:
    """The target's offset below which the source holds nothing any more, as far as the offset map reaches back."""
    if part.source_start >= part.through[0]:
        return part.through[1]
    runs = [run for run in part.map_runs if run[0] <= part.source_start]
    return runs[-1][1] + min(part.source_start - runs[-1][0], runs[-1][2]) if runs else 0


def note_start(track: Track, start: int, now_ms: int) -> None:
    """Take where the target's log begins now, and keep how many proven records vanished before their time."""
    part = track.part
    if part.target_start == start:
        return
    if part.target_start is not None and part.begins is not None and not track.retention.size:
        # What lies behind a difference may be proven once that is accepted.
        gone = min(start, part.examined[1]) - expired_below(part, track.retention, now_ms)
        if gone > 0:
            part.vanished = _bounded([*part.vanished, [gone, _on_source(part, start)]])
            track.note(f"{gone} proven offsets of the target were deleted before they had expired")
    part.target_start, track.dirty = start, True


def vanished(part: Confirmed) -> int:
    """Proven offsets that the target should still have and has deleted, as long as the source may hold them."""
    return sum(count for count, end in part.vanished if end > part.source_start)


def _bounded(rows: list[list[int]]) -> list[list[int]]:
    if len(rows) <= GONE_KEPT:
        return rows
    (count, end), (more, behind) = rows[:2]
    return [[count + more, max(end, behind)], *rows[2:]]


class ExpiryLook:
    """Asks the target ahead what is about to expire, of each partition every few minutes, or sooner."""

    def __init__(self, target: KafkaClient) -> None:
        self.target = target

    def step(self, tracks: Iterable[Track], high: Mapping[Partition, int], now_ms: int, now: float) -> None:
        """Look at those whose turn it is, a bounded number; what is found is in the tracks.

        :param high: high watermarks of the copies, read before. :param now: seconds of the monotonic clock.
        :raises KafkaDrError: the target does not answer.
        """
        due = [track for track in tracks if _expires(track) and now - track.looked_ahead >= _pause(track)]
        groups: dict[tuple[int, bool], list[Track]] = {}
        for track in sorted(due, key=lambda track: track.looked_ahead)[:AT_ONCE]:
            far = now - track.looked_far >= HOUR / 1000
            groups.setdefault((track.retention.milliseconds or 0, far), []).append(track)
        for (kept, far), group in groups.items():
            ahead = sorted({*soon(kept), *(today(kept) if far else ())})
            for track in self._look(group, high, ahead, now_ms):
                track.looked_ahead = now
                track.looked_far = now if far else track.looked_far

    def _look(
        self, tracks: Sequence[Track], high: Mapping[Partition, int], ahead: Sequence[int], now_ms: int
    ) -> list[Track]:
        """Those of the tracks of which something is known now."""
        by_copy = {track.copy: track for track in tracks if track.copy in high}
        starts = list_offsets(self.target, by_copy, "start")
        found: dict[Partition, list[list[int]]] = {copy: [] for copy in by_copy}
        for milliseconds in ahead:
            moment = now_ms + milliseconds
            asked = {copy: moment - (track.retention.milliseconds or 0) for copy, track in by_copy.items()}
            for copy, offset in offsets_at(self.target, asked).items():
                # No record is as young: all that there were when the high watermark was read have expired by then.
                found[copy].append([moment, high[copy] if offset is None else offset])
        again = list_offsets(self.target, by_copy, "start")
        # What was deleted meanwhile was not asked about.
        known = [copy for copy in by_copy if starts.get(copy) == again.get(copy) == by_copy[copy].part.target_start]
        for copy in known:
            take(by_copy[copy], found[copy], now_ms)
        return [by_copy[copy] for copy in known]


def take(track: Track, rows: Iterable[Sequence[int]], now_ms: int) -> None:
    """Keep what a look found, ascending, and of what is known for the present only the last."""
    part, now_kept = track.part, track.retention.milliseconds or 0
    start = part.target_start or 0
    lowest = expired_below(part, track.retention, now_ms)
    kept: list[list[int]] = [[now_ms, lowest]] if lowest > start else []
    ahead = _ahead(part, now_kept, now_ms + early(now_kept))
    for moment, offset in sorted([*ahead, *map(list, rows)]):
        if offset > (kept[-1][1] if kept else start):
            kept.append([moment, offset])
    if (kept, now_kept) != (part.expiring, part.expiring_for):
        part.expiring, part.expiring_for, track.dirty = kept, now_kept, True


def confirmed(track: Track, offsets: np.ndarray, timestamps: np.ndarray, now_ms: int) -> None:
    """Take records of the target that are accounted for: late ones may expire before the next look.

    :param offsets, timestamps: of the records behind what was accounted for before, in order.
    """
    part, now_kept = track.part, track.retention.milliseconds
    if now_kept is None or not len(offsets) or part.begins is None or part.target_start is None:
        return
    if expired_below(part, track.retention, now_ms) < part.examined[1]:
        # A younger one before them keeps them.
        return
    young = timestamps >= now_ms - now_kept
    first = int(young.argmax()) if young.any() else len(offsets)
    if first:
        part.expiring = [[now_ms, int(offsets[first - 1]) + 1], *_ahead(part, now_kept, now_ms)]
        part.expiring_for, track.dirty = now_kept, True


def _ahead(part: Confirmed, kept: int, after_ms: int) -> list[list[int]]:
    """What is known of later moments, where it was asked for this retention."""
    return [row for row in part.expiring if row[0] > after_ms] if part.expiring_for == kept else []


def _pause(track: Track) -> float:
    """Seconds between two looks at a partition."""
    return step(track.retention.milliseconds or 0) / 2000


def _expires(track: Track) -> bool:
    part = track.part
    return (
        part.stopped is None
        and bool(part.target_id)
        and part.begins is not None
        and part.target_start is not None
        and not part.unstamped
        and track.retention.milliseconds is not None
    )
