# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a copy remembers what its applications deleted, by the clock that said when it ended."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import preparing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.moment import AHEAD_SECONDS
from tests.support.compared import DAY, NOW

AHEAD = AHEAD_SECONDS * 1000


@pytest.mark.parametrize(
    ("ended_at", "remembered"),
    [
        (NOW - 3600000, True),
        (NOW - DAY + AHEAD + 1, True),
        # The clock that said so may have been ahead.
        (NOW - DAY + AHEAD, False),
        (NOW - DAY - 1, False),
        (NOW + AHEAD, True),
        # It was: nobody knows by how much.
        (NOW + AHEAD + 1, False),
        (None, False),
    ],
)
def test_a_clock_that_is_ahead_lets_no_tombstone_be_taken_for_kept(monkeypatch, ended_at, remembered):
    monkeypatch.setattr(preparing.time, "time", lambda: NOW / 1000)
    topic = SimpleNamespace(target={"config": {"delete.retention.ms": str(DAY)}})
    bounds = {} if ended_at is None else {"ended_at": ended_at}
    assert preparing.remembers_deletions(topic, bounds) is remembered
