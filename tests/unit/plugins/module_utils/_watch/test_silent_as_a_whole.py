# SPDX-License-Identifier: GPL-3.0-or-later
"""A watch that was silent before the source was lost, beside a mirror that copied nothing since either."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import GONE
from tests.unit.plugins.module_utils._watch.test_never_copied import DAY, proven

DAYS = 3 * DAY // 1000
UNREAD = "what the source got since then nobody has read"


def test_what_the_source_got_since_is_named_and_not_doubted():
    """One that got nothing since is not to be unprovable."""
    verdict, lost, reasons = proven(None, ended=DAYS)
    assert (verdict, lost) == ("PROVEN", 0)
    assert f"{DAYS} s before the source was seen last" in reasons and UNREAD in reasons and "in no count" in reasons


def test_it_is_named_beside_what_was_lost():
    verdict, lost, reasons = proven(None, ended=DAYS, source_end=1000)
    assert (verdict, lost) == ("PROVEN", 900) and UNREAD in reasons


@pytest.mark.parametrize(
    ("ended", "more"),
    [
        (30, {}),
        # Nobody knows when the source was seen last.
        (DAYS, {"known": False}),
        # It is doubted.
        (DAYS, {"mirrored": 105}),
        (DAYS, {"beyond": 5}),
        (DAYS, {"mirrored": None}),
        # After its owner had deleted it, nothing came.
        (DAYS, {"reason": GONE, "looked": DAYS}),
    ],
)
def test_nothing_is_said_where_it_was_at_work_or_is_doubted_or_nobody_knows(ended, more):
    assert UNREAD not in proven(**{"reason": None, "ended": ended, **more})[2]
