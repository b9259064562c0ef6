# SPDX-License-Identifier: GPL-3.0-or-later
"""What one round reads: of each partition so much that memory stays bounded, the target first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

from .._digest.records import Records
from .._proof.sides import KafkaSide
from . import judging
from .ends import Ends
from .expiring import note_start
from .reading import Piece, SideReader, Wanted
from .state import Partition
from .track import Track

# Offsets of one partition, and of one side, that a round reads.
BATCH, TOTAL = 250000, 1000000
# Source records of one partition, and of all, that wait for the target; beyond them the source is not read ahead, but
# for one partition whose target goes on with none of those that wait. What such a one has more takes no other's share.
AHEAD, AHEAD_TOTAL = 1000000, 4000000
# Partitions that may wait with all that is aligned; while there are as many, no other one is read on unless its target
# is full, which ends by itself.
READ_ON = 3
# Seconds after which the last record is read again where nothing is new.
VERIFY_SECONDS = 60
# Seconds for which an end may lie before what was read, as it may while a partition's leader changes.
BACK_SECONDS = 30

SideName = Literal["source", "target"]


class Portions:
    """Reads both sides.

    :ivar doubted: ``{partition: why its log is not the one that was read, or ""}`` of the last round; such a partition
        is not judged in it.
    """

    def __init__(self, source: KafkaSide, target: KafkaSide) -> None:
        self.readers = {
            "source": SideReader(source.client, source.pace),
            "target": SideReader(target.client, target.pace),
        }
        self.doubted: dict[Partition, str] = {}
        self._verified: dict[tuple[SideName, Partition], float] = {}
        self._back: dict[tuple[SideName, Partition], float] = {}
        self._back_before: dict[tuple[SideName, Partition], float] = {}
        self._moving: set[Partition] = set()

    @property
    def records(self) -> int:
        """Records read on both sides."""
        return sum(side.records for side in self.readers.values())

    def close(self) -> None:
        """End the consumers."""
        for side in self.readers.values():
            side.close()

    def read(self, tracks: Sequence[Track], ends: Ends, now_ms: int) -> None:
        """Give each track what is new of it."""
        self.doubted = {}
        # Of a side that is not seen in each round, nobody can say that it was behind all the time.
        self._back_before, self._back = self._back, {}
        self._begin(tracks, ends, now_ms)
        # Nothing is confirmed in a round without a look at the last record of either side.
        self._moving = {
            track.place
            for track in tracks
            if len(track.fresh)
            or ends.source.get(track.place, 0) > track.part.read
            or ends.target.get(track.copy, 0) > track.target_read
        }
        self._read_target([track for track in tracks if track.part.target_id], ends)
        self._read_source(tracks, ends)
        for track in tracks:
            track.source_whole = track.part.read >= ends.source.get(track.place, 1 << 62) and ends.source_decided(track)
            track.count_waiting()

    def _begin(self, tracks: Sequence[Track], ends: Ends, now_ms: int) -> None:
        for track in tracks:
            _note_source(track, ends, now_ms)
            if track.copy in ends.target_starts:
                note_start(track, ends.target_starts[track.copy], now_ms)
            examined = list(track.part.examined)
            if track.source_new and track.place in ends.source_starts:
                examined[0] = track.part.read = ends.source_starts[track.place]
                track.source_new = False
            if track.target_new and track.copy in ends.target_starts:
                examined[1] = track.target_read = ends.target_starts[track.copy]
                track.target_new = False
            track.part.examined = (examined[0], examined[1])
            if track.part.begins is None:
                track.part.through = track.part.examined
            if not track.part.target_id:
                track.target_whole = track.target_read_whole = True

    def _read_target(self, tracks: Sequence[Track], ends: Ends) -> None:
        wanted, share = {}, _share([ends.target.get(track.copy, 0) - track.target_read for track in tracks])
        for track in tracks:
            if not ends.target_known(track):
                self.doubted[track.place] = ""
                continue
            end = ends.target[track.copy]
            if self._is_back(track, "target", track.target_read, end):
                continue
            room = AHEAD - len(track.fresh)
            high = min(end, track.target_read + min(share, max(0, room)))
            track.target_whole = high >= end
            track.target_read_whole = track.target_whole or room <= 0
            if self._due("target", track):
                wanted[track.copy] = (track, Wanted(track.copy, track.target_tip, track.target_read, high))
        pieces = self.readers["target"].read([item for dummy, item in wanted.values()], ends.target_starts)
        for place, (track, item) in wanted.items():
            self._take_target(track, item, pieces.get(place))

    def _take_target(self, track: Track, item: Wanted, piece: Piece | None) -> None:
        if piece is None or piece.changed is not None:
            self._doubt(track, "target", piece)
            return
        self._verified["target", track.place] = time.monotonic()
        if piece.skipped:
            _skip(track, "target", item, piece.skipped)
            if track.part.stopped:
                return
        for first, epoch in zip(piece.epochs.firsts, piece.epochs.epochs, strict=True):
            track.target_epochs.add(first, epoch)
        if item.high > item.low:
            track.add_target(piece.records, item.high, piece.tip)

    def _read_source(self, tracks: Sequence[Track], ends: Ends) -> None:
        wanted, share = {}, _share([ends.source.get(track.place, 0) - track.part.read for track in tracks])
        ahead, furthest = sum(min(len(track.pending), AHEAD) for track in tracks), _furthest(tracks)
        for track in tracks:
            if track.part.stopped:
                # By what was just read of the target. What is read of the source now would be in no window.
                continue
            if not ends.source_known(track):
                self.doubted[track.place] = ""
                track.source_read_whole = True
                continue
            end = ends.source[track.place]
            if self._is_back(track, "source", track.part.read, end):
                track.source_read_whole = True
                continue
            room = _room(track, ahead, furthest)
            high = min(end, track.part.read + min(share, room))
            track.source_read_whole = high >= end or (not room and track.target_read_whole)
            if self._due("source", track):
                wanted[track.place] = (track, Wanted(track.place, track.part.source_tip, track.part.read, high))
        pieces = self.readers["source"].read([item for dummy, item in wanted.values()], ends.source_starts)
        for place, (track, item) in wanted.items():
            self._take_source(track, item, pieces.get(place))

    def _take_source(self, track: Track, item: Wanted, piece: Piece | None) -> None:
        if piece is None or piece.changed is not None:
            self._doubt(track, "source", piece)
            return
        self._verified["source", track.place] = time.monotonic()
        if piece.skipped:
            _skip(track, "source", item, piece.skipped)
            if track.part.stopped:
                return
        if item.high > item.low:
            track.add_source(piece.records, item.high, piece.tip)

    def _due(self, side: SideName, track: Track) -> bool:
        """Whether to read at all: where nothing is new, the last record is looked at again by and by."""
        if track.place in self._moving:
            return True
        tip = track.part.source_tip if side == "source" else track.target_tip
        last = self._verified.get((side, track.place), 0)
        return tip is not None and time.monotonic() - last >= VERIFY_SECONDS

    def _is_back(self, track: Track, side: SideName, read: int, end: int) -> bool:
        """Whether a side ends before what was read of it; for longer than a leader's change takes, its log is another
        one.
        """
        if end >= read:
            return False
        self.doubted[track.place] = ""
        now = time.monotonic()
        since = self._back[side, track.place] = self._back_before.get((side, track.place), now)
        if now - since >= BACK_SECONDS:
            self.doubted[track.place] = f"the {side} ends at {end}, and was read to {read} before"
        return True

    def _doubt(self, track: Track, side: SideName, piece: Piece | None) -> None:
        why = piece.changed if piece is not None else None
        self.doubted[track.place] = "" if why is None else f"the log of the {side} is not the one that was read: {why}"


def _note_source(track: Track, ends: Ends, now_ms: int) -> None:
    """Take where the source's log begins and ends now."""
    part, place = track.part, track.place
    end = ends.source.get(place, part.source_end)
    known = max(part.source_start, ends.source_starts.get(place, 0)), end, max(end, ends.source_high.get(place, 0))
    track.seen.add(known[2], now_ms)
    if known != (part.source_start, part.source_end, part.source_high):
        part.source_start, part.source_end, part.source_high = known
        track.dirty = True


def _share(unread: Sequence[int]) -> int:
    """Offsets that one partition may have of a round: all together no more than :data:`TOTAL`, and what those with
    little to read leave over goes to the others.
    """
    left, counts = TOTAL, sorted(min(count, BATCH) for count in unread if count > 0)
    for index, count in enumerate(counts):
        each = left // (len(counts) - index)
        if count > each:
            return max(1000, each)
        left -= count
    return BATCH


def _furthest(tracks: Sequence[Track]) -> Track | None:
    """The one partition whose source is read on beyond what may wait, since the target goes on with none of that. Those
    of which both sides are full come first: no more of the target can be read.
    """
    spent = sum(_is_spent(track) for track in tracks)
    stuck = [
        track
        for track in tracks
        if track.tried is not None
        and track.target_read_whole
        and not _is_spent(track)
        and (spent < READ_ON or _is_full(track))
    ]
    return max(stuck, key=lambda track: (_is_full(track), len(track.pending)), default=None)


def _is_spent(track: Track) -> bool:
    """Whether all that is aligned was tried with none of the target: its source is read on no more, and its target is
    not full, so that nothing stops it.
    """
    if track.tried is None or len(track.pending) < judging.ALIGNED or _is_full(track):
        return False
    return track.tried[0] == track.part.read


def _is_full(track: Track) -> bool:
    return len(track.fresh) >= AHEAD


def _room(track: Track, ahead: int, furthest: Track | None) -> int:
    """How many offsets of a partition's source may be read.

    :param ahead: records of all partitions that wait, of each as many as may wait of one.
    """
    waiting = len(track.pending)
    if track is furthest and track.tried is not None:
        if waiting == judging.ALIGNED:
            # One more stops it, once these were tried with all that is read of a target.
            return int(_is_full(track) and track.tried[:2] == track.reached[:2])
        return max(0, min(judging.ALIGNED - waiting, track.tried[0] + AHEAD - track.part.read))
    if waiting >= BATCH and (ahead >= AHEAD_TOTAL or not track.target_read_whole):
        return 0
    return max(0, AHEAD - waiting)


def _skip(track: Track, side: SideName, item: Wanted, count: int) -> None:
    """Retention passed the watch: what it took was never compared, and what follows has to be aligned anew."""
    if track.held:
        track.stop(f"the {side}'s log start passed what was read, behind a difference")
        return
    part = track.part
    if side == "source":
        part.unproven += count + len(track.pending)
        track.pending = Records()
        # No record of theirs waits any more. The windows of what follows begin where reading goes on.
        track.forgotten += track.windows
        track.windows = []
        part.examined = (item.low + count, part.examined[1])
    else:
        part.older += len(track.fresh)
        track.fresh = Records()
        part.examined = (part.examined[0], item.low + count)
    part.begins, part.through = None, part.examined
    track.note(f"{count} offsets of the {side} were deleted before they were read; what follows was aligned anew")
