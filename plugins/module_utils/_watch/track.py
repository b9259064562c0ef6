# SPDX-License-Identifier: GPL-3.0-or-later
"""One partition under watch: what was read of both sides and is not accounted for, and what follows from more of it.

Nothing here reads or writes. Both sides are sequences. What they begin with in common, from where both were last
compared, is confirmed. What the source has more waits; what the target has more, or has otherwise, is for
:mod:`.judging`, once it had time to settle.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import chunks
from .._digest.records import Records
from .._digest.shapes import Block
from .._proof import align
from .expiring import KEEPS_ALL, Retention, confirmed
from .sightings import Sightings
from .state import Confirmed, Difference, Partition, Tip, Window

# Runs of the offset map that are kept.
MAP_RUNS = 256
NOTES = 10


class Epochs:
    """Leader epochs of what was read: each from its first offset on."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.epochs: list[int] = []

    def add(self, first: int, epoch: int) -> None:
        """From an offset on, records have an epoch."""
        if not self.epochs or self.epochs[-1] != epoch:
            self.firsts.append(first)
            self.epochs.append(epoch)

    def at(self, offset: int) -> int:
        """The epoch of a record; -1 where it is not known."""
        found = bisect_right(self.firsts, offset) - 1
        return self.epochs[found] if found >= 0 else -1


@dataclass
class Track:
    """A partition. What is in ``part`` goes to the state; the rest lives with the process.

    :ivar pending: source records that were read and are not confirmed, from ``part.examined`` to ``part.read``.
    :ivar fresh: target records that were read and are not accounted for, from ``part.examined`` to ``target_read``.
    :ivar source_read_whole: the source was read to its last stable offset, or as far ahead as it is read at all.
    :ivar source_whole: everything the source held when it was looked at was read, and no transaction was open there.
    :ivar target_whole: the target was read to its end, as far as its transactions are decided.
    :ivar target_read_whole: it was, or as far ahead as it is read at all.
    :ivar unsettled: since when (seconds of a monotonic clock) the target has something else; None while it has not.
    :ivar tried: as of :attr:`reached`, when nothing that differs could be judged; None where something was since.
    :ivar seen: when the source was seen to end where.
    :ivar retention: as of :class:`.looking.Pairing`.
    :ivar looked_ahead, looked_far: when it was asked last what expires next, and what expires today (seconds of a
        monotonic clock).
    :ivar source_new, target_new: nothing of that side was read yet; it begins where the log begins.
    :ivar forgotten: windows of former logs, to be deleted.
    :ivar faults: the differences of these logs that nobody accepted; what is proven ends before the first.
    :ivar accepted: those that somebody did accept.
    """

    place: Partition
    part: Confirmed
    pending: Records = field(default_factory=Records)
    fresh: Records = field(default_factory=Records)
    target_read: int = 0
    target_tip: Tip | None = None
    target_epochs: Epochs = field(default_factory=Epochs)
    source_whole: bool = False
    source_read_whole: bool = False
    target_whole: bool = False
    target_read_whole: bool = False
    unsettled: float | None = None
    tried: tuple[int, int, bool, int] | None = None
    windows: list[Window] = field(default_factory=list)
    faults: list[Difference] = field(default_factory=list)
    accepted: list[Difference] = field(default_factory=list)
    found: list[Difference] = field(default_factory=list)
    forgotten: list[Window] = field(default_factory=list)
    source_new: bool = False
    target_new: bool = False
    seen: Sightings = field(default_factory=Sightings)
    retention: Retention = KEEPS_ALL
    looked_ahead: float = float("-inf")
    looked_far: float = float("-inf")
    dirty: bool = True

    @property
    def copy(self) -> Partition:
        """The partition on the target."""
        return self.part.target_topic, self.place[1]

    @property
    def held(self) -> bool:
        """Whether what is proven ends before a difference."""
        return bool(self.faults)

    @property
    def reached(self) -> tuple[int, int, bool, int]:
        """What judging goes by: while none of it changes, it finds nothing else than before."""
        return self.part.read, self.target_read, self.source_whole, self.part.source_start

    def note(self, text: str) -> None:
        """Keep what happened to the partition."""
        self.part.notes = [*self.part.notes, text][-NOTES:]
        self.dirty = True

    def stop(self, reason: str) -> None:
        """Watch it no longer. What was proven stays as it was told; nothing is added to it."""
        self.part.stopped = reason
        self.pending, self.fresh, self.tried = Records(), Records(), None
        self.dirty = True

    def add_source(self, records: Records, upto: int, tip: Tip | None) -> None:
        """Take what was read of the source below ``upto``. ``tip``: the last record, None where there is none."""
        self.pending = Records.join([self.pending, records])
        self.part.read = upto
        if tip is not None:
            self.part.source_tip = tip
        self.dirty = True

    def add_target(self, records: Records, upto: int, tip: Tip | None) -> None:
        """Take what was read of the target below ``upto``."""
        self.fresh = Records.join([self.fresh, records])
        self.target_read = upto
        if tip is not None:
            self.target_tip = tip
        self.dirty = True

    def advance(self, now_ms: int, now: float) -> None:
        """Confirm what both sides have in common."""
        if self.part.stopped:
            return
        if self.part.begins is None:
            self._begin()
        if self.part.begins is not None:
            count = common(self.pending, self.fresh)
            if count:
                self.confirm([(0, 0, count)], count, count, now_ms)
        self._measure(now_ms)
        if not len(self.fresh) or self.part.begins is None:
            self.unsettled = None
        elif self.unsettled is None:
            self.unsettled = now

    def _begin(self) -> None:
        """Find the first record that both logs have. What lies before it on either side is never proven."""
        if len(self.pending) and len(self.fresh):
            found = align.blocks(self.pending.digest(), self.fresh.digest())
            if found:
                self._leave_out(found[0][0], found[0][1])
                self.part.begins = (int(self.pending.offset[0]), int(self.fresh.offset[0]))
                self.part.examined = self.part.begins
                return
            if not self.source_whole:
                self._leave_out_older()
        if self.source_whole:
            # The source was looked at after the target: what it does not have is older than its log, or nobody's.
            self._leave_out(0, len(self.fresh))

    def _leave_out_older(self) -> None:
        """Neither side has anything of the other yet: go on where the older records are."""
        if int(self.pending.timestamp.max()) < int(self.fresh.timestamp.max()):
            self._leave_out(len(self.pending), 0)
        else:
            self._leave_out(0, len(self.fresh))

    def _leave_out(self, source: int, target: int) -> None:
        """Leave out the first records of either side, before anything is proven."""
        self.part.unproven += source
        self.part.older += target
        self._account(source, target)

    def confirm(self, blocks: list[Block], source: int, target: int, now_ms: int) -> None:
        """Account for the first records of both sides, of which ``blocks`` are matched and the rest is explained.

        What is proven ends there too, unless there is a difference before it.
        """
        if blocks:
            left, right, count = blocks[-1]
            i, j = left + count - 1, right + count - 1
            self.part.anchor = {
                "source": int(self.pending.offset[i]),
                "target": int(self.fresh.offset[j]),
                "digest": int(self.pending.digest()[i]),
                "timestamp": int(self.pending.timestamp[i]),
            }
        self.part.matched += sum(count for dummy, dummy2, count in blocks)
        if not self.held:
            self.part.proven_at = now_ms
            self._extend_map(blocks)
        confirmed(self, self.fresh.offset[:target], self.fresh.timestamp[:target], now_ms)
        self._account(source, target)
        self.prove()

    def _account(self, source: int, target: int) -> None:
        """Both sides are examined up to and with their first records."""
        if target:
            last = int(self.fresh.offset[target - 1])
            epoch = self.target_epochs.at(last)
            self.part.target_tip = Tip(last, epoch, int(self.fresh.digest()[target - 1]))
        examined = list(self.part.examined)
        if source:
            examined[0] = int(self.pending.offset[source - 1]) + 1
            self.part.unstamped = self.part.unstamped or bool((self.pending.timestamp[:source] < 0).any())
        if target:
            examined[1] = int(self.fresh.offset[target - 1]) + 1
        self.pending = self.pending.take(slice(source, None)) if source else self.pending
        self.fresh = self.fresh.take(slice(target, None)) if target else self.fresh
        self.part.examined = (examined[0], examined[1])
        if source or target:
            self.dirty, self.tried = True, None

    def prove(self) -> None:
        """What is proven ends before the first difference that nobody accepted, or where both sides were compared."""
        proven = min(
            ((fault.ends, fault.matched) for fault in self.faults), default=(self.part.examined, self.part.matched)
        )
        if proven != (self.part.through, self.part.records):
            self.part.through, self.part.records = proven
            self.dirty = True

    def accept(self, accepted: Difference) -> None:
        """A difference was accepted: what is proven goes on behind it, up to the next one."""
        if accepted not in self.faults or self.part.stopped:
            return
        self.faults.remove(accepted)
        self.accepted.append(accepted)
        self.prove()
        self.note(f"difference {accepted.number} ({accepted.kind}) was accepted")

    def blame(self, faults: list[Difference]) -> None:
        """Differences were found in what was proven: it ends before the first of them."""
        self.found += faults
        self.faults += faults
        self.part.differences += len(faults)
        self.prove()

    def _measure(self, now_ms: int) -> None:
        # What follows the last record is examined too where nothing is left of it: it holds no record.
        examined = (
            self.part.examined[0] if len(self.pending) else self.part.read,
            self.part.examined[1] if len(self.fresh) else self.target_read,
        )
        if examined != self.part.examined:
            self.part.examined, self.dirty = examined, True
        if self.part.begins is not None:
            self.prove()
        self.seen.add(self.part.read, now_ms)
        self.seen.forget(int(self.pending.offset[0]) if len(self.pending) else self.part.read)
        self.count_waiting()

    def count_waiting(self) -> None:
        """Say what waits, also in a round that cannot judge it; of one that is stopped, what had waited stays said."""
        if self.part.stopped:
            return
        measured = len(self.pending), self._oldest_waiting(), self.seen.first(self.part.read)
        if measured != (self.part.waiting, self.part.oldest_waiting, self.part.unread_since):
            self.part.waiting, self.part.oldest_waiting, self.part.unread_since = measured
            self.dirty = True

    def _oldest_waiting(self) -> int | None:
        """Milliseconds of the oldest record that waits: its timestamp, but never later than it was seen; None where
        none waits.
        """
        if not len(self.pending):
            return None
        times = self.pending.timestamp[self.pending.timestamp >= 0]
        known = [self.seen.first(int(self.pending.offset[0])), int(times.min()) if len(times) else None]
        return min((moment for moment in known if moment is not None), default=None)

    def _extend_map(self, blocks: list[Block]) -> None:
        rows = chunks.offset_map(
            blocks,
            chunks.offset_runs(self.pending.offset) if blocks else np.empty((0, 2), np.int64),
            chunks.offset_runs(self.fresh.offset) if blocks else np.empty((0, 2), np.int64),
        ).tolist()
        runs = self.part.map_runs
        if rows and runs and runs[-1][0] + runs[-1][2] == rows[0][0] and runs[-1][1] + runs[-1][2] == rows[0][1]:
            runs = [*runs[:-1], [runs[-1][0], runs[-1][1], runs[-1][2] + rows[0][2]]]
            rows = rows[1:]
        self.part.map_runs = [*runs, *rows][-MAP_RUNS:]


def common(left: Records, right: Records) -> int:
    """How many records both begin with."""
    shortest = min(len(left), len(right))
    different = left.digest()[:shortest] != right.digest()[:shortest]
    return int(different.argmax()) if different.any() else shortest
