# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics that are hidden, made again with fewer partitions, or mended: what the page says of them is so."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import NewPartitions

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import rounds
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import HIDDEN
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import summarise
from tests.real.ledger.guarded import guarded, let_read
from tests.real.proof.support import admin, create, drop, some, write

from .test_closing import closed
from .watching import Watching, said, side, watch_of

pytestmark = pytest.mark.real

ROWS = some(200, headers=())


def test_a_topic_that_was_hidden_from_the_beginning_is_named(pair, tmp_path):
    source, of_user = guarded(tmp_path, "hides", ["watcher"])
    names = {"w.hidden.shown": (1, {}), "w.hidden.not": (1, {})}
    watching = Watching(pair, "w.hidden")
    try:
        for cluster in (source, pair["target"]):
            create(cluster, names)
            write(cluster, dict.fromkeys(names, ROWS))
        create(pair["target"], {"w.hidden.own": (1, {})})
        let_read(source, "watcher", "w.hidden.shown", "w.hidden.own")
        described = {**side(source, "source"), "config": of_user("watcher")}
        watching.watch = rounds.Watch(described, side(pair["target"], "target"), rounds.Options(**watching.options))
        state = watching.rounds()
        assert state.not_watched == {"w.hidden.not": HIDDEN} and said(state) == ["watch-leaves-out"]
        assert state.partitions["w.hidden.shown", 0].records == 200
    finally:
        source.stop()


def test_a_topic_made_again_with_fewer_partitions_is_watched(pair):
    topic = "w.fewer"
    watching = watch_of(pair, topic, 3)
    for where in pair:
        watching.write(where, [row.but(partition=at % 3) for at, row in enumerate(ROWS)])
    watching.rounds()
    for cluster in pair.values():
        drop(cluster, [topic])
        create(cluster, {topic: (2, {})})
    for where in pair:
        watching.write(where, [row.but(partition=at % 2) for at, row in enumerate(ROWS)])
    state = watching.rounds(lambda state: set(state.partitions) == {(topic, 0), (topic, 1)})
    state = watching.rounds(lambda state: all(part.records == 100 for part in state.partitions.values()))
    assert state.not_watched == {} and said(state) == []
    # A third one that comes later is a new one.
    for where in pair:
        client = admin(pair[where])
        client.create_partitions([NewPartitions(topic, 3)])[topic].result(30)
        watching.write(where, [row.but(partition=2) for row in ROWS[:30]])
    state = watching.rounds(lambda state: (topic, 2) in state.partitions and state.partitions[topic, 2].records == 30)
    assert said(state) == []


def test_a_topic_that_was_deleted_on_both_sides_is_not_judged(pair):
    topic, old = "w.both", "w.both.old"
    watching = Watching(pair, topic)
    for cluster in pair.values():
        create(cluster, {topic: (1, {}), old: (1, {})})
    for where in pair:
        watching.write(where, ROWS)
        watching.write(where, ROWS, old)
    watching.rounds()
    drop(pair["source"], [old])
    watching.rounds(lambda state: state.not_watched)
    bounds = {"mirrored_through": {topic: {"0": len(ROWS)}, old: {"0": len(ROWS)}}}
    # Its copy is whole, and all that had been copied of it was proven.
    assert closed(watching, bounds)["verdict"] == "PROVEN"
    drop(pair["target"], [old])
    report = closed(watching, bounds)
    assert report["verdict"] == "PROVEN" and any(old in reason for reason in report["reasons"]), report["reasons"]


def test_a_topic_that_was_mended_and_copied_anew_is_proven(pair):
    topic = "w.mended"
    watching = watch_of(pair, topic)
    watching.write("source", ROWS)
    watching.write("target", [*ROWS[:70], *ROWS[71:]])
    state = watching.rounds(lambda state: state.differences)
    assert "watch-differs" in said(state)
    watching.copy_anew(ROWS)
    for dummy in range(2):
        state = watching.rounds(lambda state: state.partitions[topic, 0].records == 200)
        assert said(state) == [] and summarise(state)["differences"] == []
        assert len(state.differences) == 1, "what was found is forgotten"
        watching.watch.close()
        watching.open()
