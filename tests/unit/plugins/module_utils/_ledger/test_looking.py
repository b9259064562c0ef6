# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a look at a ledger counts."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.looking import FRESH_SECONDS, look_is_old


@pytest.mark.parametrize(("age", "old"), [(0, False), (FRESH_SECONDS, False), (FRESH_SECONDS + 1, True), (-1, True)])
def test_a_look_counts_for_half_a_minute_and_not_where_the_clock_was_set_back(age, old):
    assert look_is_old(1000 - age, 1000) is old
