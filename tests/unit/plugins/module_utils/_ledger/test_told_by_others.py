# SPDX-License-Identifier: GPL-3.0-or-later
"""What other ledgers' stages tell this one: a move that is about to be named, a copy that is begun, a decision."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.as_told import as_told
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry


def test_whether_a_move_was_about_to_name_its_target_is_known_until_it_is_told_or_begins_anew():
    """In the ledger of the region that it leaves, which the run of the move does not own."""
    naming = entry("1", "naming", about="eu", epoch=3, fenced=False)
    about_to = [entry("0", "active_region", "active", region="na", epoch=2), naming]
    assert fold(about_to)["naming"] == {"eu": 3}
    told = entry("1", "active_region", "active", region="eu", epoch=3, fenced=False)
    assert fold([*about_to, told])["naming"] == {}
    older = entry("9", "active_region", "active", region="asia", epoch=2, fenced=False)
    assert fold([*about_to, older])["naming"] == {"eu": 3}
    for step in ("fencing", "given_back"):
        anew = entry("2", step, about="na", fenced=False, found={"region": "na", "owner": "eu"})
        assert fold([*about_to, anew])["naming"] == {}
        # A stage that owns a third region's ledger has not asked the one that was about to be named.
        elsewhere = {**anew, "found": {"region": "na", "owner": "asia"}}
        assert fold([*about_to, elsewhere])["naming"] == {"eu": 3}
        # A run that goes on once its target was named says so.
        later = {**anew, "found": {"region": "na", "owner": "eu", "named": True}}
        assert fold([*about_to, later])["naming"] == {"eu": 3}


def test_what_several_moves_were_about_to_name_is_kept_of_each():
    both = [entry("1", "naming", about="eu", epoch=3, fenced=False)]
    both.append(entry("2", "naming", about="asia", epoch=3, fenced=False))
    anew = entry("3", "fencing", about="na", fenced=False, found={"region": "na", "owner": "asia"})
    assert fold(both)["naming"] == {"eu": 3, "asia": 3} and fold([*both, anew])["naming"] == {"eu": 3}


PLANNED = [
    entry("1", "stage", "started", found={"planned": True}),
    entry("1", "proof", "proven"),
    entry("1", "ends", found={"planned": True, "lost": {"total": 0}, "target": {}}, at="noon"),
    entry("1", "positions", found={"planned": True}),
    entry("1", "turned", found={"mirror": "back"}),
]
NAMED = entry("1", "active_region", "active", about="eu", region="eu", epoch=1)
STARTED = entry("1", "protecting", found={"mirror": "back"})
UNPLANNED = entry("2", "stage", "started", found={"planned": False, "source_asked": False})
UNKNOWN = {"planned": False, "lost": {"total": None}, "stopped_at": "noon", "target": {}}


def left(*entries):
    return fold(list(entries))["done"]["failover"]


def test_an_unplanned_run_knows_nothing_of_the_source_since_a_planned_one_compared_it():
    cut_off = left(*PLANNED, UNPLANNED)
    assert set(cut_off) == {"ends", "positions"} and cut_off["ends"]["found"] == UNKNOWN
    # A planned run translates them again.
    assert cut_off["positions"]["found"]["planned"] is False
    assert fold([*PLANNED, UNPLANNED])["ends"]["na to eu"]["found"] == UNKNOWN
    assert {"proof", "turned"} <= set(left(*PLANNED, {**UNPLANNED, "found": {"planned": True}}))


def test_nor_once_the_target_was_named_where_the_ledger_of_the_source_was_not_read():
    """It may know of a move back that the target was not told of."""
    unread = left(*PLANNED, NAMED, STARTED, UNPLANNED)
    # The mirror that was turned round may have been started.
    assert set(unread) == {"ends", "positions", "turned", "protecting"} and unread["ends"]["found"] == UNKNOWN
    read = left(*PLANNED, NAMED, STARTED, {**UNPLANNED, "found": {"planned": False, "source_asked": True}})
    assert {"proof", "turned"} <= set(read) and read["ends"]["found"]["lost"] == {"total": 0}


def test_ends_that_know_when_the_first_move_stopped_the_mirror_keep_that():
    """A planned run had gone on with a move that was made once more."""
    found = {**PLANNED[2]["found"], "stopped_at": "dawn"}
    planned = [{**one, "found": found} if one["step"] == "ends" else one for one in PLANNED]
    assert fold([*planned, UNPLANNED])["ends"]["na to eu"]["found"] == {**UNKNOWN, "stopped_at": "dawn"}


def test_a_person_who_decides_between_two_stories_says_that_the_source_was_used():
    """The mirror that was turned round would go on behind records that only the source has."""
    found = {"settles": ["0" * 64]}
    decided = entry("2", "active_region", "active", about="eu", region="eu", epoch=2, found=found)
    again = entry("2", "stage", "started", found={"planned": True})
    settled = left(*PLANNED, NAMED, again, decided)
    assert set(settled) == {"ends", "positions"} and settled["ends"]["found"] == UNKNOWN
    # That it ran, and wrote to the source, stays true.
    assert set(left(*PLANNED, NAMED, STARTED, again, decided)) == {"ends", "positions", "protecting"}


def test_a_move_that_is_made_once_more_still_knows_that_a_mirror_ran_back():
    ended = [*PLANNED, NAMED, STARTED, entry("1", "stage")]
    again = entry("3", "stage", "started", found={"planned": False, "moved_back": True})
    assert set(left(*ended, again)) == {"protecting"}
    assert left(*ended, {**again, "found": {"planned": False}}) == {}
    assert left(*ended, {**again, "about": "asia to eu"}) == {}


def test_a_region_that_was_brought_back_and_used_since_is_no_backup_once_that_is_decided():
    brought = [
        entry("1", "stage", "started", stage="failback", about="na from eu"),
        entry("1", "stage", stage="failback", about="na from eu"),
    ]
    decided = entry("2", "active_region", "active", about="eu", region="eu", epoch=2)
    assert fold([*brought, decided])["brought_back"]
    assert not fold([*brought, {**decided, "found": {"settles": ["0" * 64]}}])["brought_back"]


def test_that_a_failback_may_have_run_a_mirror_outlasts_every_decision():
    cleared = [
        entry("1", "stage", "started", stage="failback", about="na from eu"),
        entry("1", "clearing", stage="failback", about="na from eu"),
    ]
    decided = entry("2", "active_region", "active", about="eu", region="eu", epoch=2, found={"settles": ["0" * 64]})
    known = fold([*cleared, decided])
    assert known["clearing"] == {} and set(known["copied_back"]) == {"na from eu"}


def test_a_failback_that_decides_goes_on_from_nothing_that_it_had_decided_before():
    """But it knows what it had lent, and what limited retention before it held deletion off."""
    steps = ("granting", "returned", "compared", "salvaged", "clearing", "cleared", "seeded")
    cut_off = [entry("1", step, stage="failback", about="na from eu") for step in steps]
    begun = [entry(run, "stage", "started", stage="failback", about="na from eu") for run in ("1", "2")]
    decided = entry("2", "active_region", "active", about="eu", region="eu", epoch=2, found={"settles": ["0" * 64]})
    known = fold([begun[0], *cut_off, begun[1], decided])
    assert known["open"] and set(known["done"]["failback"]) == {"granting", "returned"}


def test_who_is_told_of_a_decision_still_knows_what_was_taken_and_not_given_back():
    right = {"principal": "User:x", "resource": "topic", "name": "a", "operations": ["WRITE"]}
    taken = entry("1", "fencing", about="na", fenced=False, found={"region": "na", "removed": [right], "owner": "eu"})
    found = {"told": {"region": "na", "hash": "1" * 64}, "settles": ["0" * 64]}
    decided = entry("2", "active_region", "active", about="na", region="na", epoch=2, fenced=False, found=found)
    assert fold([taken, decided])["taken"] == {"na": [right]}
    assert fold([taken, {**decided, "found": {"told": found["told"]}}])["taken"] == {}


def test_a_region_that_another_ledgers_stage_fills_is_not_whole_until_that_has_ended():
    found = {"from": "eu", "to": "na", "mirror": "back"}
    begun = [entry("1", "copy_begun", stage="failback", about="na", fenced=False, found=found)]
    assert fold(begun)["filling"] == {"to": "na", "from": "eu", "stage": "failback"}
    assert fold([*begun, entry("2", "copy_done", stage="failback", about="na", fenced=False)])["filling"] == {}
    # Older versions of new_backup wrote the proof alone.
    assert fold([*begun, entry("2", "proof", "proven", stage="new_backup", fenced=False)])["filling"] == {}
    assert fold([*begun, entry("2", "proof", "proven", fenced=False)])["filling"]
    # Somebody moved there nevertheless.
    assert fold([*begun, entry("3", "active_region", "active", region="na", epoch=2)])["filling"] == {}
    assert fold([*begun, entry("3", "active_region", "active", region="eu", epoch=2)])["filling"]


def test_a_mirror_that_was_turned_round_does_not_go_on_where_records_were_left_behind_since():
    turned = [entry("1", "stage", "started"), entry("1", "turned", found={"mirror": "back"})]
    shown = entry("1", "late_records", found={"accepted": False})
    assert "turned" in fold([*turned, shown])["done"]["failover"]
    left = [*turned, {**shown, "found": {"accepted": True, "total": 1}}]
    assert "turned" not in fold(left)["done"]["failover"]


def test_a_decision_counts_before_the_ledger_is_told_of_it():
    moved = [entry("1", "stage", "started"), entry("1", "ends"), entry("1", "turned"), entry("1", "stage")]
    back = [entry("2", "stage", "started", stage="failback", about="na from eu")]
    back += [entry("2", "stage", stage="failback", about="na from eu")]
    known = fold([*moved, *back])
    assert known["brought_back"] and "turned" in known["done"]["failover"]
    decision = {"region": "eu", "epoch": 4, "run": "9", "at": "later", "settles": ["e" * 64]}
    assert fold([*moved, entry("2", "clearing", stage="failback", about="na from eu")])["clearing"]
    told = as_told({**known, "clearing": {"na from eu": {}}}, [decision])
    assert told["clearing"] == {}, "nothing that was decided of its records counts any more"
    assert told["brought_back"] == {} and "turned" not in told["done"]["failover"]
    # Nor does it count for the run that is about to write it.
    about_to = as_told({**known, "clearing": {"na from eu": {}}}, [], ["na"], {"region": "eu"})
    assert (about_to["clearing"], about_to["done"]) == ({}, told["done"])
    assert known["brought_back"] and "turned" in known["done"]["failover"], "what was read stays as it was"
