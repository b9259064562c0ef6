# SPDX-License-Identifier: GPL-3.0-or-later
"""Of records alike, as many are passed by as another region's salvage has replayed."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.repeats import among


@pytest.mark.parametrize("seed", range(100))
def test_the_first_of_each_kind_are_among_the_others(seed):
    chance = random.Random(seed)
    wanted, others = ([chance.randrange(6) for dummy in range(chance.randrange(12))] for dummy2 in range(2))
    left, expected = Counter(others), []
    for value in wanted:
        expected.append(left[value] > 0)
        left[value] -= 1
    assert among(np.array(wanted, np.uint64), np.array(others, np.uint64)).tolist() == expected
