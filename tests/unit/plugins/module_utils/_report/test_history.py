# SPDX-License-Identifier: GPL-3.0-or-later
"""Past drills on one page."""

from __future__ import annotations

import json

import html5lib
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report import history

from .reports import NOW, drill, failed_drill, proof


def put(place, report):
    place.mkdir(parents=True, exist_ok=True)
    (place / "report.json").write_text(report if isinstance(report, str) else json.dumps(report))
    (place / "report.html").write_text("x")


def test_each_drill_once_in_order_with_its_link(tmp_path):
    put(tmp_path, drill(began=NOW + 300, rto_seconds=50.0))
    put(tmp_path / "history" / "c", drill(began=NOW + 300, rto_seconds=50.0))
    put(tmp_path / "history" / "a", drill(began=NOW))
    put(tmp_path / "history" / "b", failed_drill(began=NOW + 100))
    put(tmp_path / "proofs", proof())
    put(tmp_path / "elsewhere", proof())
    drills, refused = history.collect(str(tmp_path))
    assert [one["rto_seconds"] for path, one in drills] == [40.52, None, 50.0] and not refused
    text, shown = history.page(str(tmp_path), str(tmp_path / "history.html"))
    html5lib.HTMLParser(strict=True).parse(text)
    assert (
        len(shown) == 3
        and "2 of 3 drills passed" in text
        and 'href="history/a/report.html"' in text
        and "stage succeeded" in text
    )
    drawn = history.charts(history.rows(drills, str(tmp_path)))
    assert [(one["name"], one["last"], len(one["dots"])) for one in drawn] == [("RTO", 50.0, 2), ("RPO", 66, 2)]
    assert all(len(one["without"]) == 1 for one in drawn)
    assert [[(dot["at"], dot["value"]) for dot in one["dots"]] for one in drawn] == [
        [(1, 40.52), (3, 50.0)],
        [(1, 66), (3, 66)],
    ]


def test_drills_that_were_spoiled_on_purpose_do_not_count(tmp_path):
    put(tmp_path / "a", drill(began=NOW))
    put(tmp_path / "b", failed_drill(began=NOW + 100, sabotage="mirror"))
    text, shown = history.page(str(tmp_path), str(tmp_path / "history.html"))
    assert (
        len(shown) == 2 and "1 of 1 drills passed" in text and "spoiled on purpose: mirror" in text and "PASSED" in text
    )


def test_a_report_that_cannot_be_read_is_named(tmp_path):
    put(tmp_path / "a", drill())
    put(tmp_path / "b", "{")
    text, shown = history.page(str(tmp_path), str(tmp_path / "history.html"))
    assert len(shown) == 1 and "is no JSON" in text and str(tmp_path / "b") in text


def test_no_drill_is_told(tmp_path):
    with pytest.raises(UsageError, match="There is no drill to tell of"):
        history.page(str(tmp_path), str(tmp_path / "history.html"))


@pytest.mark.parametrize(
    ("third", "said"),
    [
        (drill(), []),
        (drill(verdict="failed"), ["failed drill"]),
        (drill(rto_seconds=None, rpo={}), ["a stroke where a drill came to no figure"]),
    ],
)
def test_the_legend_names_only_what_a_chart_shows(tmp_path, third, said):
    for number, report in enumerate((drill(rto_seconds=40.52), third, drill(rto_seconds=53.49))):
        put(tmp_path / str(number), dict(report, began=NOW + number))
    text = history.page(str(tmp_path), str(tmp_path / "history.html"))[0]
    assert [one for one in ("failed drill", "a stroke where a drill came to no figure") if one in text] == said
    assert "last 53.5 s" in text
