# SPDX-License-Identifier: GPL-3.0-or-later
"""A watch's time is never later than that of the broker."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import broker_clock


@pytest.mark.parametrize(
    ("wall", "passed", "expected"),
    [(10_000_000, 0, 5_000), (10_000_000, 7.5, 12_500), (4_000, 0, 4_000), (6_000, 7.5, 6_000)],
)
def test_the_earlier_of_two_clocks_counts(monkeypatch, wall, passed, expected):
    monotonic = iter([100.0, 100.0 + passed])
    monkeypatch.setattr(broker_clock.time, "monotonic", lambda: next(monotonic))
    monkeypatch.setattr(broker_clock, "_wall_ms", lambda: wall)
    clock = broker_clock.BrokerClock()
    assert not clock.known and clock.now_ms() == wall
    clock.told(5_000)
    assert clock.known and clock.now_ms() == expected
