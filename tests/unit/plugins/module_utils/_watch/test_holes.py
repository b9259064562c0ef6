# SPDX-License-Identifier: GPL-3.0-or-later
"""Holes larger than what is read ahead are named, those larger than what is aligned stop their partition, and memory
stays bounded.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import judging, portion
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.track import Track
from tests.support.following import follow, records
from tests.support.rounds_in_memory import Rounds

AHEAD, ALIGNED = 100, 400


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Each bound a ten thousandth of its own."""
    for name, value in (("BATCH", 25), ("TOTAL", 100), ("AHEAD", AHEAD), ("AHEAD_TOTAL", ALIGNED)):
        monkeypatch.setattr(portion, name, value)
    monkeypatch.setattr(judging, "ALIGNED", ALIGNED)


def watched(source, target, count=80, through=None):
    """So many rounds; the watch, and how many records of the source and of the target waited at most."""
    rounds, most = Rounds(source, target, through), [0, 0]
    for dummy in range(count):
        rounds.round()
        most = [max(most[0], len(rounds.track.pending)), max(most[1], len(rounds.track.fresh))]
    return rounds, most


def named(rounds):
    return [(found.kind, found.source_offset, found.target_offset, found.count) for found in rounds.track.faults]


def missing(hole, total, at=10):
    source = list(range(1000, 1000 + total))
    return source, source[:at] + source[at + hole :]


@pytest.mark.parametrize("hole", [90, 101, 110, 250, 390])
@pytest.mark.parametrize("through", [None, 5000])
def test_a_hole_met_while_it_catches_up_is_named(hole, through):
    rounds, most = watched(*missing(hole, 900), through=through)
    assert named(rounds) == [("missing", 10, None, hole)]
    assert rounds.part.stopped is None and rounds.part.examined == (900, 900 - hole)
    assert most[0] <= ALIGNED and most[1] <= AHEAD


def test_a_hole_of_more_than_is_aligned_stops_the_partition():
    rounds, most = watched(*missing(ALIGNED + 60, 900))
    assert f"more than {ALIGNED} records differ from source offset 10 on" in rounds.part.stopped
    assert most[0] <= ALIGNED + 1 and rounds.kept.state().partitions[rounds.track.place].stopped


def test_a_hole_at_the_end_is_named_though_the_target_has_little_behind_it():
    source, target = missing(150, 165)
    rounds, dummy = watched(source, target)
    assert named(rounds) == [("missing", 10, None, 150)]


def test_a_record_that_nobody_knows_stops_nothing_while_the_mirror_is_far_behind():
    source = list(range(1000, 2000))
    rounds, most = watched(source, [*source[:10], 7])
    assert rounds.part.stopped is None and most[0] <= ALIGNED
    rounds.target += source[10:]
    for dummy in range(80):
        rounds.round()
    assert named(rounds) == [("foreign", None, 10, 1)] and rounds.part.examined == (1000, 1001)


def test_a_watch_that_is_started_again_names_it_too():
    rounds, dummy = watched(*missing(250, 900), count=9)
    assert not named(rounds)
    rounds.open()
    for dummy in range(80):
        rounds.round()
    assert named(rounds) == [("missing", 10, None, 250)]


def test_nothing_is_aligned_again_while_nothing_more_was_read(monkeypatch):
    source = list(range(1000, 2000))
    rounds, dummy = watched(source, [*source[:10], 7])
    tried = []
    monkeypatch.setattr(judging.align, "blocks", lambda *sides: tried.append(sides))
    for dummy in range(9):
        rounds.round()
    assert not tried


def test_one_partition_at_a_time_is_read_beyond_what_all_may_have():
    full = [stuck(number, AHEAD, AHEAD) for number in range(3)]
    few = [stuck(number, 2 * AHEAD, 1) for number in range(3, 5)]
    assert rooms([*few, *full]) == [0, 0, AHEAD, 0, 0]
    assert rooms(few) == [AHEAD, 0]
    # The one that is furthest keeps its turn, also while it is not tried again yet.
    full[1].add_source(records(range(AHEAD)), 2 * AHEAD, None)
    assert rooms([*few, *full]) == [0] * 5
    full[1].tried = full[1].reached
    assert rooms([*few, *full]) == [0, 0, 0, AHEAD, 0]
    assert rooms([follow([1, 2], [1, 2]).track]) == [AHEAD]


def rooms(tracks):
    """How much may be read of each while as much waits as may wait of all."""
    return [portion._room(track, ALIGNED, portion._furthest(tracks)) for track in tracks]


@pytest.mark.parametrize(("held", "room"), [(AHEAD, 1), (AHEAD - 1, 0)])
def test_only_where_no_more_of_the_target_can_be_read_more_than_is_aligned_stops_it(held, room):
    track = stuck(0, ALIGNED, held)
    assert rooms([track]) == [room]
    for other in ((ALIGNED - 1, held), (ALIGNED, held - 1)):
        track.tried = (*other, *track.reached[2:])
        assert rooms([track]) == [0]


def test_a_larger_hole_is_tried_a_few_times(monkeypatch):
    tried, blocks = [], judging.align.blocks
    monkeypatch.setattr(judging.align, "blocks", lambda *sides: tried.append(len(sides[0])) or blocks(*sides))
    watched(*missing(390, 900))
    assert len([count for count in tried if count >= AHEAD]) == 4 and max(tried) == ALIGNED


def stuck(number, waiting, held):
    """A partition of which so many records of either side differ."""
    track = Track(("t", number), Confirmed("t", "a", "b"), target_read_whole=True)
    track.add_source(records(range(waiting)), waiting, None)
    track.add_target(records(range(5000, 5000 + held)), held, None)
    track.tried = track.reached
    return track
