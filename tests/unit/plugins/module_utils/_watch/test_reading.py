# SPDX-License-Identifier: GPL-3.0-or-later
"""What a round reads of a side whose retention works at the same time."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.read_events import RangeGoneError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import reading
from tests.support.following import PLACE

OTHER = (PLACE[0], 1)


def test_a_partition_whose_start_keeps_moving_takes_no_other_ones_round(monkeypatch):
    reader, starts, asked = reading.SideReader.__new__(reading.SideReader), {PLACE: 0, OTHER: 0}, []
    reader.client = None

    def read(wanted, known):
        asked.append([item.place for item in wanted])
        if PLACE in asked[-1]:
            raise RangeGoneError("an offset is no longer there")
        return {item.place: known[item.place] for item in wanted}

    def start(dummy, places, *what, **more):
        starts[PLACE] += 10
        return {place: starts[place] for place in places}

    monkeypatch.setattr(reader, "_read", read)
    monkeypatch.setattr(reading, "list_offsets", start)
    wanted = [reading.Wanted(place, None, 0, 100) for place in (PLACE, OTHER)]
    assert reader.read(wanted, dict(starts)) == {OTHER: 0}
    assert asked == [[PLACE, OTHER]] * reading.ATTEMPTS + [[OTHER]]
