# SPDX-License-Identifier: GPL-3.0-or-later
"""The page: verdict first, everything there, valid, alone in the world, legible."""

from __future__ import annotations

import re

import html5lib
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report import style
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.page import render
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.stage import report_of

from .reports import NOW, drill, entries, entry, failed_drill, lossy_partition, partition, proof, unprovable

REPORTS = {
    "drill": (drill(), [("failover", proof())]),
    "failed": (failed_drill(), []),
    "proof": (proof(), []),
    "loss": (proof(partition(0), lossy_partition(), verdict="LOSS"), []),
    "unprovable": (unprovable(), []),
    "stage": (report_of(entries(), "failover"), []),
    "cut": (report_of(entries()[:6]), []),
}


def words(html):
    """What a person reads, without tags."""
    return re.sub(r"[ \n]+", " ", " ".join(html5lib.parse(html, namespaceHTMLElements=False).find("body").itertext()))


@pytest.mark.parametrize("name", REPORTS)
def test_page_is_valid_and_needs_nobody(name):
    made = render(*REPORTS[name])
    html5lib.HTMLParser(strict=True).parse(made)
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)|https?://|<script|@import|url\((?!#)""", made)
    assert "default-src 'none'" in made
    assert made.index('class="verdict') < made.index("<h2>") if "<h2>" in made else True


def test_verdict_figures_and_times_of_a_drill():
    said = words(render(*REPORTS["drill"]))
    for part in (
        "PASSED All 2 checks held.",
        "RTO 40.5 s",
        "RPO 66 records",
        "61 records",
        "region lost at 60.0 s",
        "work goes on at 100.5 s",
        "Stop the mirror for good",
        "sh lab/bootstrap.sh drill --scenario failover",
        "kafka 4.3.1",
        "None was overridden",
        "initial setup distinct_clusters failover source_alive, topics_there",
        "partition 1 PROVEN",
        "10\u202f000 records",
    ):
        assert part.lower() in said.lower(), part


def test_what_was_not_measured_is_not_said_to_be_nought():
    said = words(render(*REPORTS["failed"]))
    assert "FAILED 1 of 1 checks did not hold: stage_succeeded." in said
    assert said.count("not measured") == 2 and "Records acknowledged" not in said and "Re-processed" not in said
    assert said.index("What did not hold") < said.index("Timeline")


def test_each_difference_with_its_offsets():
    said = words(render(*REPORTS["loss"]))
    assert "LOSS europe does not hold what north_america held: 1 missing, 1 altered." in said
    assert re.search(r"missing 2500 – 1", said) and re.search(r"altered 7000 6999 1 value", said)


def test_what_could_not_be_told_is_neither_good_nor_bad():
    made = render(unprovable())
    assert 'class="verdict warn"' in made and "the comparison showed neither" in made and "zz.*" in made


def test_stage_shows_overridden_gates_and_its_command():
    said = words(render(*REPORTS["stage"]))
    for part in (
        "DONE",
        "Overridden: mirror_alive.",
        "failover topics_there, not on a Friday",
        "-e failover_accept_stale_mirror=true",
        "RPO 66 offsets",
        "Re-processed at most 3",
        "went on from 20261121T182001Z-12",
    ):
        assert part in said, part


def test_a_difference_turns_a_stage_that_ended_red():
    told = [
        *entries()[:-2],
        entry("proof", "different", 40, found={"verdict": "LOSS", "reasons": ["a hole"]}),
        entries()[-1],
    ]
    made = render(report_of(told))
    assert 'class="verdict bad"' in made and "a hole" in made


def test_everything_is_escaped():
    bad = "<script>alert(1)</script>\"'&"
    report = drill(scenario=bad, command=bad, versions={bad: bad}, overrides=[bad], lost={bad: 1})
    report["checks"][0].update(name=bad, found=bad, passed=False)
    report["stages"][0]["steps"][0]["name"] = bad
    hostile = proof(source=bad, reasons=[bad])
    hostile["topics"][0]["topic"] = bad
    for made in (render(report, [(bad, hostile)]), render(hostile)):
        html5lib.HTMLParser(strict=True).parse(made)
        assert "<script" not in made and "&lt;script&gt;" in made


def test_a_great_many_partitions_make_a_page_that_opens():
    many = proof(*[partition(number) for number in range(3000)])
    assert len(render(many)) < 4_000_000


@pytest.mark.parametrize("odd", [{}, [], {"verdict": "PROVEN"}, None, "x"])
def test_what_is_no_report_is_refused(odd):
    with pytest.raises(UsageError, match="no report"):
        render(odd)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [style.LIGHT, style.DARK], ids=["light", "dark"])
def test_contrast_is_enough(palette):
    """WCAG 2.2: 4.5 for text (1.4.3), 3 for bars and lines (1.4.11)."""
    for ground in ("paper", "panel"):
        assert not [
            name
            for name in ("ink", "muted", "good", "warn", "bad", "accent")
            if contrast(palette[name], palette[ground]) < 4.5
        ]
    assert not [
        name
        for name in ("good", "warn", "bad", "accent", "second", "bar")
        if contrast(palette[name], palette["paper"]) < 3
    ]


def test_a_refusal_that_a_passed_drill_was_there_to_see_is_no_fault():
    refused = {
        "name": "Initial set-up",
        "seconds": 1.0,
        "steps": [{"name": "Check both regions", "seconds": 1.0, "began": NOW + 90, "failed": True}],
    }
    passed, failed = render(drill(stages=[refused])), render(failed_drill(stages=[refused]))
    assert "refused, as it has to be" in passed and "stopped here" not in passed
    assert "stopped here" in failed and "refused, as it has to be" not in failed


def test_lag_and_copying_of_mirrors_are_drawn_where_they_were_looked_at():
    page = render(drill())
    assert (
        "Mirror lag through loss and recovery" in page
        and "copied by mirrors, at most 200 a" in page
        and "where the line is broken" in page
    )
    # The third line of the first chart, once for each width.
    assert len(re.findall(r"stroke-dasharray[^\"]*stroke: var\(--warn\)", page)) == 2
    without = render(drill(mirrors=None))
    assert "Mirror lag" not in without and "copied by mirrors" not in without
