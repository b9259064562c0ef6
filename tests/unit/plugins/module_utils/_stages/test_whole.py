# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies that do not hold any more what they held."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.whole import shorter

HELD = {"orders": {"0": 5, "10": 7}, "empty": {"0": 0}}


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (HELD, []),
        ({**HELD, "later": {"0": 1}, "orders": {"0": 6, "10": 7}}, []),
        ({**HELD, "orders": {"0": 5, "10": 6}}, ["orders-10 ends at 6, and had been copied to 7"]),
        ({**HELD, "orders": {"0": 5}}, ["orders-10 is not there"]),
        ({"orders": HELD["orders"]}, ["empty-0 is not there"]),
        ({}, ["empty-0 is not there", "orders-0 is not there", "orders-10 is not there"]),
    ],
)
def test_what_ends_before_where_it_ended_is_named(now, said):
    assert shorter(now, HELD) == said
