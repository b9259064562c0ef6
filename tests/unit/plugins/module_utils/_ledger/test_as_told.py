# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger says once it is told what others know."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.as_told import as_told
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry


def test_a_ledger_says_what_it_will_once_it_is_told():
    cut = [entry("1", "stage", "started"), entry("1", "ends")]
    known = fold(cut)
    lacks = [{"run": "7", "epoch": 2}]
    told = as_told(known, lacks)
    assert (told["open"], told["overtaken"], told["done"]["failover"]) == (False, "1", {})
    assert known["open"], "what is known was changed"
    # One that has just begun has not told it yet, and older moves overtake nobody.
    begun = fold([{**cut[0], "at": "2026-11-26T08:00:00Z"}])
    assert as_told(begun, [{**lacks[0], "at": "2026-11-26T07:59:59Z"}]) == begun
    # It was cut off right then, and the move came later.
    assert not as_told(begun, [{**lacks[0], "at": "2026-11-26T08:00:01Z"}])["open"]
    # Its own move overtakes nobody, and other stages stay as they are.
    assert as_told(known, [{"run": "1", "epoch": 2}]) == known == as_told(known, [])
    kept = fold([entry("1", "stage", "started", stage="new_backup")])
    assert as_told(kept, lacks) == kept


@pytest.mark.parametrize(
    ("stage", "about", "aside", "open_then"),
    [
        ("failover", "eu to na", ["na"], False),
        ("failover", "na to eu", ["na"], True),
        ("abort_move", "na to eu", ["na"], False),
        ("abort_move", "na to eu", ["eu"], True),
        # Whatever it fills or shows, it names no region.
        ("failback", "na from eu", ["na", "eu"], True),
        ("failover", "eu to na", [], True),
    ],
)
def test_a_move_to_where_a_person_decides_against_is_not_open(stage, about, aside, open_then):
    known = fold(
        [entry("1", "stage", "started", stage=stage, about=about), entry("1", "ends", stage=stage, about=about)]
    )
    told = as_told(known, [], aside)
    assert told["open"] is open_then and bool(told["done"][stage]) is open_then
