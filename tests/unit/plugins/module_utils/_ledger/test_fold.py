# SPDX-License-Identifier: GPL-3.0-or-later
"""What the entries of a ledger say together."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.topic import ledger_topic
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import brought_back


def entry(run, step, state="done", stage="failover", about="na to eu", **more):
    return {
        "run": run,
        "stage": stage,
        "step": step,
        "state": state,
        "about": about,
        "region": more.pop("region", about),
        "fenced": True,
        **more,
    }


def test_an_empty_ledger_names_nobody():
    state = fold([])
    assert (state["active_region"], state["run"], state["open"], state["done"]) == ("", "", False, {})


def test_a_stage_that_was_cut_off_is_open_and_keeps_its_steps():
    state = fold([entry("1", "stage", "started"), entry("1", "ends", found={"target": 7})])
    assert state["open"] and state["run"] == "1" and state["done"]["failover"]["ends"]["found"] == {"target": 7}


def test_the_same_stage_run_again_goes_on_where_it_was_cut_off():
    state = fold([entry("1", "stage", "started"), entry("1", "ends"), entry("2", "stage", "started")])
    assert state["run"] == "2" and "ends" in state["done"]["failover"]


def test_a_stage_that_ended_begins_anew():
    state = fold(
        [entry("1", "stage", "started"), entry("1", "ends"), entry("1", "stage"), entry("2", "stage", "started")]
    )
    assert state["open"] and state["done"]["failover"] == {}


def test_what_another_move_overtook_is_not_gone_on_from():
    """Its offsets, positions and proof are those of before the applications went elsewhere."""
    cut = [
        entry("1", "stage", "started"),
        entry("1", "ends"),
        entry("1", "positions"),
        entry("1", "active_region", "active", region="eu", epoch=1),
    ]
    assert set(fold([*cut, entry("2", "stage", "started")])["done"]["failover"]) == {"ends", "positions"}
    told = {"region": "na", "hash": "f" * 64, "at": "later", "by": "stages", "run": "7", "stage": "failover"}
    home = entry("7", "active_region", "active", about="na", region="na", fenced=False, epoch=2, found={"told": told})
    overtaken = fold([*cut, home])
    # Nothing is open that a later run could take itself for; the one that was cut off may still be on its way.
    assert (overtaken["open"], overtaken["overtaken"], overtaken["done"]["failover"]) == (False, "1", {})
    state = fold([*cut, home, entry("9", "stage", "started")])
    assert state["overtaken"] == ""
    assert state["active_region"] == "na" and state["open"] and state["done"]["failover"] == {}


def test_a_run_that_tells_its_own_ledger_of_another_move_goes_on():
    told = {"region": "asia", "hash": "f" * 64, "at": "later", "by": "stages", "run": "7", "stage": "failover"}
    cut = [entry("1", "stage", "started"), entry("1", "ends"), entry("2", "stage", "started")]
    state = fold([*cut, entry("2", "active_region", "active", region="asia", epoch=1, found={"told": told})])
    assert (state["open"], state["overtaken"], state["done"]["failover"]) == (True, "", {})


def test_the_ends_of_a_failover_outlast_a_run_that_only_catches_up():
    ends = entry("1", "ends", found={"target": 7})
    state = fold([entry("1", "stage", "started"), ends, entry("1", "stage"), entry("2", "stage", "started")])
    assert state["ends"] == {"na to eu": ends} and not state["done"]["failover"]
    again = [entry("3", "stage", "started", about="eu to na"), entry("3", "ends", found={"target": 9})]
    assert fold([entry("1", "stage", "started"), ends, entry("1", "stage"), *again])["ends"]["na to eu"] == ends


def test_a_run_that_catches_up_forgets_nothing_of_the_move():
    """The mirror that it turned round runs to the source, and its positions are what groups went on from."""
    steps = ("ends", "positions", "turned", "protecting", "protected")
    moved = [entry("1", "stage", "started"), *(entry("1", step) for step in steps), entry("1", "stage")]
    caught_up = [*moved, entry("2", "stage", "started", found={"catches_up": True}), entry("2", "stage")]
    assert set(fold(caught_up)["done"]["failover"]) >= set(steps)
    cut = {"catches_up": True, "planned": False, "source_asked": False}
    gone_on = fold([*caught_up[:-1], entry("3", "stage", "started", found=cut)])
    assert gone_on["done"]["failover"]["ends"] == caught_up[1], "what a planned move saw of its source"
    back = fold([*caught_up, entry("3", "stage", "started", found={"moved_back": True})])
    assert set(back["done"]["failover"]) == {"protecting", "protected"}
    other = entry("3", "stage", "started", about="asia to eu", found={"catches_up": True})
    assert fold([*caught_up, other])["done"]["failover"] == {}


def test_a_run_that_catches_up_leaves_a_region_that_was_brought_back_a_backup():
    failback = {"stage": "failback", "about": "na from eu"}
    began = [entry("1", "stage", "started"), entry("1", "stage")]
    back = [entry("2", "stage", "started", **failback), entry("2", "stage", **failback)]
    again = [entry("3", "stage", "started", found={"catches_up": True}), entry("3", "stage")]
    more = [entry("4", "stage", "started", found={"catches_up": True}), entry("4", "stage")]
    moved = [entry("5", "stage", "started"), entry("5", "stage")]
    known = [dict(one, offset=offset) for offset, one in enumerate([*began, *back, *again, *more, *moved])]
    assert [brought_back(fold(known[:length]), "na from eu") for length in (4, 6, 8, 10)] == [True, True, True, False]


def test_what_ran_before_is_remembered_until_a_region_is_active():
    sizes = {"sizes": {"shop": 1}}
    first = [
        entry("1", "stage", "started"),
        entry("1", "ends"),
        entry("1", "paused", found=sizes),
        entry("1", "active_region", "active", region="none"),
    ]
    again = [*first, entry("1", "stage"), entry("2", "stage", "started")]
    assert {step: one["found"] for step, one in fold(again)["done"]["failover"].items()} == {"paused": sizes}
    assert (
        fold(
            [
                *again,
                entry("2", "active_region", "active", region="na"),
                entry("2", "stage"),
                entry("3", "stage", "started"),
            ]
        )["done"]["failover"]
        == {}
    )


def test_the_same_stage_between_other_regions_begins_anew():
    state = fold(
        [entry("1", "stage", "started"), entry("1", "ends"), entry("2", "stage", "started", about="eu to asia")]
    )
    assert state["done"]["failover"] == {}


def test_another_stage_between_means_that_the_first_does_not_go_on():
    state = fold(
        [
            entry("1", "stage", "started"),
            entry("1", "ends"),
            entry("2", "stage", "started", stage="resume"),
            entry("3", "stage", "started"),
        ]
    )
    assert state["done"]["failover"] == {} and state["run"] == "3"


def test_a_refusal_closes_the_stage():
    assert not fold([entry("1", "stage", "started"), entry("1", "stage", "refused")])["open"]


def test_the_last_stage_that_ended_is_remembered():
    assert fold([entry("1", "stage", "started"), entry("1", "stage", found={"planned": True})])["last"]["failover"][
        "found"
    ] == {"planned": True}


def test_a_later_run_takes_over():
    state = fold([entry("1", "stage", "started", stage="initial_setup"), entry("2", "stage", "started")])
    assert (state["run"], state["stage"]) == ("2", "failover")


def test_the_latest_word_on_the_active_region_counts():
    state = fold(
        [entry("1", "active_region", "active", region="na"), entry("2", "active_region", "active", region="eu")]
    )
    assert state["active_region"] == "eu"


def test_a_step_that_failed_is_not_done():
    assert "ends" not in fold([entry("1", "stage", "started"), entry("1", "ends", "failed")])["done"]["failover"]


def test_proofs_are_kept_in_order_whatever_they_showed():
    state = fold([entry("1", "proof", "proven"), entry("2", "proof", "different"), entry("3", "proof", "not_provable")])
    assert [one["state"] for one in state["proofs"]] == ["proven", "different", "not_provable"]


def test_what_is_recorded_outside_a_stage_takes_nothing_over():
    state = fold([entry("1", "stage", "started"), dict(entry("9", "stage", "started", stage="verify"), fenced=False)])
    assert state["run"] == "1"


def test_the_ledger_is_kept_for_ever():
    topic = ledger_topic("l", 3)
    assert topic["partitions"] == 1 and topic["replication_factor"] == 3
    assert (
        topic["configs"]["retention.ms"],
        topic["configs"]["retention.bytes"],
        topic["configs"]["cleanup.policy"],
    ) == ("-1", "-1", "delete")


def test_what_a_fence_took_is_remembered_until_it_is_given_back():
    one, two = ({"principal": "User:x", "resource": "topic", "name": name, "operations": ["WRITE"]} for name in "ab")
    first = [
        entry("1", "stage", "started"),
        entry("1", "fencing", about="na", found={"region": "na", "removed": [one, two]}),
    ]
    # Cut off before anything was taken, in the middle of it, and run again when half of it was gone already.
    assert fold(first)["taken"] == {"na": [one, two]}
    again = [
        *first,
        entry("2", "stage", "started"),
        entry("2", "fencing", about="na", found={"region": "na", "removed": [two]}),
        entry("2", "fenced", about="na", found={"region": "na", "removed": [two]}),
        entry("2", "stage"),
    ]
    assert fold(again)["taken"] == {"na": [one, two]}
    assert (
        fold([*again, entry("3", "given_back", stage="initial_setup", about="na", found={"region": "na"})])["taken"]
        == {}
    )


def test_a_ledger_that_is_told_of_a_move_to_the_region_forgets_what_was_taken_there():
    right = {"principal": "User:x", "resource": "topic", "name": "a", "operations": ["WRITE"]}
    fenced = [
        entry("1", "stage", "started"),
        entry("1", "fenced", about="na", found={"region": "na", "removed": [right]}),
        entry("1", "active_region", "active", about="eu", epoch=1),
        entry("1", "stage"),
    ]
    here = entry("2", "active_region", "active", about="na", epoch=2)
    # The run that owns this ledger gives it back next.
    assert fold([*fenced, here])["taken"] == {"na": [right]}
    told = {"told": {"region": "na", "hash": "0" * 64}}
    assert fold([*fenced, {**here, "fenced": False, "found": told}])["taken"] == {}
    assert fold([*fenced, {**here, "about": "eu", "region": "eu", "found": told}])["taken"] == {"na": [right]}


def test_what_a_mirror_lost_beyond_its_needs_is_remembered_until_it_is_given_back():
    one, two = ({"principal": "User:m", "resource": "topic", "name": name, "operations": ["WRITE"]} for name in "ab")

    def revoking(run, region, *beyond):
        found = {"region": region, "mirror": "backup", "removed": [one, two], "beyond": list(beyond)}
        return entry(run, "revoking", about=region, found=found)

    # Cut off in the middle of it, and run again when half of it was gone already.
    lost = [revoking("1", "eu", one, two), revoking("2", "eu", two), revoking("2", "na", one), revoking("2", "as")]
    assert fold(lost)["beyond"] == {"backup": {"eu": [one, two], "na": [one]}}

    def given_back(region):
        return entry("3", "mirror_given_back", about=region, found={"region": region, "mirror": "backup"})

    assert fold([*lost, given_back("eu")])["beyond"] == {"backup": {"na": [one]}}
    assert fold([*lost, given_back("eu"), given_back("na")])["beyond"] == {}
    old = entry("1", "revoking", about="eu", found={"region": "eu", "mirror": "backup", "removed": [one]})
    assert fold([old])["beyond"] == {}, "an entry that does not tell what was beyond"


def test_each_region_that_was_brought_back_is_remembered():
    """By what it was about: another region may be brought back after it."""
    entries = []
    for number, region in enumerate(("asia", "na", "africa")):
        about = {"stage": "failback", "about": f"{region} from eu"}
        entries.append(entry(str(number), "stage", "started", **about))
        entries.append(entry(str(number), "stage", "refused" if region == "africa" else "done", **about))
    assert list(fold(entries)["brought_back"]) == ["asia from eu", "na from eu"]


@pytest.mark.parametrize(
    "end", [("clearing", "done"), ("cleared", "done"), ("stage", "refused")], ids=["clearing", "cleared", "refused"]
)
def test_a_failback_that_copies_anew_gives_up_what_an_earlier_one_made(end):
    about = {"stage": "failback", "about": "na from eu"}
    ended = [entry("1", "stage", "started", **about), entry("1", "stage", **about)]
    again = [entry("2", "stage", "started", **about), entry("2", *end, **about)]
    assert fold(ended)["brought_back"] and not fold([*ended, *again])["brought_back"]


def failback(run, *steps):
    return [entry(run, step, stage="failback", about="na from eu") for step in steps]


def moved(run, region, epoch):
    told = {"region": region, "hash": "f" * 64, "at": "later", "by": "stages", "run": run, "stage": "failover"}
    return entry(
        run, "active_region", "active", about=region, region=region, fenced=False, epoch=epoch, found={"told": told}
    )


def test_a_failback_that_a_move_overtook_is_open_no_more_and_what_it_lent_is_remembered():
    begun = entry("1", "stage", "started", stage="failback", about="na from eu")
    cut = [begun, *failback("1", "compared", "granting", "clearing")]
    state = fold([*cut, moved("7", "asia", 2)])
    assert (state["open"], state["overtaken"], set(state["done"]["failback"])) == (False, "1", {"granting"})
    # That topics were deleted is known for ever.
    assert set(state["clearing"]) == {"na from eu"}
    again = entry("9", "stage", "started", stage="failback", about="na from eu")
    state = fold([*cut, moved("7", "asia", 2), again])
    assert set(state["done"]["failback"]) == {"granting"}
    ended = entry("9", "stage", stage="failback", about="na from eu")
    assert "granting" not in fold([*cut, moved("7", "asia", 2), again, ended])["done"]["failback"]
