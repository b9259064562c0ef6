# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a watch was at work when its source was lost: its last round counts from where it began."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.closed_report import silent as silent_of

NOW = time.time()


def silent(ended: float, seconds: float, seen: float | None) -> str:
    """Of a proof that begins now. :param ended, seen: seconds before it; None where nobody knows."""
    closing = SimpleNamespace(
        state=SimpleNamespace(at=(NOW - ended) * 1000, seconds=seconds),
        wanted=SimpleNamespace(seen_at=0 if seen is None else (NOW - seen) * 1000),
        began=NOW,
    )
    return silent_of(cast(Any, closing))


@pytest.mark.parametrize(
    ("ended", "seconds", "seen", "said"),
    [
        (5, 1, 3, ""),
        (3_600, 1, 3_599, ""),
        (3_600, 1, 3_000, "begun its last round 601 s before the source was seen last"),
        # It asked for the ends as it began, and read for more than a minute.
        (5, 70, 3, "begun its last round 72 s before the source was seen last"),
        (5, 70, None, "began its last round 75 s ago"),
        (5, 1, None, ""),
    ],
)
def test_what_came_since_its_last_round_began_is_no_mere_tail(ended, seconds, seen, said):
    found = silent(ended, seconds, seen)
    assert said in found and bool(found) == bool(said)
