# SPDX-License-Identifier: GPL-3.0-or-later
"""What was written of an earlier topic of the name, or of an earlier copy, says nothing of the present one; and a
position that was taken back is none.
"""

from __future__ import annotations

import pytest

from tests.support.offsets_pair import Written, name, now, values

pytestmark = pytest.mark.real
HOUR = 3_600_000


def test_a_checkpoint_of_an_earlier_copy_is_no_lower_bound(two_clusters):
    """The copy alone was made again; offset syncs lie in the source, which is lost."""
    here, group = Written(two_clusters, values(100), values(100)), name("g")
    here.copied_up_to(99)
    here.checkpoint(group, {0: (40, 80)}, at=now() - 2 * HOUR)
    here.witnessed({group: {0: 45}})
    row = here.plan(group, end=100)[0][(group, 0)]
    assert row["to"] <= 45, row


def test_such_a_checkpoint_counts_where_inexact_answers_are_accepted(two_clusters):
    # The source's first ten records expired before they were copied.
    here, group = Written(two_clusters, values(100), values(100)[10:]), name("g")
    here.copied_up_to(99)
    here.checkpoint(group, {0: (40, 30)}, at=now())
    here.witnessed({group: {0: 45}})
    row = here.plan(group, end=90, accept=["lower_bound"])[0][(group, 0)]
    assert row["to"] <= 35 and row["confidence"] == "lower_bound", row
    row = here.plan(group, end=90, accept=["lower_bound", "interpolated"])[0][(group, 0)]
    assert (row["to"], row["confidence"]) == (30, "interpolated"), row


@pytest.mark.parametrize("syncs", [False, True])
def test_a_checkpoint_from_before_both_topics_were_made_again_is_no_lower_bound(two_clusters, syncs):
    """The present topic's offset syncs came before the witness was back and saw another topic."""
    here, group = Written(two_clusters, values(100), values(100)), name("g")
    here.copied_up_to(99)
    if syncs:
        here.pairs((0, 0), (40, 90), at=now() - 2 * HOUR)
        here.pairs((0, 0), (9, 9), at=now() - HOUR // 2 - 60_000)
    here.checkpoint(group, {0: (40, 90)}, at=now() - HOUR)
    here.witnessed({group: {0: 45}}, recreated=now() - HOUR // 2)
    row = here.plan(group, end=100)[0][(group, 0)]
    assert row["to"] <= 45, row


@pytest.mark.parametrize("witness", [False, True])
def test_a_checkpoint_from_before_both_topics_were_made_again_is_not_at_the_end(two_clusters, witness):
    """No witness, or one that knows the group and no position of it there: none is left."""
    here, group = Written(two_clusters, values(31), values(31)), name("g")
    here.copied_up_to(30)
    here.pairs((0, 0), (49, 49), at=now() - 2 * HOUR)
    here.checkpoint(group, {0: (45, 45)}, at=now() - HOUR)
    here.pairs((0, 0), (30, 30), at=now() - HOUR // 2)
    if witness:
        here.witnessed({group: {}})
    found, others = here.plan(group, end=31)
    if witness:
        assert (group, 0) not in found
        (said,) = others
        assert said["group"] == group and "no position" in said["why"], said
    else:
        assert (found[(group, 0)]["to"], found[(group, 0)]["confidence"]) == (0, "lower_bound"), found


def test_a_position_that_was_taken_back_is_none(two_clusters):
    """Groups were deleted at the source to process all again, and one has begun with a partition."""
    here, group, gone = Written(two_clusters, values(50), values(50), 2), name("g"), name("gone")
    for number in range(2):
        here.pairs((0, 0), (49, 49), partition=number)
    for who in (group, gone):
        here.checkpoint(who, {0: 45, 1: 45}, at=now() - HOUR)
    here.witnessed({group: {0: 5}})
    found, others = here.plan(group, gone, end=50)
    assert {key: found[key]["source_offset"] for key in found} == {(group, 0): 5}
    reasons = {row["group"]: row["why"] for row in others}
    assert set(reasons) == {group, gone}
    assert f"{here.topic}-1" in reasons[group] and f"{here.topic}-0" not in reasons[group]
    assert f"{here.topic}-0" in reasons[gone] and "no position" in reasons[gone], reasons


def test_a_position_that_came_after_the_witness_counts(two_clusters):
    here, group = Written(two_clusters, values(50), values(50)), name("g")
    here.pairs((0, 0), (49, 49))
    here.witnessed({}, at=now() - 5000)
    here.checkpoint(group, {0: (20, 20)}, at=now() - 1000)
    found, others = here.plan(group, end=50)
    assert found[(group, 0)]["source_offset"] == 20 and not others, found
