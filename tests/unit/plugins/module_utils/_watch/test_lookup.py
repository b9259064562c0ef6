# SPDX-License-Identifier: GPL-3.0-or-later
"""What only the target has is looked up in the source, and no more of the source is read for it than can hold it."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.lookup import Lookup
from tests.support.following import Follower, MemorySide, records

LOG = [*range(100, 200), 150, *range(201, 300)]


def looked_up(value, aborted=()):
    """Whether the source has a record that the target goes on with, and which of its offsets were read."""
    follower = Follower(aborted)
    follower.round(LOG, LOG)
    follower.round([], [value])
    source = MemorySide(LOG, aborted)
    lookup = Lookup(source, MemorySide(LOG), follower.track)
    return lookup.find(records([value]).digest(), 0).tolist(), sorted(set(source.scanned))


def test_a_young_record_of_nobody_is_looked_up_among_the_young():
    found, scanned = looked_up(295)[1], looked_up(298, [7])
    assert found and min(found) >= len(LOG) - 10
    code, read = looked_up(1000)
    assert code == [0] and not read
    assert scanned[0] == [1]


@pytest.mark.parametrize("value", [100, 150, 250, 299])
def test_a_further_copy_is_found_wherever_its_record_is(value):
    assert looked_up(value)[0] == [1]


def test_an_aborted_record_is_found():
    assert looked_up(400, [400])[0] == [4]
