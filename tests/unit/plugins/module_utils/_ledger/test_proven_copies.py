# SPDX-License-Identifier: GPL-3.0-or-later
"""What is proven of a copy, and whether a mirror goes on from it, as the latest entry has it."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.copies import asked_source
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry

REGIONS = {"source": "na", "target": "eu"}
PROVEN = entry("1", "proof", "proven", found={**REGIONS, "complete": True})
TURNED = [entry("1", step) for step in ("turned", "protecting", "protected")]
MOVE = [entry("1", "stage", "started"), PROVEN, entry("1", "ends"), entry("1", "positions"), *TURNED]


def done(*later, stage="failover"):
    return set(fold([*MOVE, entry("2", "stage", "started"), *later])["done"][stage])


def test_nothing_said_otherwise_all_stays():
    assert done() == {"proof", "ends", "positions", "turned", "protecting", "protected"}


@pytest.mark.parametrize("state", ["different", "not_provable"])
def test_a_proof_outlives_no_later_one_that_shows_otherwise(state):
    later = entry("2", "proof", state, found={**REGIONS, "complete": False, "report": "/r/report.json"})
    assert done(later) == {"ends", "positions", "disproven"}
    again = entry("3", "proof", "proven", found={**REGIONS, "complete": True})
    assert done(later, again) == {"proof", "ends", "positions"}, "what is proven again has to be turned again"


def test_no_mirror_goes_on_from_a_proof_that_is_not_complete():
    assert done(entry("2", "proof", "proven", found={**REGIONS, "complete": False})) == {"proof", "ends", "positions"}


def test_no_mirror_goes_on_from_a_copy_of_which_something_is_gone():
    assert done(entry("2", "gone", found={"topics": ["orders-0"]})) == {"proof", "ends", "positions", "gone"}


def test_what_an_earlier_run_had_seeded_stands_no_more_once_it_is_seeded_anew():
    before = [*MOVE[:-2]]
    assert "turned" in fold(before)["done"]["failover"]
    anew = [*before, entry("2", "turning")]
    assert "turned" not in fold(anew)["done"]["failover"]
    assert "turned" in fold([*anew, entry("2", "turned")])["done"]["failover"]


@pytest.mark.parametrize(("accepted", "left"), [(True, set()), (False, {"turned", "protecting", "protected"})])
def test_nor_from_one_that_leaves_records_behind(accepted, left):
    assert done(entry("2", "late_records", found={"accepted": accepted})) - {"late_records"} == {
        "proof",
        "ends",
        "positions",
        *left,
    }


WHOLE = {"proof", "ends", "positions", "turned", "protecting", "protected"}


def test_a_job_that_died_compared_nothing():
    assert done(entry("2", "proof", "not_provable", found={**REGIONS, "complete": False, "report": ""})) == WHOLE


def test_a_manifest_says_nothing_of_what_was_compared_between_the_regions():
    later = entry("2", "proof", "different", found={"source": "/backups/manifest", "target": "eu", "complete": False})
    assert done(later) == {*WHOLE, "disproven"}


WRONG = entry("2", "proof", "different", found={**REGIONS, "complete": False, "verdict": "LOSS"})
ACTIVE = entry("2", "active_region", "active", region="eu")


def test_a_loss_that_the_source_itself_showed_is_taken_back_by_no_manifest():
    against = {"source": "/backups/manifest", "target": "eu", "complete": True}
    later = entry("3", "proof", "proven", found=against)
    assert "disproven" in done(WRONG, later)
    other = entry("2", "proof", "different", found={**against, "complete": False})
    assert "disproven" not in done(other, later) and "disproven" not in done(other, PROVEN)
    # Who could not tell is no witness against who can, whatever either went by.
    assert "disproven" not in done(dict(WRONG, state="not_provable"), later)


@pytest.mark.parametrize("asked", [True, False])
def test_nor_by_an_unplanned_run(asked):
    """Whoever repaired it meanwhile cannot show that without the source."""
    begun = entry("3", "stage", "started", found={"planned": False, "source_asked": asked})
    assert "disproven" in done(WRONG, ACTIVE, begun)
    assert "disproven" in done(WRONG, begun)
    against = {"source": "/backups/manifest", "target": "eu", "complete": True}
    assert "disproven" in done(WRONG, begun, ACTIVE, entry("3", "proof", "proven", found=against))


@pytest.mark.parametrize(
    ("late_found", "lost", "proven", "asked"),
    [
        ({"exact": True, "accepted": False}, {"total": 1}, False, True),
        # Records may have expired since; a topic may be another one; nobody looked.
        ({"exact": False, "accepted": False}, {"total": 1}, True, False),
        ({"exact": True, "accepted": False}, {"total": None, "unknown": ["orders"]}, False, False),
        ({"exact": True, "accepted": False}, {"total": None}, False, False),
        ({"exact": True, "accepted": False}, {"total": None, "unknown": ["orders"]}, True, True),
        ({"exact": True, "accepted": True}, {"total": 1}, True, False),
        ({}, {"total": 1}, True, False),
    ],
)
def test_the_source_itself_says_that_nothing_is_missing_where_it_can(late_found, lost, proven, asked):
    assert asked_source(late_found, lost, proven) is asked


def late(run, records, accepted=True, exact=True):
    rows = [{"topic": "orders", "partition": 0, "begin": 7, "records": records}] if records else []
    what = f"orders-0 has {records} from offset 7" if records else ""
    found = {"accepted": accepted, "total": records, "late": rows, "exact": exact, "what": what}
    return entry(run, "late_records", found=found)


@pytest.mark.parametrize(
    ("looks", "total", "exact"),
    [
        ([late("2", 3), late("2", 3)], 3, True),
        # Whether the two that are left were among the three, nobody knows.
        ([late("2", 3), late("3", 2)], 3, False),
        ([late("2", 3), late("3", 5)], 5, False),
        ([late("2", 3), late("3", 0, accepted=False)], 3, False),
    ],
)
def test_late_records_that_were_accepted_stay_so_though_the_source_deletes_them(looks, total, exact):
    found = fold([*MOVE, *looks])["done"]["failover"]["late_records"]["found"]
    assert (found["accepted"], found["total"], found["exact"]) == (True, total, exact)
    assert "orders-0 has 3 from offset 7" in found["what"]


def test_so_does_what_was_accepted_without_a_count():
    """A log that was shorter may have been written to since, and a transaction may have been committed and deleted."""
    found = {"accepted": True, "total": 0, "late": [], "exact": False, "what": "orders-0 ends at 5"}
    unknown = entry("2", "late_records", found=found)
    found = fold([*MOVE, unknown, late("3", 0, accepted=False)])["done"]["failover"]["late_records"]["found"]
    assert (found["accepted"], found["exact"], found["what"]) == (True, False, "orders-0 ends at 5")


def test_a_count_is_exact_only_where_both_looks_were():
    found = fold([*MOVE, late("2", 3), late("2", 3, exact=False)])["done"]["failover"]["late_records"]["found"]
    assert not found["exact"]


@pytest.mark.parametrize("step", ["proof", "gone"])
def test_a_mirror_that_may_run_is_not_forgotten_whatever_is_found_once_the_target_is_in_use(step):
    """Such as by a proof against a manifest that is named like the source."""
    active = entry("2", "active_region", "active", region="eu")
    later = entry("3", step, "different" if step == "proof" else "done", found={**REGIONS, "complete": False})
    assert done(active, later) >= {"turned", "protecting", "protected"}


def test_a_region_that_is_filled_lacks_records_until_its_copy_is_proven():
    begun = entry("2", "copy_begun", stage="new_backup", found={"to": "na", "from": "eu"})
    rows = [
        begun,
        entry("2", "proof", "different", stage="new_backup"),
        entry("3", "proof", "proven", stage="new_backup"),
    ]
    assert [bool(fold([*MOVE, *rows[:count]])["filling"]) for count in (1, 2, 3)] == [True, True, False]
