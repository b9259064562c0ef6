# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages in headless Chromium, as wide as a phone and a desk: no console message, nothing too wide."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report import history
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.page import render
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.stage import report_of
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.standing import report_of as standing_report

from .reports import NOW, drill, entries, failed_drill, lossy_partition, partition, proof, unprovable
from .test_standing_report import standing

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no Chromium here (Debian: apt-get install chromium): the pages were not looked at in a browser",
    ),
]
WIDTHS = (360, 1280)
LONG = "a.topic.with.a.very.long.name." * 6

MEASURE = """<script>addEventListener("load", () => {
  const told = [...document.querySelectorAll("iframe")].map(one => {
    const page = one.contentDocument, root = page.documentElement;
    return {name: one.name, wide: root.scrollWidth, screen: root.clientWidth, high: root.scrollHeight, text: page.body.innerText.length,
            cut: [...page.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText.slice(0, 40)),
            bars: [...page.querySelectorAll("svg rect")].filter(bar => bar.getBoundingClientRect().width > 0).length};
  });
  document.body.innerHTML = "<pre>" + JSON.stringify(told) + "</pre>";
})</script>"""


def pages(tmp_path):
    """Every kind of page, one with names that do not fit."""
    lossy = proof(partition(0), lossy_partition(), verdict="LOSS")
    wide = proof(lossy_partition(), verdict="LOSS", reasons=[LONG])
    wide["topics"][0].update(topic=LONG, target_topic="renamed." + LONG)
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "report.json").write_text(
            json.dumps(drill(began=NOW + number * 1000, rto_seconds=40.0 + number))
        )
    return {
        "usual": render(drill(), [("failover", proof())]),
        "drill": render(drill(lost={LONG: 5}), [("failover", proof())]),
        "failed": render(failed_drill()),
        "loss": render(lossy),
        "wide": render(wide),
        "unprovable": render(unprovable()),
        "stage": render(report_of(entries(), "failover")),
        "standing": render(standing_report(standing(differences=[{"id": LONG, "text": LONG}]), "backup", 60, 300)),
        "history": history.page(str(tmp_path), str(tmp_path / "history.html"))[0],
    }


def look(path, profile, *words):
    """Chromium's document afterwards, and the lines of its console."""
    ended = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
            "--v=0",
            f"--user-data-dir={profile}",
            "--virtual-time-budget=10000",
            "--dump-dom",
            *words,
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.stdout, [line for line in ended.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_pages_fit_and_say_nothing_on_the_console(tmp_path, mode):
    frames = "".join(
        f'<iframe name="{name} {width}" width="{width}" height="800" srcdoc="{html.escape(page)}"></iframe>'
        for name, page in pages(tmp_path).items()
        for width in WIDTHS
    )
    wrapper = tmp_path / "wrapper.html"
    wrapper.write_text(f"<!DOCTYPE html><meta charset=utf-8><title>x</title><body>{frames}{MEASURE}</body>")
    document, console = look(
        wrapper, tmp_path / "profile", *(["--blink-settings=preferredColorScheme=0"] if mode == "dark" else [])
    )
    assert not console
    told = json.loads(html.unescape(re.search(r"<pre>(.*)</pre>", document, re.S)[1]))
    assert len(told) == 9 * len(WIDTHS)
    assert not [one for one in told if one["wide"] > one["screen"]], "wider than the screen"
    assert not [one for one in told if one["name"].split()[0] in ("usual", "loss") and one["cut"]], (
        "a table of usual names has to be pushed about"
    )
    assert all(one["text"] > 100 for one in told)
    assert all(one["bars"] > 0 for one in told if one["name"].split()[0] in ("drill", "loss", "stage"))


def test_a_page_that_asks_the_network_would_be_seen(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(render(proof()).replace("</main>", '<img src="http://127.0.0.1:9/x.png"></main>'))
    assert "Content Security Policy" in " ".join(look(page, tmp_path / "profile")[1])
