# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic that the watch's own pattern means no longer was not deleted: nobody looks at it, and it is not stood for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import looking, reasons
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.health import troubles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import stand
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import proven_through, summarise
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tracks import restored, synchronise
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.unseen import held_to

NOW = 1_795_285_300_000
PLACE = ("orders", 0)


def state_of(reason=None, **more):
    read = {"begins": (0, 0), "through": (100, 100), "examined": (100, 100), "read": 100, "source_end": 100}
    part = Confirmed("orders", "s", "t", looked_at=NOW - 600_000, **{**read, **more})
    return WatchState(
        "m", "S", "T", at=NOW, round=9, not_watched={"orders": reason} if reason else {}, partitions={PLACE: part}
    )


@pytest.fixture
def listed(monkeypatch):
    """Names that the source lists; one with an ``x`` it hides."""
    names: set[str] = set()
    monkeypatch.setattr(
        looking, "topic_names", lambda client, pattern: sorted(name for name in names if name == "bills")
    )
    monkeypatch.setattr(looking, "describe_topics", lambda client, names: {})
    monkeypatch.setattr(looking, "visible_topics", lambda client, names: ({}, []))
    monkeypatch.setattr(looking, "effective_configs", lambda client, names, configs: {})
    monkeypatch.setattr(looking, "copied_of", lambda target, pattern, rename: {})
    monkeypatch.setattr(looking, "hidden_topics", lambda client, names: [name for name in names if "x" in name])
    return names


def looked(listed, pattern, known, deleted=()):
    client = SimpleNamespace(metadata=lambda: SimpleNamespace(topics=dict.fromkeys(listed)))
    side = cast(Any, SimpleNamespace(client=client))
    return looking.look(side, side, pattern, "identity", known, deleted=deleted).not_watched


@pytest.mark.parametrize("there", [True, False])
def test_what_the_pattern_means_no_longer_has_a_reason_of_its_own(listed, there):
    listed |= {"orders", "ox"} if there else set()
    assert looked(listed, "bills", ["orders", "ox"]) == dict.fromkeys(("orders", "ox"), reasons.UNASKED)


def test_what_it_means_still_is_looked_for_as_ever(listed):
    assert looked(listed, "orders|ox", ["orders", "ox"]) == {"ox": reasons.HIDDEN}


def test_what_was_deleted_before_stays_so_until_it_is_there_again(listed):
    """The record that ends a round names it no more: there may be very many."""
    assert looked(listed, "bills", ["orders"], deleted=["orders"]) == {}
    listed.add("orders")
    assert looked(listed, "bills", ["orders"], deleted=["orders"]) == {"orders": reasons.UNASKED}


@pytest.mark.parametrize("gone", [False, True])
def test_it_is_not_gone(gone):
    tracks = restored(state_of(gone=gone))
    not_watched, dropped = synchronise(tracks, looking.Survey({}, {"orders": reasons.UNASKED}), NOW)
    assert (not_watched, dropped) == ({"orders": reasons.UNASKED}, {})
    assert tracks[PLACE].part.gone is False


def test_it_is_not_stood_for():
    state = state_of(reasons.UNASKED)
    copy = {"topic_id": "t", "partitions": [0], "config": {}, "bounds": {0: (0, 100)}}
    found = stand(state, "orders", {"orders": [0]}, cast(Any, {"orders": copy}), NOW)
    assert (found.topics, found.left_out) == ([], {"orders": reasons.UNASKED})
    assert held_to(state) == set() and proven_through(state) == {}


def test_it_is_named_and_nothing_is_waited_for():
    found = summarise(state_of(reasons.UNASKED, waiting=7, oldest_waiting=NOW - 5000), now_ms=NOW)
    assert (found["unproven_records"], found["unproven_seconds"]) == (0, 0)
    assert [(row.kind, row.severity) for row in troubles(found, 60, 300)] == [("watch-leaves-out", "warning")]
