# SPDX-License-Identifier: GPL-3.0-or-later
"""What a watch proves of a partition is so, what it names is planted, and nothing that is planted goes unnamed."""

from __future__ import annotations

import random

import pytest

from tests.support.following import LATER, Follower, follow

BASE = list(range(100, 160))


def test_a_copy_is_proven_to_its_end():
    part = follow(BASE, BASE).track.part
    assert (part.begins, part.through, part.examined, part.waiting, part.records) == ((0, 0), (60, 60), (60, 60), 0, 60)
    assert part.map_runs == [[0, 0, 60]]


def test_what_is_not_copied_yet_waits():
    follower = follow(BASE, BASE[:50])
    assert (follower.track.part.through, follower.track.part.waiting, follower.kinds()) == ((50, 50), 10, {})
    assert follower.track.part.oldest_waiting == 1000 + 150


@pytest.mark.parametrize(
    ("target", "kinds", "through"),
    [
        ([*BASE[:20], *BASE[21:]], {"missing": 1}, 20),
        ([*BASE[:20], BASE[21], BASE[20], *BASE[22:]], {"reordered": 1}, 20),
        ([*BASE[:20], 900, *BASE[20:]], {"foreign": 1}, 20),
        ([*BASE[:20], 901, *BASE[20:]], {"aborted": 1}, 20),
        ([*BASE, 900], {"foreign": 1}, 60),
        ([*BASE[:20], *BASE[15:40], 900, *BASE[41:]], {"foreign": 1, "missing": 1}, 40),
        ([*BASE[:20], BASE[19], *BASE[21:]], {"missing": 1}, 20),
        ([*BASE[1:]], {}, 60),
    ],
)
def test_a_fault_is_named_and_ends_what_is_proven(target, kinds, through):
    follower = follow(BASE, target, aborted=[901])
    part = follower.track.part
    assert follower.kinds() == kinds
    assert part.through[0] == through
    # It goes on looking.
    assert part.examined == (60, len(target))


def test_a_record_before_its_turn_is_no_copy_of_its_twin_that_waits():
    first, second, third, fourth = 301, 302, 303, 304
    rows = [*BASE, first, second, third, fourth, second, fourth]
    follower = follow(rows, [*BASE, second, first])
    part = follower.track.part
    assert (follower.kinds(), part.through, part.duplicates) == ({"foreign": 1}, (60, 60), 0)


def test_a_record_with_a_time_to_come_is_as_old_as_it_was_seen():
    follower = follow(BASE, BASE)
    ahead = 5_000_000
    follower.round([ahead])
    seen = follower.track.part.oldest_waiting
    assert seen == LATER + follower.clock
    follower.round([ahead + 1])
    assert follower.track.part.oldest_waiting == seen, "it grows younger"
    follower.round([], [ahead])
    assert follower.track.part.oldest_waiting == seen + 1
    follower.round([], [ahead + 1])
    assert follower.track.part.oldest_waiting is None


def test_of_what_was_not_read_it_is_known_since_when():
    follower = follow(BASE, BASE)
    follower.track.seen.add(80, LATER + 500)
    follower.round()
    assert follower.track.part.unread_since == LATER + 500
    follower.round(list(range(1000, 1020)))
    assert follower.track.part.unread_since is None


def test_a_later_fault_is_named_too():
    follower = follow(BASE, [*BASE[:20], *BASE[21:40], 900, *BASE[40:]])
    assert follower.kinds() == {"missing": 1, "foreign": 1}
    assert [found.number for found in follower.track.found] == [0, 1]


def test_further_copies_are_counted_and_stop_nothing():
    part = follow(BASE, [*BASE[:40], *BASE[30:40], *BASE[40:], BASE[59]]).track.part
    assert (part.through, part.duplicates, part.waiting) == ((60, 71), 11, 0)


def test_twins_of_the_source_are_no_further_copies():
    twins = [*BASE[:10], BASE[9], BASE[9], *BASE[10:]]
    part = follow(twins, twins).track.part
    assert (part.through, part.duplicates) == ((62, 62), 0)


def test_a_lost_tail_is_named_where_the_mirror_says_that_it_copied_it():
    assert follow(BASE, BASE[:50], through=55).kinds() == {"missing_tail": 5}
    assert follow(BASE, BASE[:50], through=50).kinds() == {}


def test_heads_that_only_one_side_has_are_never_proven():
    part = follow(BASE, BASE[5:]).track.part
    assert (part.begins, part.unproven, part.through) == ((5, 0), 5, (60, 55))
    part = follow(BASE[5:], BASE).track.part
    assert (part.begins, part.older, part.through) == ((0, 5), 5, (55, 60))


def test_what_an_open_transaction_may_explain_is_not_judged():
    follower = follow(BASE, BASE)
    follower.source += [500]
    follower.round([], [500], source_limit=60, judged=True)
    assert follower.kinds() == {}
    follower.round(judged=True)
    assert (follower.kinds(), follower.track.part.through) == ({}, (61, 61))


def test_accepted_differences_let_it_go_on():
    follower = follow(BASE, [*BASE[:20], *BASE[21:]])
    assert follower.track.part.records == 20
    follower.accept(follower.track.found[0])
    assert (follower.track.part.through, follower.track.part.records) == ((60, 59), 59)
    follower.round([700], [700])
    assert (follower.track.part.through, follower.track.part.records) == ((61, 60), 60)


def test_only_what_is_accepted_lets_it_go_on():
    follower = follow(BASE, [*BASE[:20], *BASE[21:40], 900, *BASE[40:]], portion=100)
    missing, foreign = sorted(follower.track.found, key=lambda found: found.kind, reverse=True)
    follower.accept(foreign)
    assert (follower.track.part.through, follower.track.part.records) == ((20, 20), 20)
    follower.accept(missing)
    assert (follower.track.part.through, follower.track.part.records) == ((60, 60), 59)
    follower = follow(BASE, [*BASE[:20], *BASE[21:40], 900, *BASE[40:]], portion=100)
    follower.accept(next(found for found in follower.track.found if found.kind == "missing"))
    assert (follower.track.part.through, follower.track.part.records) == ((40, 39), 39)


def test_what_a_stopped_partition_has_proven_stays():
    follower = follow(BASE, [*BASE[:20], *BASE[21:]])
    follower.track.stop("another log")
    follower.accept(follower.track.found[0])
    assert follower.track.part.through == (20, 20)


@pytest.mark.parametrize("seed", range(1000, 1150))
def test_what_is_proven_behind_accepted_differences_is_so(seed):
    """Random faults, accepted one by one in any order; ``Follower.check`` judges each time."""
    chance = random.Random(seed)
    source = [chance.randrange(chance.choice((6, 1000))) for dummy in range(chance.randrange(20, 120))]
    target, dummy = spoiled(chance, spoiled(chance, source)[0])
    follower = follow(source, target, portion=chance.choice((5, 30, 200)))
    for found in chance.sample(follower.track.found, len(follower.track.found)):
        follower.accept(found)
    part = follower.track.part
    assert part.begins is None or (part.through, part.records) == (part.examined, part.matched)


FAULTS = ("missing", "swap", "foreign", "duplicate", "tail")


def spoiled(chance, source):
    """A copy with faults in it, and whether there is one that ends what is proven."""
    target, bad = list(source), False
    for dummy in range(chance.choice((0, 0, 1, 2, 3))):
        kind, at = chance.choice(FAULTS), chance.randrange(1, max(2, len(target) - 1))
        if kind == "missing" and len(target) > 2:
            bad = True
            del target[at : at + chance.randrange(1, 5)]
        elif kind == "swap" and at + 1 < len(target) and target[at] != target[at + 1]:
            bad = True
            target[at], target[at + 1] = target[at + 1], target[at]
        elif kind == "foreign":
            bad = True
            target.insert(at, 10000 + chance.randrange(1000))
        elif kind == "duplicate":
            low = max(0, at - chance.randrange(1, 6))
            target[at:at] = target[low:at]
        elif kind == "tail":
            target = target[: -chance.randrange(1, 4)] or target
    return target, bad


@pytest.mark.parametrize("seed", range(300))
def test_nothing_is_proven_that_is_not_so(seed):
    """Random logs with twins, random faults, random portions; ``Follower.check`` judges each round."""
    chance = random.Random(seed)
    source = [chance.randrange(chance.choice((6, 1000))) for dummy in range(chance.randrange(2, 120))]
    target, bad = spoiled(chance, source)
    follower = Follower()
    left, right = 0, 0
    while left < len(source) or right < len(target):
        more, less = chance.randrange(20), chance.randrange(20)
        # The mirror copies what is there.
        less = max(0, min(less, left + more - right + 20 * bad))
        follower.round(source[left : left + more], target[right : right + less], judged=chance.random() < 0.2)
        left, right = min(len(source), left + more), min(len(target), right + less)
    for dummy in range(3):
        follower.round(judged=True)
    if not bad:
        assert follower.kinds() == {}
        assert follower.track.part.examined[1] == len(target)
