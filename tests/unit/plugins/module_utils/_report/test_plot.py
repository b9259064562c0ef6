# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts that the page can colour, that carry no word of a report, and without which a page is still made."""

from __future__ import annotations

import re

import html5lib
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report import plot
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.page import render
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.timeline import lines

from .reports import NOW, drill

SERIES = {
    "<b>orders</b>": [(NOW + at, None if at == 5 else 200 + at) for at in range(20)],
    "processed": [(NOW + at, 190) for at in range(20)],
}
CHART = {
    "top": 50.5,
    "count": 3,
    "dots": [{"at": 1, "value": 40.5, "passed": True}, {"at": 3, "value": 50.5, "passed": False}],
    "without": [2],
}


@pytest.mark.parametrize("made", [plot.over_time(lines(SERIES, [("lost", NOW + 7)])), plot.over_drills(CHART)])
def test_colours_are_the_page_s_own_and_nothing_leads_elsewhere(made):
    html5lib.HTMLParser(strict=True).parseFragment(made)
    assert made.count("<svg") == 2 and "var(--accent)" in made and "var(--muted)" in made
    assert not re.search(r"http|<style|<script|<metadata|orders", made)
    # What is left of colours is no colour of the drawing.
    assert set(re.findall(r"#[0-9a-f]{6}\b(?=[;\"])", made)) <= {"#000000", "#ffffff"}


def test_a_gap_is_a_gap():
    whole = lines({"lag": [(NOW + at, 3) for at in range(20)]}, whole=True)
    broken = lines({"lag": [(NOW + at, None if at == 9 else 3) for at in range(20)]}, whole=True)
    paths = [re.findall(r'd="(M[^"]*)"[^>]*stroke: var\(--accent\)', plot.over_time(one)) for one in (whole, broken)]
    assert [path.count("M") for path in paths[0]] == [1, 1] and [path.count("M") for path in paths[1]] == [2, 2]


def test_a_drill_that_failed_is_drawn_otherwise():
    passed = {**CHART, "dots": [dict(one, passed=True) for one in CHART["dots"]], "without": []}
    assert "var(--bad)" in plot.over_drills(CHART) and "var(--bad)" not in plot.over_drills(passed)


def test_without_matplotlib_the_page_says_so(monkeypatch):
    monkeypatch.setattr(plot, "matplotlib", None)
    page = render(drill(flow={"acknowledged": [(NOW + at, 200) for at in range(90)]}))
    assert "needs the Python library matplotlib" in page and "Throughput through loss and recovery" in page
