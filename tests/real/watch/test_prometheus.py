# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Prometheus reads the page of a watch, fires the alerts of the examples, and answers their dashboard.

Grafana is in no package registry: its dashboard is drawn nowhere here, and each of its queries is asked.
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.parse
import urllib.request

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import metrics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.figures import RoundFigures, TopicFigures
from kafka_dr_lab.ports import free_ports
from tests.conftest import ROOT
from tests.support.prometheus import program

pytestmark = pytest.mark.real
EXAMPLES = ROOT / "examples" / "monitoring"
FIRING = {"KafkaDrCopyDiffers", "KafkaDrPartitionsNotWatched"}


class Prometheus:
    """One that scrapes a page and judges the rules of the examples each second."""

    def __init__(self, directory, page_port):
        (port,) = free_ports(1)
        self.address = f"http://127.0.0.1:{port}"
        config = yaml.safe_load((EXAMPLES / "prometheus.yml").read_text())
        config["global"] |= {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["scrape_configs"][0]["static_configs"] = [{"targets": [f"127.0.0.1:{page_port}"]}]
        (directory / "prometheus.yml").write_text(yaml.safe_dump(config))
        (directory / "alerts.yml").write_bytes((EXAMPLES / "alerts.yml").read_bytes())
        words = [
            program("prometheus"),
            "--config.file=prometheus.yml",
            "--storage.tsdb.path=data",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        with open(directory / "prometheus.log", "wb") as log:
            self.process = subprocess.Popen(words, cwd=directory, stdout=log, stderr=log)

    def asked(self, path, **words):
        query = urllib.parse.urlencode(words)
        with urllib.request.urlopen(f"{self.address}/api/v1/{path}?{query}", timeout=10) as answer:
            return json.load(answer)["data"]

    def firing(self):
        try:
            alerts = self.asked("alerts")["alerts"]
        except OSError:
            # It has not begun to listen.
            return {}
        return {alert["labels"]["alertname"]: alert for alert in alerts if alert["state"] == "firing"}

    def end(self):
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    if not program("prometheus"):
        pytest.skip("Prometheus is neither installed nor to be had: no real one read the page")
    (port,) = free_ports(1)
    page = metrics.serve(str(port), "there")
    now = int(time.time() * 1000)
    page.update(
        RoundFigures(
            "there",
            at=now,
            proven_age_seconds=2.5,
            unproven_records=7,
            differences=1,
            stopped=2,
            mirror_lag_records=3,
            witness_at=now,
            scrubbed_at=now,
            rounds=9,
            records=1000,
            seconds=0.25,
            topics={"orders": TopicFigures(7, 2.5, 1)},
        )
    )
    server = Prometheus(tmp_path_factory.mktemp("prometheus"), port)
    try:
        end = time.monotonic() + 60
        while set(server.firing()) < FIRING:
            assert server.process.poll() is None and time.monotonic() < end, server.firing()
            time.sleep(0.5)
        yield server
    finally:
        server.end()


def test_what_is_wrong_fires_and_says_so(prometheus):
    fired = prometheus.firing()
    assert set(fired) == FIRING
    summary = fired["KafkaDrCopyDiffers"]["annotations"]["summary"]
    assert summary == "The copy of mirror there differs from its source (1 faults)"


def test_every_rule_can_be_judged(prometheus):
    rules = [rule for group in prometheus.asked("rules")["groups"] for rule in group["rules"]]
    assert len(rules) == 9 and {rule["health"] for rule in rules} == {"ok"}


def test_every_query_of_the_dashboard_has_an_answer(prometheus):
    """What a drill left behind is a page of another program."""
    dashboard = json.loads((EXAMPLES / "dashboard.json").read_text())
    queries = [target["expr"].replace("$mirror", ".*") for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(queries) > 15
    # A rate needs two scrapes.
    end = time.monotonic() + 30
    while True:
        empty = [query for query in queries if not prometheus.asked("query", query=query)["result"]]
        if all("kafka_dr_drill_" in query for query in empty) or time.monotonic() > end:
            break
        time.sleep(1)
    assert empty and all("kafka_dr_drill_" in query for query in empty), empty
