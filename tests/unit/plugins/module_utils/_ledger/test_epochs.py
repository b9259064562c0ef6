# SPDX-License-Identifier: GPL-3.0-or-later
"""One truth over the ledgers of all regions: which one is active, who has to be told, and two stories of an epoch."""

from __future__ import annotations

import hashlib

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import (
    NOWHERE,
    dispute,
    heard,
    set_aside,
    stories,
    told,
    truth,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold


class Ledgers:
    """Ledgers of regions, each with the entries that stages write to it."""

    def __init__(self, *regions: str) -> None:
        self.entries: dict[str, list[dict]] = {region: [] for region in regions}
        self.away: set[str] = set()
        self.number = 0

    def write(self, ledger, region, **more):
        self.number += 1
        made = hashlib.sha256(b"%d" % self.number).hexdigest()
        entry = {
            "run": f"run-{self.number}",
            "stage": "failover",
            "step": "active_region",
            "state": "active",
            "region": region,
            "about": region,
            "at": f"2026-01-01T00:00:{self.number:02d}Z",
            "by": "stages",
            "found": {},
            "fenced": True,
            "hash": made,
            **more,
        }
        self.entries[ledger].append(entry)
        return made

    def said(self, region):
        return {**fold(self.entries[region]), "present": bool(self.entries[region])}

    def look(self, here, accepted=""):
        found = {
            region: self.said(region) if region not in self.away else {"failed": True, "msg": "no answer"}
            for region in self.entries
            if region != here
        }
        return truth(found, here, self.said(here), accepted)

    def tell(self, said):
        for region, moves in said["lacks"].items():
            for move in moves:
                assert move["epoch"] > self.said(region)["epoch"]
                self.write(region, move["region"], epoch=move["epoch"], epoch_from=move["from"], found=told(move))
        return heard(said, said["lacks"])

    def move(self, here, region, accepted=""):
        """As a stage does it: look, tell, decide, write to its own ledger, tell the others."""
        said = self.look(here, accepted)
        assert not said["conflicts"] or said["settle"]
        if said["settle"]:
            self.write(here, **said["settle"])
            said = self.look(here)
        self.tell(said)
        said = self.look(here)
        if said["active"]["active_region"] != region:
            self.write(here, region, epoch=said["epoch"] + 1, epoch_from=said["origin"])
        self.tell(self.look(here))


def active(said):
    return said["active"]["active_region"], said["epoch"]


def test_no_ledger_names_nobody():
    said = Ledgers("a", "b").look("b")
    assert active(said) == ("", 0) and said["origin"] == NOWHERE and not said["lacks"] and not said["conflicts"]


def test_there_and_back_twice():
    ledgers = Ledgers("a", "b", "c")
    for here, region in (("b", "a"), ("b", "b"), ("a", "a"), ("b", "b"), ("a", "a")):
        ledgers.move(here, region)
    for region in "abc":
        said = ledgers.look(region)
        assert active(said) == ("a", 5) and not said["conflicts"] and not said["lacks"]
        moves = ledgers.said(region)["moves"]
        assert [(one["epoch"], one["region"]) for one in moves] == [(1, "a"), (2, "b"), (3, "a"), (4, "b"), (5, "a")]
        assert [one["from"]["hash"] for one in moves[1:]] == [one["hash"] for one in moves[:-1]]


def test_a_region_that_was_away_is_told_all_that_it_missed():
    ledgers = Ledgers("a", "b", "c")
    ledgers.move("b", "a")
    ledgers.away = {"a", "c"}
    ledgers.move("b", "b")
    ledgers.away = {"c"}
    assert ledgers.said("a")["active_region"] == "a", "its own ledger is old"
    assert active(ledgers.look("b")) == active(ledgers.look("a")) == ("b", 2)
    ledgers.move("a", "a")
    ledgers.away = set()
    assert [one["epoch"] for one in ledgers.look("b")["lacks"]["c"]] == [2, 3]
    ledgers.move("b", "a")
    assert ledgers.said("c")["active_region"] == "a" and ledgers.said("c")["epoch"] == 3


def test_what_was_told_is_not_told_again():
    ledgers = Ledgers("a", "b")
    ledgers.move("b", "a")
    ledgers.away = {"a"}
    ledgers.move("b", "none")
    ledgers.away = set()
    said = heard(ledgers.look("b"), ["a"])
    assert not said["lacks"] and said["words"]["a"]["epoch"] == 2 and said["words"]["a"]["active_region"] == "none"
    assert not truth(said["words"], "b", ledgers.said("b"))["lacks"]


def split(*regions):
    """Two movers of whom neither saw the other: b was made active by b's ledger, and c by c's."""
    ledgers = Ledgers("a", "b", "c", *regions)
    ledgers.move("b", "a")
    ledgers.away = {"a", "c", *regions}
    ledgers.move("b", "b")
    ledgers.away = {"a", "b", *regions}
    ledgers.move("c", "c")
    ledgers.away = set()
    return ledgers


def test_two_children_of_one_parent_are_split_brain():
    ledgers = split()
    for here in "abc":
        said = ledgers.look(here)
        assert [one["epoch"] for one in said["conflicts"]] == [2] and not said["settle"]
        text = stories(said["conflicts"])
        assert "epoch 2: " in text and "b since 2026-" in text and "but " in text
        assert (
            "in the ledger of b" in text
            and "in the ledger of c" in text
            and "by stages (stage failover, run run-" in text
        )


@pytest.mark.parametrize("longer", [1, 2, 5])
def test_split_brain_is_seen_at_any_height(longer):
    ledgers = split()
    ledgers.away = {"b", "a"}
    for number in range(longer):
        ledgers.move("c", "none" if number % 2 == 0 else "c")
    ledgers.away = set()
    said = ledgers.look("b")
    assert said["conflicts"][0]["epoch"] == 2 and said["epoch"] == 2 + longer
    ledgers.entries["a"], ledgers.away = list(ledgers.entries["c"]), {"c"}
    assert ledgers.look("b")["conflicts"][0]["epoch"] == 2, "whatever ledgers it was told to"


@pytest.mark.parametrize("region", ["b", "c", "a"])
def test_a_person_decides_and_every_ledger_is_told(region):
    ledgers = split()
    ledgers.away = {"b", "a"}
    ledgers.move("c", "none")
    ledgers.away = {"a"}
    ledgers.move("b", region, accepted=region if region != "a" else "b")
    ledgers.away = set()
    ledgers.move("b", region)
    for here in "abc":
        said = ledgers.look(here)
        assert said["active"]["active_region"] == region and not said["conflicts"] and not said["lacks"]


def test_a_region_that_no_story_names_is_no_way_out():
    assert split().look("b", "asia")["settle"] == {}


def test_a_third_story_is_a_split_again():
    ledgers = split("d")
    # d was away from the first move on, and somebody moved there.
    ledgers.entries["d"] = list(ledgers.entries["b"])[:1]
    ledgers.away = {"a", "b", "c"}
    ledgers.move("d", "d")
    ledgers.away = {"d"}
    ledgers.move("b", "b", accepted="b")
    assert not ledgers.look("b")["conflicts"]
    ledgers.away = set()
    said = ledgers.look("b")
    assert [one["epoch"] for one in said["conflicts"]] == [2] and len(said["conflicts"][0]["stories"]) == 3
    assert [name for name in "abcd" if dispute(said["conflicts"], name)] == ["b", "c", "d"]
    ledgers.move("b", "b", accepted="b")
    assert not ledgers.look("d")["conflicts"] and not ledgers.look("d")["lacks"]


def test_a_region_that_gave_way_is_known_until_somebody_moves_there():
    ledgers = split("d")
    assert not any(set_aside(ledgers.look(here), name)["at"] for here in "bc" for name in "bc")
    ledgers.move("b", "b", accepted="b")
    ledgers.move("b", "b")
    ledgers.move("d", "d")
    for here in "bc":
        seen = ledgers.look(here)
        decision = set_aside(seen, "c")
        assert decision["at"] and decision["run"] and not any(set_aside(seen, name)["at"] for name in "abd")
    ledgers.move("c", "c")
    assert not any(set_aside(ledgers.look("c"), name)["at"] for name in "bc")


def test_two_that_name_the_same_region_do_not_disagree():
    """Mirrors to several regions are set up at the same time."""
    ledgers = Ledgers("a", "b", "c")
    for here in "bc":
        ledgers.write(here, "a", epoch=1, epoch_from=NOWHERE)
    said = ledgers.look("b")
    assert not said["conflicts"] and active(said) == ("a", 1) and set(said["lacks"]) == {"a"}
    ledgers.away = {"c", "a"}
    ledgers.move("b", "b")
    ledgers.away = {"b", "a"}
    ledgers.move("c", "c")
    ledgers.away = set()
    assert [one["epoch"] for one in ledgers.look("a")["conflicts"]] == [2], "although their parents have two hashes"


def test_ledgers_without_epochs_go_on():
    ledgers = Ledgers("a", "b")
    old = ledgers.write("b", "a")
    said = ledgers.look("b")
    assert active(said) == ("a", 0) and said["origin"] == {"epoch": 0, "region": "b", "hash": old} and not said["lacks"]
    assert active(ledgers.look("a")) == ("a", 0), "the other ledger has none"
    ledgers.move("b", "b")
    assert active(ledgers.look("a")) == ("b", 1) and ledgers.said("a")["moves"][0]["from"]["hash"] == old


def test_ledgers_without_epochs_that_disagree_are_two_stories():
    ledgers = Ledgers("a", "b")
    ledgers.write("a", "a")
    ledgers.write("b", "b")
    said = ledgers.look("a")
    assert [one["epoch"] for one in said["conflicts"]] == [0] and "without an epoch: a since" in stories(
        said["conflicts"]
    )
    ledgers.move("a", "b", accepted="b")
    said = ledgers.look("b")
    assert active(said) == ("b", 1) and not said["conflicts"] and not said["lacks"]


def test_an_entry_without_an_epoch_counts_nothing_beside_one_with_an_epoch():
    ledgers = Ledgers("a", "b")
    ledgers.move("b", "a")
    for ledger in "ab":
        ledgers.write(ledger, "b")
    assert active(ledgers.look("b")) == ("a", 1) and not ledgers.look("b")["conflicts"]
    assert (ledgers.said("b")["active_region"], len(ledgers.said("b")["moves"])) == ("a", 1)


def test_a_ledger_that_is_not_signed_does_not_count_beside_one_that_is():
    ledgers = Ledgers("a", "b")
    ledgers.move("b", "b")
    known = dict(ledgers.said("b"), verified=True)
    forged = Ledgers("a")
    forged.write("a", "a", epoch=9, epoch_from={"epoch": 8, "region": "b", "hash": "a" * 64})
    said = truth({"a": dict(forged.said("a"), verified=False)}, "b", known)
    assert active(said) == ("b", 1) and "is not signed" in said["doubted"]["a"] and not said["conflicts"]
    old = Ledgers("a")
    old.write("a", "a")
    said = truth({"a": dict(old.said("a"), verified=False)}, "b", known)
    assert not said["doubted"] and [one["epoch"] for one in said["lacks"]["a"]] == [1], "it is old, and is told"


def test_a_stage_whose_begin_is_the_first_signature_doubts_nobody():
    ledgers = Ledgers("a", "b")
    ledgers.move("b", "a")
    ledgers.away = {"b"}
    ledgers.move("a", "none")
    ledgers.away = set()
    before = ledgers.look("b")
    assert active(before) == ("none", 2) and not before["signed"]
    signed = dict(ledgers.said("b"), verified=True)
    assert active(truth({"a": ledgers.said("a")}, "b", signed, doubts=before["signed"])) == ("none", 2)
    assert active(truth({"a": ledgers.said("a")}, "b", signed)) == ("a", 1)


def test_what_is_told_may_be_anything():
    ledgers = Ledgers("a", "b")
    ledgers.write("b", "a", epoch=10**15, epoch_from=NOWHERE)
    for found in ({"told": "x", "settles": "y"}, {"told": {"hash": 7}, "settles": [None]}, {"told": {}}):
        ledgers.write("b", "a", epoch=1, epoch_from=NOWHERE, found=found)
    assert active(ledgers.look("a")) == ("a", 10**15)
