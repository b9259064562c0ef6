# SPDX-License-Identifier: GPL-3.0-or-later
"""Which positions of the target may be taken away, where the source is lost; living ones are in tests/real/offsets."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import Row
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import Checkpoint
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import left_over as rest

NAMES = MirrorNames("a", "b")
PLACE = ("orders", 0)
SEEN = {"groups": {}, "topics": {}, "at": 20_000, "ends": {"orders": {"0": 90}}}


def state(known, at=45, said=10_000, upstream=45, group="billing"):
    brought = rest.synced([Row(0, 0, said, Checkpoint("billing", "orders", 0, upstream, 45, ""))])
    source = rest.Source({PLACE}, rest.lacks_as_seen(known))
    rows = rest.left_over(
        NAMES, {group: {PLACE: at}}, {}, brought, source, lambda topic: topic == "orders", lambda name: True
    )
    return [row["state"] for row in rows]


def test_what_the_witness_saw_to_be_gone_after_the_mirror_said_it_is_taken_away():
    assert state(SEEN) == ["planned"]


@pytest.mark.parametrize(
    "known",
    [
        None,
        {**SEEN, "at": None},
        {**SEEN, "at": 10_000},
        {**SEEN, "ends": {"others": {"0": 90}}},
        {**SEEN, "ends": None},
        {**SEEN, "groups": {"billing": {"at": 20_000, "positions": {}, "seldom": True}}},
    ],
    ids=["no witness", "no round", "not later", "another topic", "no ends", "read seldom"],
)
def test_what_nobody_watched_stays(known):
    assert state(known) == ["kept"]


@pytest.mark.parametrize("words", [{"at": 46}, {"upstream": -1}, {"group": "other"}])
def test_what_no_checkpoint_says_is_of_unknown_origin(words):
    assert state(SEEN, **words) == ["doubtful"]


def test_a_position_that_the_source_has_is_none_left_over():
    source = rest.Source({PLACE}, lambda *dummy: True)
    assert rest.left_over(NAMES, {"g": {PLACE: 5}}, {"g": {PLACE}}, {}, source, lambda t: True, lambda n: True) == []


def test_topics_of_the_target_alone_and_others_are_not_looked_at():
    source = rest.Source({PLACE}, lambda *dummy: True)
    places = {("reports", 0): 5, ("secret", 0): 5}
    found = rest.left_over(NAMES, {"g": places}, {}, {}, source, lambda topic: topic != "secret", lambda n: True)
    assert found == []


def test_a_group_that_nobody_else_names_is_said_with_its_places():
    row = {"group": "g", "target_topic": "orders", "partition": 0, "offset": 45, "reason": "because"}
    (gone,) = rest.with_left_over([], [{**row, "state": "planned"}], [])
    assert "orders-0 (45)" in gone["why"] and "auto.offset.reset" in gone["remedy"] and gone["named"] is False
    before = {"group": "g", "kind": "unknown", "named": True, "why": rest.UNKNOWN[0], "remedy": rest.UNKNOWN[1]}
    (stays,) = rest.with_left_over([before], [{**row, "state": "doubtful"}], ["g"])
    assert "orders-0 at 45 (because)" in stays["why"] and "auto.offset.reset" not in stays["remedy"]
