# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a stage waits for a sign of life; that signs are heard is seen on real clusters."""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.source_life_info import PATIENCE, _pause


@pytest.mark.parametrize("hours", [0, -3, 3], ids=["same clock", "witness behind", "witness ahead"])
def test_clocks_that_differ_do_not_shorten_the_wait_for_a_witness(hours):
    last = int((time.time() + hours * 3600) * 1000)
    assert _pause({"rounds": [last - 2000, last]}) == 4.0
    assert _pause({"rounds": [last]}) == 4.0
    assert _pause({"rounds": [last - 600_000, last]}) == PATIENCE


def test_nobody_waits_for_a_witness_that_never_was():
    assert _pause({"rounds": None}) == _pause({"rounds": []}) == 0.0
