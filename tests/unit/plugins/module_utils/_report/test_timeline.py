# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars and lines over time."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.timeline import lines, timeline
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.view import view

from .reports import NOW, drill


def test_steps_stand_where_they_were_with_the_gaps_between_them():
    found = timeline(drill()["stages"], [("lost", NOW + 60), ("never", None)])
    bars = {row["name"]: (row["x"], row["width"]) for row in found["rows"]}
    assert found["timed"] and found["total"] == 75.0
    assert bars["Initial set-up"] == (0.0, 13.333) and bars["Failover"] == (93.333, 6.667)
    assert found["marks"] == [{"label": "lost", "x": 80.0, "at": 60.0}]


def test_steps_without_times_are_laid_end_to_end():
    found = timeline(
        [{"name": "a", "steps": [{"name": "x", "seconds": 1.0}, {"name": "y", "seconds": 3.0}]}], [("lost", NOW)]
    )
    assert not found["timed"] and not found["marks"] and [row["x"] for row in found["rows"]] == [0.0, 0.0, 25.0]
    assert timeline([]) is None


def test_a_burst_does_not_flatten_the_rest():
    steady = [(NOW + at, 200) for at in range(30)]
    burst = lines({"processed": [*steady, (NOW + 30, 8000)]})
    assert (burst["cut"], burst["top"], burst["series"][0]["peak"]) == (True, 600, 8000)
    assert (lines({"processed": steady})["cut"], lines({"processed": steady})["top"]) == (False, 210)


def test_a_peak_that_matters_is_drawn_to_its_height():
    lag = lines({"a to b": [(NOW + at, 3) for at in range(30)] + [(NOW + 30, 900)]}, whole=True)
    assert (lag["cut"], lag["top"]) == (False, 945)


def test_a_line_is_broken_where_nothing_was_seen():
    found = lines({"a to b": [(NOW, 1), (NOW + 1, 2), (NOW + 2, None), (NOW + 3, 2), (NOW + 4, 2)]})["series"][0]
    assert found["broken"] and found["peak"] == 2 and found["points"] == [(0, 1), (1, 2), (2, None), (3, 2), (4, 2)]
    assert not lines({"a to b": [(NOW, 1), (NOW + 1, 2)]})["series"][0]["broken"]


def test_nothing_to_draw():
    assert lines({"processed": []}) is None and lines({"processed": [(NOW, 1)]}) is None
    assert lines({"processed": [(NOW, 0), (NOW + 1, 0)]})["top"] > 0


def test_two_charts_of_one_drill_stand_over_the_same_time():
    made = view(
        drill(
            flow={"acknowledged": [(NOW + at, 200) for at in range(90)]},
            mirrors={"lag": {"a to b": [(NOW + at, 3) for at in range(2, 80)]}},
        )
    )
    assert (
        (made["flow"]["first"], made["flow"]["seconds"]) == (made["lag"]["first"], made["lag"]["seconds"]) == (NOW, 89)
    )
    assert made["flow"]["marks"][0] == made["lag"]["marks"][0] and made["lag"]["series"][0]["points"][0] == (2, 3)
