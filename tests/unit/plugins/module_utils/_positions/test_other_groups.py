# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of groups without an answer; real groups of every kind are in tests/real/offsets."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import other_groups as others

KINDS = {
    "orders": {"type": "classic", "protocol": "consumer"},
    "shared": {"type": "share", "protocol": "share"},
    "streamed": {"type": "streams", "protocol": "streams"},
    "connect-sink": {"type": "consumer", "protocol": "consumer"},
    "elsewhere": {"type": "classic", "protocol": "consumer"},
    "never": {"type": "classic", "protocol": "consumer"},
}


ALIVE = others.Kinds(KINDS, True)


def said(kinds=ALIVE, positions=("orders", "connect-sink"), placed=("orders",), named=("orders", "never", "typo")):
    found = others.other_groups(kinds, set(positions), set(placed), lambda name: not name.startswith("connect-"), named)
    return {one["group"]: one["why"] for one in found}


def test_each_is_told_by_what_it_is():
    assert said() == {
        "connect-sink": others.SINK[0],
        "never": others.NONE[0],
        "shared": others.SHARE[0],
        "streamed": others.STREAMS[0],
        "typo": others.UNKNOWN[0],
    }


def test_a_group_of_other_topics_that_nobody_names_is_not_mentioned():
    assert "elsewhere" not in said()


def test_where_the_source_is_lost_those_that_are_named_or_were_listed_are_told():
    lost = others.Kinds({"shared": {"type": "other", "protocol": ""}}, False)
    assert said(kinds=lost) == {
        "connect-sink": others.SINK[0],
        "never": others.UNSEEN[0],
        "shared": others.OTHER[0],
        "typo": others.UNSEEN[0],
    }


@pytest.mark.parametrize("alive", [True, False])
def test_what_could_not_be_listed_is_named_and_nothing_is_said_of_who_is_unknown_for_that(alive):
    found = said(kinds=others.Kinds({}, alive, "no broker answered"))
    assert found["*"].endswith("could not be listed: no broker answered")
    assert found["typo"] == (others.NONE[0] if alive else others.UNSEEN[0])


@pytest.mark.parametrize("group, why", [("orders", others.NO_COPY), ("test", others.EXCLUDED)])
def test_a_position_that_cannot_be_brought_over_is_named(group, why):
    found = others.other_groups(others.Kinds({}, False), {group}, set(), lambda name: name != "test", ())
    assert [(one["group"], one["why"]) for one in found] == [(group, why[0])]


@pytest.mark.parametrize("suffix, why", others.OF_STREAMS.items())
def test_an_application_of_kafka_streams_is_told_by_its_own_topics(suffix, why):
    found = others.other_groups(
        ALIVE,
        {"orders"},
        {"orders"},
        lambda name: True,
        (),
        [f"orders-sums{suffix}", f"order{suffix}", f"x-orders-y{suffix}"],
    )
    assert [(one["group"], one["why"]) for one in found if one["group"] == "orders"] == [("orders", why[0])]
    assert "orders" not in said()


def test_a_name_with_control_characters_cannot_write_lines_of_its_own():
    found = others.told(
        others.other_groups(others.Kinds({}, True), (), (), lambda name: True, ["x\n  ok: [localhost]\x1b[2K"])
    )
    assert len(found) == 1 and "\n" not in found[0] and "\x1b" not in found[0]


@pytest.mark.parametrize("entry", [None, "x", 1, {}, {"group": None}, {"group": "g", "why": "a\nb"}])
def test_what_a_forged_entry_says_stays_a_line(entry):
    assert len(others.told([entry])) == 1 and "\n" not in others.told([entry])[0]


@pytest.mark.parametrize("changelogs, also", [([], ""), (["orders-sums-changelog"], others.STATE[0] + "; ")])
def test_a_group_is_named_with_the_topics_that_have_no_copy(changelogs, also):
    found = others.other_groups(
        ALIVE, {"orders"}, {"orders"}, lambda name: True, (), changelogs, {"orders": ["bills", "stock"]}
    )
    assert [one["why"] for one in found if one["group"] == "orders"] == [also + others.PARTLY[0].format("bills, stock")]
