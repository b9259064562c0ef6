# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the tracks in step with the topics there are: new ones, those made again, those that are gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from .._errors import NotProvableError
from .looking import Pairing, Survey
from .reasons import COMPACTED, GONE
from .state import Confirmed, Difference, Partition, WatchState, by_partition
from .track import Track
from .windows import records

# Ids of former topics by a name that are remembered: of two weeks, where one is made anew each hour.
FORMER_KEPT = 400
# Partitions of deleted topics that a survey writes at most.
GONE_AT_ONCE = 1000


def restored(state: WatchState) -> dict[Partition, Track]:
    """Tracks as the state has them. A partition whose windows are not whole is stopped, and holds up no other."""
    tracks = {}
    named = by_partition(state)
    for place, part in state.partitions.items():
        track = Track(place, part, target_read=part.examined[1], target_tip=part.target_tip, dirty=False)
        if part.oldest_waiting is not None:
            track.seen.add(part.read, part.oldest_waiting)
        track.seen.add(max(part.read, part.source_high), part.unread_since or state.at)
        track.windows = [window for window in state.windows.get(place, []) if window.high > part.examined[0]]
        if place[0] in state.not_watched and part.looked_at is None and part.stopped is None:
            # A former version did not keep it; when something was proven, it was looked at.
            part.looked_at, track.dirty = part.proven_at or 0, state.not_watched[place[0]] != GONE
        if part.stopped is None:
            try:
                track.pending = records(place, part, state.windows.get(place, []))
            except NotProvableError as error:
                track.stop(str(error))
        track.faults = [found for found in named.get(place, ()) if found.accepted is None]
        track.accepted = [found for found in named.get(place, ()) if found.accepted is not None]
        tracks[place] = track
    return tracks


def synchronise(
    tracks: dict[Partition, Track], survey: Survey, now_ms: int
) -> tuple[dict[str, str], dict[Partition, Track]]:
    """Add tracks, begin those anew whose topics were made again, and drop the partitions that such a topic has no more.

    :returns: the topics that are not watched, and why, and the tracks that were dropped.
    """
    for place, pairing in survey.partitions.items():
        track = tracks.get(place)
        if track is None:
            tracks[place] = _new(place, pairing, now_ms)
        elif track.part.source_id != pairing.source_id:
            tracks[place] = _source_made_again(track, pairing, now_ms)
        elif track.part.target_id != pairing.target_id:
            if track.part.target_id:
                what = "was made again" if pairing.target_id else "is gone"
                tracks[place] = _anew(track, pairing, f"the topic {what} on the target", now_ms)
            else:
                track.part.target_id = pairing.target_id
                track.target_new = track.dirty = True
        if tracks[place].retention != pairing.retention:
            tracks[place].retention = pairing.retention
            tracks[place].looked_ahead = tracks[place].looked_far = float("-inf")
    for place, track in list(tracks.items()):
        source_id = survey.source_ids.get(place[0], track.part.source_id)
        if source_id != track.part.source_id:
            # It is not watched, and what was read of the former topic says nothing of this one.
            pairing = Pairing(track.part.target_topic, source_id, track.part.target_id, track.retention)
            tracks[place] = _source_made_again(track, pairing, now_ms)
        if survey.not_watched.get(place[0]) == COMPACTED and tracks[place].part.stopped is None:
            # Whatever is deleted meanwhile, nobody sees.
            tracks[place].stop("it was compacted meanwhile")
    there = {topic for topic, dummy in survey.partitions}
    absent = set(tracks) - set(survey.partitions)
    # Kafka takes no partition away from a topic.
    dropped = {place: tracks.pop(place) for place in absent if place[0] in there}
    gone = {topic for topic, dummy in absent} - there - survey.not_watched.keys()
    _tell_gone(tracks, gone)
    return {**dict.fromkeys(sorted(gone), GONE), **survey.not_watched}, dropped


def _tell_gone(tracks: Mapping[Partition, Track], gone: Collection[str]) -> None:
    """Let each partition tell whether its topic is gone: many only by and by, where a former version kept it."""
    changed = [track for place, track in tracks.items() if track.part.gone != (place[0] in gone)]
    back = [track for track in changed if track.part.gone]
    for track in [*back, *[track for track in changed if not track.part.gone][:GONE_AT_ONCE]]:
        track.part.gone, track.dirty = not track.part.gone, True


def note_looked(tracks: Mapping[Partition, Track], looked: Collection[Partition], before_ms: int) -> None:
    """Keep when each partition was looked at last, which this round may not have done.

    :param looked: those whose both logs this round has seen. :param before_ms: when the round before it began.
    """
    for place, track in tracks.items():
        known = track.part.looked_at
        if track.part.stopped is not None:
            continue
        if place in looked:
            now = None
        elif track.source_new:
            now = 0
        else:
            now = before_ms if known is None else known
        if now != known:
            track.part.looked_at, track.dirty = now, True


def count_on(tracks: Mapping[Partition, Track], differences: Iterable[Difference]) -> None:
    """Number further differences behind those that are kept, also those of a partition that there was before."""
    for found in differences:
        track = tracks.get((found.topic, found.partition))
        if track is not None:
            track.part.differences = max(track.part.differences, found.number + 1)


def _new(place: Partition, pairing: Pairing, now_ms: int) -> Track:
    part = Confirmed(pairing.target_topic, pairing.source_id, pairing.target_id, since=now_ms)
    return Track(place, part, source_new=True, target_new=True)


def _anew(track: Track, pairing: Pairing, why: str, now_ms: int) -> Track:
    """Begin where the logs begin now. Differences of before are kept, and hold nothing up."""
    fresh = _new(track.place, pairing, now_ms)
    # The clock may have been set back since they were found.
    fresh.part.since = max(now_ms, track.part.since + 1, *(found.found_at + 1 for found in track.faults))
    followed = [*track.part.former_ids, track.part.source_id]
    fresh.part.former_ids = [known for known in followed if known != pairing.source_id][-FORMER_KEPT:]
    fresh.forgotten = [*track.forgotten, *track.windows]
    fresh.part.differences, fresh.part.notes = track.part.differences, track.part.notes
    fresh.note(f"{why}; begun anew, {track.part.records} records had been proven and {track.part.waiting} waited")
    return fresh


def _source_made_again(track: Track, pairing: Pairing, now_ms: int) -> Track:
    """The source's log is another one. If the target's is the same, its copies follow what was examined."""
    fresh = _anew(track, pairing, "the topic was made again on the source", now_ms)
    if track.part.target_id == pairing.target_id:
        fresh.target_new = False
        fresh.target_read, fresh.target_tip = track.part.examined[1], track.part.target_tip
        fresh.part.examined, fresh.part.target_tip = (0, fresh.target_read), fresh.target_tip
        # What stays of the former topic's copies is nothing of this one's.
        fresh.part.older = max(0, fresh.target_read - (track.part.target_start or 0))
    return fresh
