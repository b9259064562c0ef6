# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a watch's runs are an offset map: those between which nothing else was copied."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.offset_map import merge_pairs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import offset_maps, reasons
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.offset_maps import (
    offset_map,
    read_maps,
    usable,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState

RUNS = [[0, 0, 5], [6, 10, 4], [20, 16, 10]]


def part(**more):
    proven = {"begins": (0, 0), "through": (31, 27), "examined": (31, 27), "read": 31, "records": 19}
    return Confirmed("orders", "s", "t", **{**proven, "map_runs": RUNS, **more})


@pytest.mark.parametrize(
    ("position", "copy"), [(0, 0), (4, 4), (5, 10), (6, 10), (12, 16), (29, 25), (30, None), (31, None)]
)
def test_a_position_leads_to_the_copy_of_the_next_record(position, copy):
    assert offset_map(part()).copy_at(position) == copy


@pytest.mark.parametrize(
    "more",
    [
        {"stopped": "its log is another one"},
        {"begins": None},
        {"differences": 1},
        {"duplicates": 1},
        {"target_id": ""},
        {"map_runs": []},
        {"begins": (40, 40)},
    ],
)
def test_what_may_hide_a_record_is_no_map(more):
    found = part()
    for name, value in more.items():
        setattr(found, name, value)
    assert usable(part()) and not usable(found)


def test_what_was_proven_before_records_were_skipped_is_left_out():
    found = offset_map(part(begins=(6, 10)))
    assert found.source_range == (6, 31) and found.copy_at(3) is None and found.copy_at(12) == 16


def test_pairs_from_before_the_map_count_on():
    found = offset_map(part(begins=(20, 16), map_runs=RUNS[2:]))
    assert merge_pairs([(0, 0), (8, 12)], found) == [(0, 0), (8, 12), (20, 16), (29, 25)]


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        (None, True),
        # The watch saw that it is still the topic of that id.
        (reasons.LEADERLESS, True),
        (reasons.HIDDEN_COPY, True),
        (reasons.HIDDEN, False),
        (reasons.GONE, False),
        (reasons.COMPACTED, False),
    ],
)
def test_a_topic_that_could_not_be_looked_at_keeps_its_map(monkeypatch, reason, kept):
    place = ("orders", 0)
    state = WatchState("m", not_watched={"orders": reason} if reason else {}, partitions={place: part()})
    monkeypatch.setattr(offset_maps, "require_state", lambda *words: state)
    monkeypatch.setattr(offset_maps, "same_logs", lambda client, tips: set(tips))
    assert (place in read_maps(None, None, "m", [place])) == kept


def test_a_topic_that_still_cannot_be_looked_at_holds_up_no_other(monkeypatch):
    places = [("orders", 0), ("bills", 0)]
    state = WatchState("m", not_watched={"bills": reasons.LEADERLESS}, partitions={place: part() for place in places})

    def same_logs(client, tips):
        if places[1] in tips:
            raise KafkaDrError("no broker leads it")
        return set(tips)

    monkeypatch.setattr(offset_maps, "require_state", lambda *words: state)
    monkeypatch.setattr(offset_maps, "same_logs", same_logs)
    assert list(read_maps(None, None, "m", places)) == places[:1]
