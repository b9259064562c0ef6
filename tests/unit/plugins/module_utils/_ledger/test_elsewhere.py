# SPDX-License-Identifier: GPL-3.0-or-later
"""What other regions' ledgers say against a stage."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.elsewhere import against, others
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry

MIRRORS = [
    {"source": "central", "target": "na"},
    {"source": "central", "target": "eu"},
    {"source": "eu", "target": "asia"},
]
HERE = {"active_region": "central", "active_at": "2026-01-01T00:00:00Z"}


def test_others_are_where_the_region_is_mirrored_to():
    assert others(MIRRORS, "central", "eu") == ["asia", "na"]
    assert others(MIRRORS, "central", "eu", True, ["new"]) == ["asia", "central", "na", "new"]
    assert others(MIRRORS, "eu", "asia") == ["central", "na"], "what one region holds, the next one holds too"
    assert others([*MIRRORS, {"source": "x", "target": "y"}], "x", "y", True) == ["x"]
    assert others([], "central", "eu", True) == [] == others(MIRRORS, "na", "na", False, ["na"])[3:]


def test_a_mirror_that_renames_connects_its_source_with_its_targets_alone():
    """Both regions of such a pair have applications of their own, and each ledger speaks of those of the other."""
    renaming = [{"source": one, "target": other, "policy": "default"} for one, other in ("ab", "ba", "ac", "xa")]
    assert others(renaming, "a", "b", True) == ["c"] and others(renaming, "b", "a", True) == []
    kept = {"source": "a", "target": "d", "policy": "identity"}
    assert others([*renaming, kept], "a", "b", True) == ["a", "c", "d"]


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ({"active_region": "central", "open": False}, None),
        ({"active_region": "", "open": False}, None),
        ({"active_region": "eu", "open": False}, None),
        (
            {
                "active_region": "central",
                "open": True,
                "stage": "failover",
                "about": "central to eu",
                "owner": "stage failover (central to eu), begun",
            },
            "stage failover (central to eu), begun has not ended in its ledger",
        ),
        (
            {"active_region": "central", "open": True, "stage": "recreate_from_backup", "about": "central from eu"},
            "stage recreate_from_backup (central from eu) has not ended in its ledger",
        ),
        ({"active_region": "central", "open": True, "stage": "failover", "about": "asia to eu"}, None),
        ({"active_region": "central", "open": True, "stage": "doctor", "about": "central to eu"}, None),
        (
            {"failed": True, "msg": "Cannot read\n metadata on eu"},
            "its ledger cannot be read: Cannot read metadata on eu",
        ),
        ({}, "its ledger cannot be read: no answer"),
    ],
)
def test_a_ledger_that_cannot_be_read_or_has_an_open_move_is_named(says, why):
    assert against({"eu": says}, "central", HERE) == ({"eu": why} if why else {})


def test_mirrors_to_several_regions_may_be_set_up_at_the_same_time():
    open_one = {
        "active_region": "central",
        "open": True,
        "stage": "initial_setup",
        "about": "central to eu",
        "owner": "stage initial_setup",
    }
    assert against({"eu": open_one}, "central", HERE, "initial_setup") == {}
    assert against({"eu": open_one}, "central", HERE, "failover") == {
        "eu": "stage initial_setup has not ended in its ledger"
    }


EMPTY = {**fold([]), "present": False, "witnessed": False}
WITNESSED = (
    "it has no ledger, although the topic of its position witness is there: "
    "it was deleted, or kafka_dr_ledger_topic names another"
)


def moved(region, **more):
    """A ledger that a move to this region was told to, whose run owned the ledger there."""
    return {**fold([entry("1", "active_region", "active", region=region, **more)]), "present": True}


def test_a_first_installation_has_no_ledger_anywhere():
    assert against({"na": EMPTY, "eu": EMPTY}, "central", EMPTY, "initial_setup", "eu") == {}
    assert against({"na": moved("central", fenced=True)}, "central", EMPTY, "initial_setup", "eu") == {}


def test_a_move_to_the_region_that_is_left_ends_first():
    there = {**fold([entry("1", "stage", "started", about="na to eu")]), "present": True, "owner": "its failover"}
    assert against({"eu": there}, "eu", EMPTY, "failover", "na") == {"eu": "its failover has not ended in its ledger"}
    assert against({"eu": there}, "central", EMPTY, "failover", "na") == {}


def test_a_ledger_that_was_deleted_is_no_empty_one():
    gone = {**EMPTY, "witnessed": True}
    assert against({}, "central", gone, "failover", "eu") == {"eu": WITNESSED}
    assert against({"na": gone}, "central", HERE, "failover", "eu") == {"na": WITNESSED}
    told = moved("eu", fenced=False)
    why = (
        "it has no ledger, although the ledger of central says that a failover moved the applications there: "
        "it was deleted, or kafka_dr_ledger_topic names another"
    )
    assert against({"central": told}, "central", EMPTY, "failover", "eu") == {"eu": why}
    assert against({"central": told, "eu": EMPTY}, "central", HERE, "failover", "na")["eu"] == why


def test_only_a_failover_that_owned_another_ledger_tells_of_that_ledger():
    """A set-up names its source in the target's ledger, and a new backup what it is of; these may have none."""
    for says in (
        moved("eu", fenced=True),
        moved("eu", fenced=False, stage="new_backup"),
        moved("eu", fenced=True, stage="initial_setup"),
    ):
        assert against({"central": says}, "central", EMPTY, "failover", "eu") == {}
    again = fold(
        [
            entry("1", "active_region", "active", region="eu", fenced=False),
            entry("2", "active_region", "active", region="central", stage="initial_setup"),
        ]
    )
    assert again["moved_to"] == ""


def test_a_ledger_that_others_repeat_was_there():
    first = {"region": "central", "hash": "a" * 64, "at": "", "by": "", "run": "1", "stage": "initial_setup"}
    word = entry("2", "active_region", "active", region="na", epoch=1, fenced=False, found={"told": first})
    says = {**fold([word]), "present": True}
    assert against({"central": EMPTY}, "na", says, "fence", "eu") == {
        "central": "it has no ledger, although the ledger of eu repeats its last epoch: it was deleted, or "
        "kafka_dr_ledger_topic names another"
    }
    later = entry("3", "active_region", "active", region="eu", epoch=2)
    assert against({"central": EMPTY}, "na", {**fold([word, later]), "present": True}, "fence", "eu") == {}


@pytest.mark.parametrize(
    ("stage", "about", "left", "own", "speaks"),
    [
        # A failback saves records into the region that a move would leave, and needs both of its regions as they are.
        ("failback", "na from eu", "eu", "asia", "failover"),
        ("failback", "na from eu", "na", "asia", "failover"),
        ("failback", "na from eu", "central", "asia", ""),
        ("failover", "eu to asia", "na", "eu", "failback"),
        ("failover", "eu to asia", "na", "eu", ""),
        ("failover", "central to asia", "na", "eu", ""),
    ],
)
def test_a_failback_and_a_move_of_the_same_regions_wait_for_each_other(stage, about, left, own, speaks):
    found = {"there": fold([entry("1", "stage", "started", stage=stage, about=about)])}
    assert bool(against(found, left, HERE, speaks, own)) is bool(speaks)


def test_a_stage_that_a_move_overtook_says_nothing_more():
    found = {"na": fold([entry("1", "stage", "started", about="eu to na"), entry("1", "ends", about="eu to na")])}
    assert against(found, "na", EMPTY, "failover", "eu")
    assert against(found, "na", EMPTY, "failover", "eu", {"na": [{"run": "7", "epoch": 3}]}) == {}
    assert against(found, "na", EMPTY, "failover", "eu", {"eu": [{"run": "7", "epoch": 3}]})


def test_the_move_that_a_stage_gives_up_may_be_open_and_no_other_one():
    there = {**fold([entry("1", "stage", "started")]), "present": True, "owner": "its failover"}
    refused = {"eu": "its failover has not ended in its ledger"}
    assert against({"eu": there}, "na", EMPTY, "abort_move", "na", gives_up="na to eu") == {}
    assert against({"eu": there}, "na", EMPTY, "abort_move", "na", gives_up="na to asia") == refused
    assert against({"eu": there}, "na", EMPTY, "failover", "asia") == refused
    assert "cannot be read" in against({"eu": {}}, "na", EMPTY, "abort_move", "na", gives_up="na to eu")["eu"]


def test_a_region_that_may_have_been_named_and_cannot_be_read_is_told_as_such():
    """The person who accepts that it cannot be read has to know what they accept."""
    own = {**HERE, "epoch": 1, "naming": {"eu": 2}}
    silent = {"msg": "Cannot read metadata on eu"}
    named = (
        "the ledger of central says that a move was about to name it as the active region (epoch 2), so that "
        "applications may work there"
    )
    read = "its ledger cannot be read: Cannot read metadata on eu"
    assert against({"eu": silent}, "central", own, own_region="central") == {"eu": f"{read}; {named}"}
    # The stage of a third region, which reads the ledger of the one that was left.
    asked = {"central": own, "eu": silent}
    assert against(asked, "central", {**HERE, "epoch": 1}, own_region="asia")["eu"] == f"{read}; {named}"
    # It answers, and says itself what became of it; or a later move was made.
    assert against({"central": own, "eu": {**HERE, "epoch": 1}}, "central", HERE, own_region="asia") == {}
    assert against({"eu": silent}, "central", {**own, "epoch": 2}, own_region="central") == {"eu": read}
