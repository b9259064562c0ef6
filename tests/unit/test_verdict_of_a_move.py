# SPDX-License-Identifier: GPL-3.0-or-later
"""What the entry that ends a planned move says of the copy: its verdict, and what was lost."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.test_modes_of_a_move import ACTIVE, BEGUN, GONE, OTHERWISE, ROLES, TURNED, ended, entry, evaluated


@pytest.mark.parametrize(
    ("entries", "verdict", "lost"),
    [
        (TURNED, "PROVEN", 1),
        ([*TURNED, GONE], "LOSS", None),
        ([*TURNED, entry("2", "late_records", found={"accepted": True, "total": 3})], "LOSS", None),
        ([*TURNED, entry("2", "late_records", found={"accepted": True, "total": 0})], "NOT_PROVABLE", None),
        ([*TURNED, entry("2", "late_records", found={"accepted": False, "total": 0, "exact": True})], "PROVEN", 0),
        # What came late may have expired.
        ([*TURNED, entry("2", "late_records", found={"accepted": False, "total": 0, "exact": False})], "PROVEN", 1),
        ([*TURNED, entry("2", "proof", "not_provable", found={"source": "na", "report": ""})], "PROVEN", 1),
        ([*TURNED, OTHERWISE, ACTIVE, entry("3", "proof", "proven", found={"verdict": "PROVEN"})], "LOSS", None),
        ([*TURNED, OTHERWISE, ACTIVE], "LOSS", None),
        ([BEGUN, ended(True)], "no proof", 1),
    ],
)
def test_the_end_of_a_move_says_what_the_target_holds(entries, verdict, lost):
    # Such as the marker of a transaction.
    values = at_the_end(entries, {"lost": {"total": 1}})
    assert (values["verdict"], values["lost"]["total"]) == (verdict, lost)


@pytest.mark.parametrize(("verdict", "lost"), [("PROVEN", 0), ("DUPLICATES", 0), ("no proof", None)])
def test_a_complete_copy_shows_what_no_witness_does(verdict, lost):
    """A copy with duplicates lacks nothing."""
    exact = entry("2", "late_records", found={"accepted": False, "total": 0, "exact": True})
    proof = entry("2", "proof", "proven", found={"source": "na", "verdict": verdict, "complete": True})
    assert at_the_end([*TURNED, exact, proof], {"lost": {"total": None}})["lost"]["total"] == lost


def at_the_end(entries, ends):
    """``{verdict, lost}`` of the entry that ends a planned move."""
    tasks = yaml.safe_load((ROLES / "failover" / "tasks" / "show.yml").read_text())
    given = next(one for one in tasks if one["name"] == "show | End the stage in the ledger")["vars"]
    known = fold([*entries, entry("3", "stage", "started")])
    values = {
        "__failover_steps": known["done"]["failover"],
        "ledger_known": known,
        "__failover_catches_up": False,
        # Of this run, whose job died; what the ledger says goes before.
        "__failover_proof": {"verdict": "no proof"},
        "__failover_proven": known["done"]["failover"].get("proof", {}).get("found", {}),
        "__failover_ends": ends,
        "failover_planned": True,
    }
    given.update(yaml.safe_load((ROLES / "failover" / "vars" / "main.yml").read_text()))
    for name in ("ended_before", "late_found", "lacking", "shown", "by_source", "unknown"):
        values[f"__failover_{name}"] = evaluated(given[f"__failover_{name}"], values)
    return {name: evaluated(given["ledger_found"][name], values) for name in ("verdict", "lost")}
