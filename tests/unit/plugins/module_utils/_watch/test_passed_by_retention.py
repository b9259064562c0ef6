# SPDX-License-Identifier: GPL-3.0-or-later
"""The source's retention passes a watch while records wait: what it took is named, and the watch goes on from it."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import stand
from tests.support.following import PLACE
from tests.support.rounds_in_memory import Rounds

LOG = list(range(1000, 1400))


def passed(start=300, restarted=False):
    """150 records were there, of which the mirror had copied 100; then 250 more, and those below 300 are deleted."""
    rounds = Rounds(LOG[:150], LOG[:100])
    rounds.round()
    assert (rounds.part.through, rounds.part.waiting) == ((100, 100), 50)
    rounds.source += LOG[150:]
    rounds.starts[0] = start
    if restarted:
        rounds.open()
    rounds.round()
    return rounds


def doubts(state):
    copy = {"topic_id": "b", "config": {}, "partitions": [0], "bounds": {0: (0, 100)}}
    return stand(state, ".*", {"t": [0]}, {"t": copy}, 10**12)


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("more", [0, 1, 2])
def test_the_watch_goes_on_from_its_state(restarted, more):
    rounds = passed(restarted=restarted)
    for dummy in range(more):
        rounds.round()
    assert [(window.low, window.high) for window in rounds.track.windows] == [(300, 400)]
    rounds.open()
    assert rounds.part.stopped is None and rounds.track.pending.content.tolist() == LOG[300:]
    rounds.target += LOG[300:]
    rounds.round()
    assert (rounds.part.begins, rounds.part.through) == ((300, 100), (400, 200))
    assert rounds.kept.state().windows == {}


@pytest.mark.parametrize("start", [150, 151, 300, 399, 400])
def test_what_expired_unread_or_unconfirmed_is_never_proven(start):
    rounds = passed(start)
    lost = start - 100 if start > 150 else 0
    assert rounds.part.unproven == lost and rounds.part.read == 400
    found = doubts(rounds.kept.state())
    assert not found.faults
    assert found.doubts == ({PLACE: [f"{lost} records were never compared"]} if lost else {})


def test_what_expired_counts_once():
    part = passed().part
    assert part.begins is None and part.through == part.examined == (300, 100)
