# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a compacted partition is replayed, is so key by key: a value without the tombstone that follows it would
bring a deleted key back.
"""

from __future__ import annotations

import pytest

from tests.support.compared import DAY, NOW
from tests.support.looked import looking

AGED, LIMIT = NOW - 8 * DAY, NOW - 7 * DAY


@pytest.fixture
def looked(monkeypatch):
    return looking(monkeypatch)


def row(offset, key, value, time=NOW):
    return (offset, time, key, value, None)


V1, GONE, OTHER = row(100, b"k", b"v1"), row(101, b"k", None), row(102, b"o", b"other")
ALL = [[100, 3]]
# What the target has of the first record, once a run has written it.
BEGUN = {"written": [[100, 1]], "following": 101, "own": [[100, 1]]}


def test_a_key_of_which_one_record_is_exported_is_exported_whole(looked):
    aged = row(101, b"k", None, AGED)
    plan = looked([V1, aged, OTHER], [], ALL, expires_before=LIMIT)
    assert plan == {"export": [[100, 2]], "write": [[102, 1]]}


def test_nothing_else_is_exported_for_it(looked):
    assert looked([V1, GONE, OTHER], [], ALL) == {"write": ALL}


def test_a_side_topic_gets_all_of_it(looked):
    aged = row(101, b"k", None, AGED)
    assert looked([V1, aged, OTHER], [], ALL, action="side_topic", expires_before=LIMIT) == {"write": ALL}


@pytest.mark.parametrize("doubt", [{"deletions_kept": False}, {"expires_before": LIMIT}], ids=["late", "aged"])
@pytest.mark.parametrize("cleaned", [False, True])
def test_a_key_that_an_earlier_run_began_is_written_to_its_end(looked, doubt, cleaned):
    """Also where the source's cleaner has taken what was written since."""
    gone = row(101, b"k", None, AGED) if "expires_before" in doubt else GONE
    source = [gone, OTHER] if cleaned else [V1, gone, OTHER]
    wanted = [[101, 2]] if cleaned else ALL
    plan = looked(source, [V1], wanted, **BEGUN, **doubt)
    if "deletions_kept" in doubt:
        assert plan == {"write": [[101, 1]] if cleaned else [[100, 2]], "export": [[102, 1]]}
    else:
        assert plan == {"write": wanted}


@pytest.mark.parametrize(
    ("target", "more", "export"),
    [
        # Its applications have written the key since.
        ([V1, row(101, b"k", b"theirs")], {}, [[101, 2]]),
        # They may have: the copy's retention has deleted some of what they wrote.
        ([V1], {"start": 101, "since": 99}, [[101, 2]]),
        # They have deleted it, and of its records and the tombstone nothing is left.
        ([row(105, b"x", b"theirs")], {}, [[101, 2]]),
        # An earlier run went on behind it.
        ([V1, OTHER], {"following": 103, "written": [[100, 1], [102, 1]], "own": [[100, 1], [102, 1]]}, [[101, 1]]),
    ],
    ids=["written", "unknown", "deleted", "passed by"],
)
def test_what_cannot_be_written_to_its_end_is_named(looked, target, more, export):
    plan = looked([V1, GONE, OTHER], target, ALL, **{**BEGUN, "deletions_kept": False, **more})
    assert (plan["torn"], plan["export"]) == ([[101, 1]], export)


def test_an_older_record_of_a_key_that_was_written_is_exported_without_ado(looked):
    older = row(99, b"k", b"v0")
    plan = looked([older, V1], [V1], [[99, 2]], **BEGUN)
    assert plan == {"write": [[100, 1]], "export": [[99, 1]]}


def test_what_another_region_replayed_counts_as_written(looked):
    plan = looked([V1, GONE], [V1], [[100, 2]], others=[[100, 1]])
    assert plan == {"already": [[100, 1]], "export": [[101, 1]], "torn": [[101, 1]]}


def test_what_another_region_replayed_is_counted_once(looked):
    """Although the key has a later record there: that one."""
    assert looked([V1], [V1], [[100, 1]], others=[[100, 1]], older=[[100, 1]]) == {"already": [[100, 1]]}
