# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the tracks in step with the topics there are: new ones, those made again, those that are gone."""

from __future__ import annotations

from .looking import Pairing, Survey
from .reasons import GONE
from .state import Confirmed, Difference, Partition, WatchState
from .track import Track
from .windows import records


def restored(state: WatchState) -> dict[Partition, Track]:
    """Tracks as the state has them.

    :raises NotProvableError: the windows of one are not whole.
    """
    tracks = {}
    for place, part in state.partitions.items():
        track = Track(place, part, target_read=part.examined[1], target_tip=part.target_tip, dirty=False)
        track.windows = [window for window in state.windows.get(place, []) if window.high > part.examined[0]]
        if part.stopped is None:
            track.pending = records(place, part, state.windows.get(place, []))
        track.faults = faults(state, place, part)
        tracks[place] = track
    return tracks


def faults(state: WatchState, place: Partition, part: Confirmed) -> list[Difference]:
    """The differences of these logs that nobody accepted; those of former logs hold nothing up."""
    return [
        found
        for found in state.differences
        if (found.topic, found.partition) == place and found.accepted is None and found.found_at >= part.since
    ]


def synchronise(tracks: dict[Partition, Track], survey: Survey, now_ms: int) -> dict[str, str]:
    """Add tracks, begin those anew whose topics were made again; returns the topics that are not watched, and why."""
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
    gone = {topic for topic, dummy in set(tracks) - set(survey.partitions)}
    return {**dict.fromkeys(sorted(gone), GONE), **survey.not_watched}


def _new(place: Partition, pairing: Pairing, now_ms: int) -> Track:
    part = Confirmed(pairing.target_topic, pairing.source_id, pairing.target_id, since=now_ms)
    return Track(place, part, source_new=True, target_new=True)


def _anew(track: Track, pairing: Pairing, why: str, now_ms: int) -> Track:
    """Begin where the logs begin now. Differences of before are kept, and hold nothing up."""
    fresh = _new(track.place, pairing, now_ms)
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
    return fresh
