# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a record has been there at least is what was seen, whatever its timestamp."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.sightings import KEPT, Sightings


def seen(*looks):
    found = Sightings()
    for look in looks:
        found.add(*look)
    return found


def test_a_record_is_there_since_the_first_look_that_saw_the_log_end_behind_it():
    found = seen((10, 1000), (10, 2000), (25, 3000), (20, 4000))
    assert [found.first(offset) for offset in (0, 9, 10, 24, 25)] == [1000, 1000, 3000, 3000, None]
    assert Sightings().first(0) is None


def test_what_is_confirmed_is_forgotten():
    found = seen((10, 1000), (20, 2000), (30, 3000))
    found.forget(20)
    assert found.first(20) == 3000
    # The end is still known.
    found.forget(30)
    found.add(30, 4000)
    assert found.first(29) == 3000


def test_of_very_many_looks_a_record_is_never_younger_than_it_was_seen():
    found = seen(*((at, at * 1000) for at in range(1, 1001)))
    assert len(found._looks) == KEPT
    assert all(found.first(at) <= (at + 1) * 1000 for at in range(1000))
    assert found.first(0) == 1000 and found.first(999) == 1_000_000
