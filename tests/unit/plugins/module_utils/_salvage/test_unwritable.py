# SPDX-License-Identifier: GPL-3.0-or-later
"""A record that the target would not take ends a salvage only where it would be written."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from tests.support.compared import DAY, NOW
from tests.support.looked import looking

AGED, LIMIT = NOW - 8 * DAY, NOW - 7 * DAY


@pytest.fixture
def looked(monkeypatch):
    return looking(monkeypatch)


def large(time=NOW, size=2000):
    return (100, time, b"k", b"v" * size, None)


SMALL = (101, NOW, b"l", b"v", None)
BOTH = [[100, 2]]


@pytest.mark.parametrize(
    ("row", "target", "more", "why"),
    [
        (large(), [], {}, "t-0@100 is larger than 't' accepts"),
        (large(-1, 5), [], {}, "t-0@100 has no timestamp"),
        (large(), [], {"action": "side_topic"}, "t-0@100 is larger than 't' accepts"),
    ],
)
@pytest.mark.parametrize("compacted", [False, True])
def test_what_would_be_written_and_is_not_taken_is_refused(looked, row, target, more, why, compacted):
    with pytest.raises(RefusedError, match=why):
        looked([row, SMALL], target, BOTH, limit=1000, compacted=compacted, **more)


@pytest.mark.parametrize(
    ("row", "target", "more"),
    [
        (large(AGED), [], {"compacted": False, "expires_before": LIMIT}),
        (large(), [(100, NOW, b"k", b"theirs", None)], {}),
        (large(-1, 5), [(100, NOW, b"k", b"theirs", None)], {}),
        (large(), [], {"older": [[100, 1]]}),
        (large(), [], {"following": 101}),
    ],
    ids=["aged", "key written since", "without a timestamp", "older", "passed by"],
)
def test_what_is_exported_anyway_is_not(looked, row, target, more):
    assert looked([row, SMALL], target, BOTH, limit=1000, **more) == {"export": [[100, 1]], "write": [[101, 1]]}


def test_nor_is_what_is_there_already(looked):
    row = large()
    assert looked([row, SMALL], [row], BOTH, limit=1000, written=[[100, 1]], own=[[100, 1]], following=101) == {
        "write": BOTH
    }
    plan = looked([row, SMALL], [row], BOTH, limit=1000, others=[[100, 1]], compacted=False)
    assert plan == {"already": [[100, 1]], "write": [[101, 1]]}
