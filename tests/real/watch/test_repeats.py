# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror that goes on from an older place repeats records. They are no one else's, also where the source has deleted
them meanwhile.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import rounds
from tests.real.proof.support import delete_before, some

from .test_accepting import accept
from .watching import said, watch_of

pytestmark = pytest.mark.real
ROWS = some(2000, headers=())


def proven(pair, topic):
    watching = watch_of(pair, topic)
    for where in pair:
        watching.write(where, ROWS)
    watching.rounds()
    return watching


@pytest.mark.parametrize("more", [0, 20])
def test_what_the_source_has_deleted_meanwhile_is_known_by_the_copy_of_it(pair, more):
    topic = f"w.repeats.{more}"
    watching = proven(pair, topic)
    delete_before(pair["source"], topic, 0, 1500)
    later = some(more, "later", headers=())
    watching.write("target", ROWS[1000:1100])
    for where in pair:
        watching.write(where, later)
    state = watching.rounds(lambda state: state.partitions[topic, 0].duplicates)
    assert (state.partitions[topic, 0].duplicates, said(state)) == (100, [])
    assert state.partitions[topic, 0].through == (2000 + more, 2100 + more if more else 2100)


@pytest.mark.parametrize("known", ["named", "accepted", "accepted_before"])
def test_what_only_the_target_has_is_known_by_no_copy(pair, monkeypatch, known):
    monkeypatch.setattr(rounds, "ACCEPTED_SECONDS", 0)
    topic = f"w.repeats.{known}"
    watching = proven(pair, topic)
    delete_before(pair["source"], topic, 0, 1500)
    for number in (1, 2):
        watching.write("target", some(10, "of others", headers=()))
        state = watching.rounds(lambda state, number=number: len(state.differences) == number)
        if number == 1 and known != "named":
            accept(watching, state.differences[0].id(topic))
            watching.rounds(lambda state: state.partitions[topic, 0].through == (2000, 2010))
        if number == 1 and known == "accepted_before":
            watching.watch.close()
            watching.open()
    assert [(found.kind, found.count) for found in state.differences] == [("foreign", 10)] * 2
    assert state.partitions[topic, 0].duplicates == 0


def test_what_was_there_before_the_watch_began_is_no_copy(pair):
    topic = "w.repeats.older"
    watching = watch_of(pair, topic)
    strange = some(5, "of others", headers=())
    watching.write("target", strange)
    for where in pair:
        watching.write(where, ROWS)
    assert watching.rounds().partitions[topic, 0].older == 5
    delete_before(pair["source"], topic, 0, 1500)
    watching.write("target", strange)
    state = watching.rounds(lambda state: state.differences or state.partitions[topic, 0].duplicates)
    assert [(found.kind, found.count) for found in state.differences] == [("foreign", 5)]
    assert state.partitions[topic, 0].duplicates == 0


def test_a_copy_is_known_beside_a_difference_that_the_target_deleted(pair, monkeypatch):
    monkeypatch.setattr(rounds, "ACCEPTED_SECONDS", 0)
    topic = "w.repeats.deleted"
    watching = proven(pair, topic)
    watching.write("target", some(10, "of others", headers=()))
    state = watching.rounds(lambda state: len(state.differences) == 1)
    accept(watching, state.differences[0].id(topic))
    watching.rounds(lambda state: state.partitions[topic, 0].through == (2000, 2010))
    later = some(500, "later", headers=())
    for where in pair:
        watching.write(where, later)
    watching.rounds(lambda state: state.partitions[topic, 0].through == (2500, 2510))
    delete_before(pair["source"], topic, 0, 2400)
    delete_before(pair["target"], topic, 0, 2200)
    watching.write("target", later[300:320])
    state = watching.rounds(lambda state: state.partitions[topic, 0].duplicates)
    assert (state.partitions[topic, 0].duplicates, said(state)) == (20, [])
