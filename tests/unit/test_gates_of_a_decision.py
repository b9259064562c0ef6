# SPDX-License-Identifier: GPL-3.0-or-later
"""The failback that decides between two stories is judged as one that comes after the decision.

A failback had ended, or made room for a copy at least, so that a mirror wrote to the region. Then a move home was given
up in the one region, and had named the other.
"""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry
from tests.unit.test_gates_of_failback import ENDS, FOUND, STATE, said
from tests.unit.test_gates_of_stages import ROLES

pytestmark = pytest.mark.slow
FAILBACK, HOME = ({"stage": "failback", "about": "na from eu"}, {"about": "eu to na"})
FIRST = {"epoch": 1, "epoch_from": {"epoch": 0, "region": "", "hash": ""}, "hash": f"{101:064x}"}
BOTH = {"epoch": 2, "epoch_from": {"epoch": 1, "region": "eu", "hash": FIRST["hash"]}}
REPLAY, NONE = ([{"topics": ".*", "action": action}] for action in ("replay", "none"))


def ledger(entries):
    # The clock of whoever wrote the ends is ahead.
    rows = [
        {
            "by": "stages",
            "found": {},
            "hash": f"{at:064x}",
            **one,
            "offset": at,
            "at": f"2026-01-01T{hour}:{at:02d}:00Z",
        }
        for at, one in enumerate(entries)
        for hour in ("09" if one["step"] == "ends" else "00",)
    ]
    return {**fold(rows), "present": True, "verified": True, "owner": "a stage", "writers": []}


def two_stories(*, ended, decided=()):
    """What the ledgers of eu and of na say."""
    moved = [
        entry("1", "stage", "started"),
        entry("1", "ends", found=ENDS["found"]),
        entry("1", "active_region", "active", about="eu", region="eu", **FIRST),
        entry("1", "stage"),
    ]
    given_up = [
        entry("4", "stage", "started", stage="abort_move", **HOME),
        entry("4", "active_region", "active", stage="abort_move", about="eu", region="eu", hash=f"{102:064x}", **BOTH),
        entry("4", "stage", stage="abort_move", **HOME),
    ]
    copied = [entry("2", step, **FAILBACK) for step in ("clearing", "cleared", "seeded")]
    copied = [entry("2", "stage", "started", **FAILBACK), *copied]
    # One that was cut off is run again by a person who decides.
    eu = [*moved, *copied, entry("2", "stage", **FAILBACK), *given_up] if ended else [*moved, *given_up, *copied]
    told = {"region": "eu", "hash": FIRST["hash"], "at": "", "by": "x", "run": "1", "stage": "failover"}
    first = {**FIRST, "hash": f"{103:064x}", "found": {"told": told}}
    na = [
        entry("1", "active_region", "active", about="eu", region="eu", **first, fenced=False),
        entry("3", "stage", "started", **HOME),
        entry("3", "active_region", "active", about="na", region="na", hash=f"{104:064x}", **BOTH),
        entry("3", "stage", **HOME),
    ]
    return ledger([*eu, *decided]), ledger(na)


def refusals(directory, known, there, accepted, **more):
    """By what the stage's own tasks make of the ledgers."""
    keeps = yaml.safe_load((ROLES / "ledger" / "tasks" / "elsewhere.yml").read_text())[-1]
    found = {key: value for key, value in FOUND.items() if key != "__failback_there"}
    given = {
        **{"ledger_left": "na", "ledger_left_by": "failback", "ledger_region": "eu", "ledger_gives_up": ""},
        **{"ledger_words": {"na": there}, "ledger_doubts": True, "ledger_accept_split_brain": accepted},
        **{"__ledger_looked": {"results": []}, "__failback_there": there, "failback_accept_split_brain": accepted},
    }
    first = ("preflight | Learn whether the move home has begun",)
    return said(directory, known, **{**found, **given, **more}, told=[keeps], first=first)


@pytest.mark.parametrize("ended", [True, False])
def test_the_failback_that_decides_replays_nothing_that_a_mirror_copied_before(tmp_path, ended):
    lines = refusals(tmp_path, *two_stories(ended=ended), "eu", failback_salvage=REPLAY)
    assert len(lines) == 1 and "A mirror from eu has written to na since the move" in lines[0], lines


@pytest.mark.parametrize("ended", [True, False])
def test_it_gives_up_nothing_of_a_region_that_was_used_since(tmp_path, ended):
    """Whatever was decided of its records before, they were written after that."""
    another = {**STATE, "state": "other", "cluster_id": "Z", "known_cluster_id": "A"}
    more = {"failback_salvage": NONE, "failback_salvage_directory": "", "__failback_returned": another}
    text = " ".join(refusals(tmp_path, *two_stories(ended=ended), "eu", **more))
    for words in ("failback_accept_foreign_records", "failback_accept_loss", "cannot be saved"):
        assert words in text, text


@pytest.mark.parametrize("ended", [True, False])
def test_a_later_run_is_judged_by_the_same(tmp_path, ended):
    settles = {"epoch": 3, "epoch_from": {"epoch": 2, "region": "eu", "hash": f"{102:064x}"}}
    settles["found"] = {"settles": [f"{102:064x}", f"{104:064x}"]}
    decided = [
        entry("5", "stage", "started", **FAILBACK),
        entry("5", "active_region", "active", stage="failback", about="eu", region="eu", **settles),
    ]
    lines = refusals(tmp_path, *two_stories(ended=ended, decided=decided), "", failback_salvage=REPLAY)
    assert len(lines) == 1 and "A mirror from eu has written to na since the move" in lines[0], lines
