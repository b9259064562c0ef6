# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of groups without an answer; real groups of every kind are in tests/real/offsets."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _other_groups as others

KINDS = {"orders": {"type": "classic", "protocol": "consumer"}, "shared": {"type": "share", "protocol": "share"},
         "streamed": {"type": "streams", "protocol": "streams"}, "connect-sink": {"type": "consumer", "protocol": "consumer"},
         "elsewhere": {"type": "classic", "protocol": "consumer"}, "never": {"type": "classic", "protocol": "consumer"}}


def said(kinds=KINDS, positions=("orders", "connect-sink"), placed=("orders",), named=("orders", "never", "typo")):
    found = others.other_groups(kinds, set(positions), set(placed), lambda name: not name.startswith("connect-"), named)
    return {one["group"]: one["why"] for one in found}


def test_each_is_told_by_what_it_is():
    assert said() == {"connect-sink": others.SINK[0], "never": others.NONE[0], "shared": others.SHARE[0], "streamed": others.STREAMS[0],
                      "typo": others.UNKNOWN[0]}


def test_a_group_of_other_topics_that_nobody_names_is_not_mentioned():
    assert "elsewhere" not in said()


def test_where_the_source_is_lost_those_that_are_named_are_still_told():
    assert said(kinds=None) == {"connect-sink": others.SINK[0], "never": others.NONE[0], "typo": others.NONE[0]}


@pytest.mark.parametrize("group, why", [("orders", others.NO_COPY), ("test", others.EXCLUDED)])
def test_a_position_that_cannot_be_brought_over_is_named(group, why):
    found = others.other_groups(None, {group}, set(), lambda name: name != "test", ())
    assert [(one["group"], one["why"]) for one in found] == [(group, why[0])]


def test_an_application_of_kafka_streams_is_told_by_its_changelogs():
    found = others.other_groups(KINDS, {"orders"}, {"orders"}, lambda name: True, (), ["orders-sums-changelog", "order-changelog", "x-orders-y-changelog"])
    assert [(one["group"], one["why"]) for one in found if one["group"] == "orders"] == [("orders", others.STATE[0])]
    assert "orders" not in said()
