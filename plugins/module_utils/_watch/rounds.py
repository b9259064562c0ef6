# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds of a watch: look, read, confirm, judge, keep.

The order decides. The mirror's own offsets are read first, then the target's ends, then the source's: what is frozen
later holds everything that was frozen before. So a target record that the source does not have is a fault, and a source
record that the mirror says it has copied, and that the target lacks, is one too.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from .._digest.shapes import SideSpec
from .._errors import KafkaDrError
from .._kafka import distinct
from .._kafka.offsets import NO_LEADER
from .._kafka.read_events import RangeGoneError
from .._proof.sides import KafkaSide
from . import judging, rows, summary, windows
from .beginning import refuse_others
from .ends import Ends, ends_of
from .expiring import ExpiryLook
from .figures import RoundFigures
from .keeping import Keeper
from .looking import Survey, look
from .mirrored import MirrorOffsets
from .portion import Portions
from .reasons import LEADERLESS
from .scrubbing import Scrubber
from .state import TOPIC, Difference, Partition, WatchState, Window
from .track import Track
from .tracks import count_on, note_looked, restored, synchronise
from .witnessing import WitnessLook

# Seconds that the target's records may still sort themselves out before what differs is named.
SETTLE = 3
# The survey takes at most this share of the time.
SURVEY_SHARE = 0.1
# How often it is looked whether a difference was accepted.
ACCEPTED_SECONDS = 10


@dataclass(frozen=True)
class Options:
    """What a watch is asked: see the command line of the Spark job."""

    mirror: str
    topics: str
    rename: str = "identity"
    state: str = TOPIC
    offsets_topic: str | None = None
    alias: str | None = None
    positions_topic: str | None = None
    begin_anew: bool = False
    settle: float = SETTLE
    scrub_days: float = 0


class Watch:
    """One mirror's watch. Opening it ends every other watch of the mirror.

    :raises KafkaDrError: a side does not answer, or the state is of other clusters.
    """

    def __init__(self, source: SideSpec, target: SideSpec, options: Options) -> None:
        self.options = options
        self.source, self.target = KafkaSide(source), KafkaSide(target)
        clusters = self.source.cluster_id, self.target.cluster_id
        distinct.refuse_one_cluster((self.source.name, clusters[0]), (self.target.name, clusters[1]))
        self.keeper = Keeper(self.target.client, options.mirror, options.state)
        self.state = WatchState(options.mirror, *clusters, began=self.keeper.clock.now_ms())
        if options.begin_anew:
            self.keeper.write([*self.keeper.forgotten(), rows.watch_row(self.state)])
        else:
            before = self.keeper.read()
            if before is not None:
                refuse_others(before, clusters, options.mirror)
                self.state = before
        self.state.topics, self.state.rename = options.topics, options.rename
        self.tracks = restored(self.state)
        self.state.windows = {}
        self.portions = Portions(self.source, self.target)
        self.scrubber = Scrubber(self.source, self.target, options.scrub_days)
        self.expiry = ExpiryLook(self.target.client)
        self.witness = WitnessLook(self.target.client, options.positions_topic)
        self._surveyed: tuple[float, float] = (0, 0)
        self._survey = Survey({}, {})
        self._without_leader = False
        self.mirrored = MirrorOffsets(self.target.client, options.offsets_topic, options.alias)
        self._accepted_at = 0.0
        self.rounds = 0
        self.behind = True
        #: Partitions that there are no more, and that the state still has.
        self.dropped: dict[Partition, Track] = {}

    def round(self) -> RoundFigures:
        """One round; its figures. What it found is in the state when it returns.

        :raises RefusedError: another watch took over. :raises KafkaDrError: something did not answer; the watch has to
            be opened again, and goes on from its state.
        """
        began = time.monotonic()
        self.keeper.look(began)
        self._look(began)
        self._look_for_acceptance(began)
        self.mirrored.look(began, self.tracks)
        try:
            active, ends = self._ends()
        except KafkaDrError as error:
            self._leave_out_without_leader(error)
            active, ends = self._ends()
        copied = self.mirrored.copied(self.tracks, ends.source_high)
        now_ms = self.keeper.clock.now_ms()
        self.portions.read(active, ends, now_ms)
        again = [track for track in active if self.portions.doubted.get(track.place)]
        if again:
            self._surveyed = (0, 0)
            self._doubt(again)
        now_ms = self.keeper.clock.now_ms()
        for track in active:
            if track.part.stopped is None and track.place not in self.portions.doubted:
                self._step(track, ends, copied, now_ms)
        self.behind = any(
            not track.part.stopped and not (track.source_read_whole and track.target_read_whole) for track in active
        )
        self.expiry.step(active, ends.target_high, now_ms, time.monotonic())
        if not self.behind:
            self._scrub([track for track in active if track.place not in self.portions.doubted], now_ms)
        looked = {track.place for track in active} - self.portions.doubted.keys()
        note_looked(self.tracks, looked, self.state.round_began())
        return self._keep(began)

    def _ends(self) -> tuple[list[Track], Ends]:
        """The tracks that go on, and the ends of their logs."""
        active = [self.tracks[place] for place in self._survey.partitions if self.tracks[place].part.stopped is None]
        return active, ends_of(self.source, self.target, active)

    def _leave_out_without_leader(self, error: KafkaDrError) -> None:
        """Topics of which a partition has no leader were waited for; they hold up no other. :raises KafkaDrError: it is
        something else.
        """
        if error.facts.get("code") != NO_LEADER:
            raise error
        self._without_leader, self._surveyed = True, (0, 0)
        self._look(time.monotonic())

    def _scrub(self, tracks: list[Track], now_ms: int) -> None:
        known: dict[Partition, list[Difference]] = {}
        for found in self.state.standing_differences():
            known.setdefault((found.topic, found.partition), []).append(found)
        self.scrubber.step(tracks, known, now_ms, time.monotonic())

    @property
    def settling(self) -> bool:
        """Whether a partition has something that is neither confirmed nor named yet."""
        return any(track.unsettled is not None for track in self.tracks.values())

    def close(self) -> None:
        """End what reads. What it found is in the state."""
        self.portions.close()

    def _look(self, now: float) -> None:
        at, took = self._surveyed
        if now - at < took / SURVEY_SHARE:
            return
        known = {topic for topic, dummy in self.tracks}
        gone = {topic for (topic, dummy), track in self.tracks.items() if track.part.gone}
        asked = self.options.topics, self.options.rename
        self._survey = look(self.source, self.target, *asked, known, self._without_leader, gone)
        self._without_leader = LEADERLESS in self._survey.not_watched.values()
        self._surveyed = (now, time.monotonic() - now)
        self.state.not_watched, dropped = synchronise(self.tracks, self._survey, self.keeper.clock.now_ms())
        self.dropped.update(dropped)
        count_on(self.tracks, self.state.differences)

    def _doubt(self, tracks: list[Track]) -> None:
        """A log is not the one that was read: either its topic was made again, which the next survey shows, or it
        lost records that it had.
        """
        self._look(time.monotonic())
        for track in tracks:
            # A topic that was made again has another track by now.
            if self.tracks.get(track.place) is track and track.place in self._survey.partitions:
                track.stop(str(self.portions.doubted[track.place]))

    def _look_for_acceptance(self, now: float) -> None:
        """See whether somebody accepted differences; the topic is read for it only where there are some."""
        if now - self._accepted_at < ACCEPTED_SECONDS or not any(track.held for track in self.tracks.values()):
            return
        self._accepted_at = now
        kept = self.keeper.read()
        mirror = self.options.mirror
        accepted = {found.id(mirror): found.accepted for found in (kept.differences if kept else []) if found.accepted}
        for found in self.state.differences:
            if found.accepted is None and found.id(mirror) in accepted:
                track = self.tracks.get((found.topic, found.partition))
                if track is not None:
                    track.accept(found)
                found.accepted = accepted[found.id(mirror)]

    def _step(self, track: Track, ends: Ends, copied: dict[Partition, int], now_ms: int) -> None:
        now = time.monotonic()
        track.advance(now_ms, now)
        through = copied.get(track.place) if ends.target_decided(track) else None
        ripe = track.unsettled is not None and now - track.unsettled >= self.options.settle
        if (ripe and _is_to_try(track)) or judging.lacks(track, through):
            if self._judge(track, through, now_ms):
                track.advance(now_ms, now)
            elif track.unsettled is not None:
                # It cannot be judged yet; more is read until it is tried again.
                track.unsettled = now

    def _judge(self, track: Track, through: int | None, now_ms: int) -> bool:
        try:
            return judging.judge(track, self.source, self.target, through, now_ms)
        except RangeGoneError:
            # It was deleted after its log start was asked. One partition waits for the next round, not all of them.
            # What had been matched before stands.
            track.count_waiting()
            return False

    def _keep(self, began: float) -> RoundFigures:
        """Write what changed in one transaction, the round itself last."""
        state = self.state
        state.at, state.round = self.keeper.clock.now_ms(), state.round + 1
        state.seconds = round(time.monotonic() - began, 3)
        records: list[rows.Row] = []
        changed = [track for track in self.tracks.values() if track.dirty or track.found]
        state.kept = len({*(state.partitions.keys() - self.dropped.keys()), *(track.place for track in changed)})
        for place, track in self.dropped.items():
            records += _gone(self.options.mirror, place, (*track.forgotten, *track.windows))
        for track in changed:
            records += self._rows_of(track)
        self.keeper.write([*records, rows.watch_row(state)])
        for place in self.dropped:
            state.partitions.pop(place, None)
        for track in changed:
            state.partitions[track.place] = track.part
            state.differences += track.found
            track.found, track.forgotten, track.dirty = [], [], False
        self.dropped = {}
        self.rounds += 1
        figures = summary.figures(state, state.at)
        figures.rounds, figures.records = self.rounds, self.portions.records
        figures.behind = self.behind
        figures.witness_at = self.witness.last_round(time.monotonic())
        return figures

    def _rows_of(self, track: Track) -> list[rows.Row]:
        mirror, place, part = self.options.mirror, track.place, track.part
        gone, kept = list(track.forgotten), track.windows
        if part.stopped is None:
            gone += [window for window in kept if window.high <= part.examined[0]]
            kept = [window for window in kept if window.high > part.examined[0]]
        records: list[rows.Row] = [(rows.key(rows.WINDOW, mirror, *place, window.low), None) for window in gone]
        if part.stopped is None and len(track.pending):
            low = kept[-1].high if kept else part.examined[0]
            fresh = windows.make(track.pending.take(track.pending.offset >= low), low, part.read, part.chain)
            records += [rows.window_row(mirror, place, window, self.state.at) for window in fresh]
            part.chain = fresh[-1].hash if fresh else part.chain
            # Their arrays live in the track's records.
            kept = [*kept, *(_bare(window) for window in fresh)]
        track.windows = kept
        records += [rows.difference_row(mirror, found, self.state.at) for found in track.found]
        return [*records, rows.confirmed_row(mirror, place, part, self.state.at)]


def _is_to_try(track: Track) -> bool:
    """Whether to judge: alignment costs too much to try it with the same records again, or while more are read."""
    return track.tried is None or (track.source_read_whole and track.tried != track.reached)


def _bare(window: Window) -> Window:
    return Window(window.low, window.high, window.count, b"", b"", b"", window.previous, window.hash)


def _gone(mirror: str, place: Partition, windows: Iterable[Window]) -> list[rows.Row]:
    """Null values for a partition and its windows. Its differences are kept, and hold nothing up."""
    names = [rows.key(rows.WINDOW, mirror, *place, window.low) for window in windows]
    return [(rows.key(rows.CONFIRMED, mirror, *place), None), *((name, None) for name in names)]
