# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks follow the topics that there are: those made again begin anew, partitions that are no more are dropped."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.expiring import Retention
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.looking import Pairing, Survey
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import COMPACTED, GONE
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Difference, WatchState
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tracks import count_on, synchronise


def survey(partitions, source_id="s", topic="orders", **more):
    pairs = {(topic, number): Pairing(f"a.{topic}", source_id, "t", **more) for number in range(partitions)}
    return Survey(pairs, {})


def test_a_topic_made_again_with_fewer_partitions_is_there():
    tracks = {}
    synchronise(tracks, survey(3), 1)
    not_watched, dropped = synchronise(tracks, survey(2, "again"), 2)
    assert not_watched == {} and set(dropped) == {("orders", 2)}
    assert {place: track.part.source_id for place, track in tracks.items()} == {
        ("orders", 0): "again",
        ("orders", 1): "again",
    }


def test_a_topic_that_is_not_listed_any_more_is_kept_and_named():
    tracks = {}
    synchronise(tracks, survey(3), 1)
    assert synchronise(tracks, survey(1, topic="bills"), 2) == ({"orders": GONE}, {})
    assert ("orders", 2) in tracks


def test_what_the_target_deletes_by_itself_is_taken_from_each_look():
    tracks = {}
    for kept in (Retention(7), Retention(9, True)):
        synchronise(tracks, survey(1, retention=kept), 1)
        assert tracks["orders", 0].retention == kept and tracks["orders", 0].looked_ahead < 0
        tracks["orders", 0].looked_ahead = 5.0


def test_differences_of_a_former_log_stand_for_nothing_also_where_the_clock_was_set_back():
    tracks = {}
    synchronise(tracks, survey(1), 1000)
    place = ("orders", 0)
    found = Difference(*place, 0, "missing", 5, None, None, None, 1, found_at=2000)
    tracks[place].faults.append(found)
    synchronise(tracks, survey(1, "again"), 500)
    state = WatchState("m", partitions={place: tracks[place].part}, differences=[found])
    assert state.standing_differences() == [] and tracks[place].faults == []


@pytest.mark.parametrize(
    ("target_id", "start", "older"), [("t", 10, 290), ("t", None, 300), ("t", 300, 0), ("t", 320, 0), ("new", 10, 0)]
)
def test_what_the_copy_has_of_a_former_source_is_older(target_id, start, older):
    tracks = {}
    synchronise(tracks, survey(1), 1)
    place = ("orders", 0)
    tracks[place].part.examined, tracks[place].part.target_start = (300, 300), start
    again = {place: Pairing("a.orders", "again", target_id)}
    synchronise(tracks, Survey(again, {}), 2)
    assert (tracks[place].part.source_id, tracks[place].part.older) == ("again", older)


def test_what_was_compacted_meanwhile_is_watched_no_more():
    tracks = {}
    synchronise(tracks, survey(1), 1)
    synchronise(tracks, Survey({}, {"orders": COMPACTED}), 2)
    synchronise(tracks, survey(1), 3)
    assert "compacted" in tracks["orders", 0].part.stopped


def test_further_differences_are_numbered_behind_those_that_are_kept():
    tracks = {}
    synchronise(tracks, survey(1), 1)
    count_on(tracks, [Difference("orders", number, 4, "missing", 5, None, None, None, 1, 1) for number in (0, 1)])
    assert tracks["orders", 0].part.differences == 5
