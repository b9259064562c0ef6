# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks follow the topics that there are: those made again begin anew, partitions that are no more are dropped."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import rows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.expiring import Retention
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.looking import Pairing, Survey
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import COMPACTED, GONE, HIDDEN
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, Difference, WatchState
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tracks import count_on, restored, synchronise


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


def kept(tracks, not_watched):
    """A round's records, by key."""
    state = WatchState("m", at=1, round=1, not_watched=not_watched)
    state.partitions = {place: track.part for place, track in tracks.items()}
    found = [rows.confirmed_row("m", place, part, 1) for place, part in state.partitions.items()]
    return dict([*found, rows.watch_row(state)])


def test_the_record_that_ends_a_round_does_not_grow_with_the_topics_that_were_deleted():
    """A hundred topics that live for a day each filled it within months."""
    tracks = {}
    for number in range(40):
        synchronise(tracks, survey(1, topic=f"daily.{number}"), 1)
    not_watched, dropped = synchronise(tracks, survey(1, topic="orders"), 2)
    assert (len(not_watched), dropped) == (40, {})
    found = kept(tracks, not_watched)
    assert b"daily" not in found[rows.key("watch", "m")]
    state = rows.fold([(at, *row, None) for at, row in enumerate(found.items())])["m"]
    assert state.not_watched == not_watched


def test_deleted_topics_of_a_former_version_are_written_by_and_by(monkeypatch):
    monkeypatch.setattr("ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tracks.GONE_AT_ONCE", 15)
    tracks = {}
    daily = [survey(1, topic=f"daily.{number}").partitions for number in range(40)]
    synchronise(tracks, Survey({place: pairing for pairs in daily for place, pairing in pairs.items()}, {}), 1)
    for known in (15, 30, 40):
        not_watched, dummy = synchronise(tracks, survey(1, topic="orders"), 2)
        assert sum(track.part.gone for track in tracks.values()) == known and len(not_watched) == 40
        row = kept(tracks, not_watched)[rows.key("watch", "m")]
        assert row.count(b"daily") == 40 - known
    synchronise(tracks, Survey({}, {f"daily.{number}": HIDDEN for number in range(40)}), 3)
    assert not any(track.part.gone for place, track in tracks.items() if place[0] != "orders")


def test_a_topic_that_is_there_again_is_not_gone():
    tracks = {}
    synchronise(tracks, survey(1), 1)
    for there, not_watched in ((survey(1, topic="bills"), {"orders": GONE}), (Survey({}, {"orders": HIDDEN}), None)):
        tracks["orders", 0].dirty = False
        found, dummy = synchronise(tracks, there, 2)
        assert tracks["orders", 0].part.gone is bool(not_watched) and tracks["orders", 0].dirty
        assert found["orders"] == (GONE if not_watched else HIDDEN)
    synchronise(tracks, survey(1, topic="bills"), 3)
    tracks["orders", 0].dirty = False
    synchronise(tracks, survey(1), 4)
    assert not tracks["orders", 0].part.gone and tracks["orders", 0].dirty


def test_a_topic_whose_deletion_no_partition_tells_stays_in_the_record():
    """So a former version wrote it."""
    tracks = {}
    synchronise(tracks, survey(1), 1)
    assert b"orders" in kept(tracks, {"orders": GONE})[rows.key("watch", "m")]
    assert b"bills" in kept(tracks, {"bills": GONE})[rows.key("watch", "m")]


def test_windows_that_are_not_whole_stop_their_partition_alone():
    parts = {
        ("orders", number): Confirmed("a.orders", "s", "t", examined=(5, 5), read=8, waiting=3 * number)
        for number in range(2)
    }
    state = WatchState("m", partitions=parts)
    tracks = restored(state)
    assert tracks["orders", 0].part.stopped is None and not tracks["orders", 0].dirty
    assert "orders-1" in tracks["orders", 1].part.stopped and "not whole" in tracks["orders", 1].part.stopped
    assert tracks["orders", 1].dirty
