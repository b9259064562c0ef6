# SPDX-License-Identifier: GPL-3.0-or-later
"""What stages that own another ledger tell this one: a move that is about to be named, a copy that is begun."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry


def test_whether_a_move_was_about_to_name_its_target_is_known_until_it_is_told_or_begins_anew():
    """In the ledger of the region that it leaves, which the run of the move does not own."""
    naming = entry("1", "naming", about="eu", epoch=3, fenced=False)
    about_to = [entry("0", "active_region", "active", region="na", epoch=2), naming]
    assert fold(about_to)["naming"] == {"region": "eu", "epoch": 3}
    told = entry("1", "active_region", "active", region="eu", epoch=3, fenced=False)
    assert fold([*about_to, told])["naming"] == {}
    older = entry("9", "active_region", "active", region="asia", epoch=2, fenced=False)
    assert fold([*about_to, older])["naming"] == {"region": "eu", "epoch": 3}
    for step in ("fencing", "given_back"):
        anew = entry("2", step, about="na", fenced=False, found={"region": "na", "owner": "eu"})
        assert fold([*about_to, anew])["naming"] == {}
        # A stage that owns a third region's ledger has not asked the one that was about to be named.
        elsewhere = {**anew, "found": {"region": "na", "owner": "asia"}}
        assert fold([*about_to, elsewhere])["naming"] == {"region": "eu", "epoch": 3}


def test_an_unplanned_run_knows_nothing_of_the_source_since_a_planned_one_compared_it():
    planned = [
        entry("1", "stage", "started", found={"planned": True}),
        entry("1", "proof", "proven"),
        entry("1", "ends", found={"planned": True}),
        entry("1", "positions", found={"planned": True}),
        entry("1", "turned", found={"mirror": "back"}),
    ]
    unplanned = entry("2", "stage", "started", found={"planned": False})
    assert set(fold([*planned, unplanned])["done"]["failover"]) == {"ends", "positions"}
    again = {**unplanned, "found": {"planned": True}}
    assert {"proof", "turned"} <= set(fold([*planned, again])["done"]["failover"])
    # Once the target is named, nobody but it was used.
    named = entry("1", "active_region", "active", about="eu", region="eu", epoch=1)
    assert {"proof", "turned"} <= set(fold([*planned, named, unplanned])["done"]["failover"])


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
