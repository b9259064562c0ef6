# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of the watch, and the examples that use them."""

from __future__ import annotations

import json
import re
import subprocess
import time
import urllib.request

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import metrics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.figures import RoundFigures, TopicFigures
from kafka_dr_lab import drill_metrics
from kafka_dr_lab.ports import free_ports
from tests.conftest import ROOT
from tests.support.prometheus import program

EXAMPLES = ROOT / "examples" / "monitoring"
FIGURES = RoundFigures(
    "there",
    at=int(time.time() * 1000) - 5000,
    proven_age_seconds=2.5,
    unproven_records=7,
    differences=1,
    stopped=2,
    mirror_lag_records=3,
    witness_at=int(time.time() * 1000) - 4000,
    rounds=9,
    records=1000,
    seconds=0.25,
    topics={'odd"\n\\topic': TopicFigures(7, 2.5, 1)},
)


@pytest.fixture(scope="module")
def page():
    port = free_ports(1)[0]
    shown = metrics.serve(str(port), "there")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as before:
        empty = before.read().decode()
    shown.update(FIGURES)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return port, empty, answer.read().decode()


def test_the_page_shows_the_figures_of_the_last_round(page):
    dummy_port, dummy_empty, text = page
    for line in (
        'kafka_dr_unproven_records{mirror="there"} 7.0',
        'kafka_dr_differences{mirror="there"} 1.0',
        'kafka_dr_stopped_partitions{mirror="there"} 2.0',
        'kafka_dr_mirror_lag_records{mirror="there"} 3.0',
        'kafka_dr_watch_rounds_total{mirror="there"} 9.0',
        'kafka_dr_watch_records_total{mirror="there"} 1000.0',
        'kafka_dr_topic_unproven_records{mirror="there",topic="odd\\"\\n\\\\topic"} 7.0',
    ):
        assert line in text.splitlines(), line
    age = float(re.search(r'^kafka_dr_watch_age_seconds\{mirror="there"\} (\S+)$', text, re.M)[1])
    assert age >= 5, "it grows while no round ends"
    age = float(re.search(r'^kafka_dr_witness_age_seconds\{mirror="there"\} (\S+)$', text, re.M)[1])
    assert age >= 4, "it grows while nothing is seen of the witness"


@pytest.mark.parametrize("name", ["kafka_dr_proven_age_seconds", "kafka_dr_topic_proven_age_seconds"])
def test_what_is_not_proven_grows_old_while_no_round_ends(name, monkeypatch):
    now = [50.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    shown = metrics.Metrics("there")
    shown.update(FIGURES)
    for later, expected in ((0, 2.5), (600, 602.5)):
        now[0] = 50.0 + later
        (family,) = (family for family in shown.collect() if family.name == name)
        assert [sample.value for sample in family.samples] == [expected]


def test_before_the_first_round_nothing_says_that_all_is_proven(page):
    dummy_port, empty, dummy_text = page
    assert not re.search(
        r"^kafka_dr_(unproven_records|proven_age_seconds|differences|watch_age_seconds)\{", empty, re.M
    )
    assert 'kafka_dr_watch_rounds_total{mirror="there"} 0.0' in empty


def test_an_unknown_age_of_the_witness_is_not_shown(page):
    assert not re.search(r"^kafka_dr_witness_age_seconds\{", page[1], re.M)


def test_a_port_that_is_taken_is_named(page):
    with pytest.raises(KafkaDrError, match=f"cannot be served at 127.0.0.1:{page[0]}"):
        metrics.serve(str(page[0]), "there")


@pytest.mark.parametrize(
    "text, host, port", [("9405", "127.0.0.1", 9405), ("0.0.0.0:9405", "0.0.0.0", 9405), ("[::1]:9405", "::1", 9405)]
)
def test_an_address(text, host, port):
    assert metrics.address(text) == (host, port)


@pytest.mark.parametrize("text", ["", "host", "0", "70000", "host:"])
def test_no_address(text):
    with pytest.raises(UsageError, match="address of the metrics"):
        metrics.address(text)


def queries():
    """Every expression of the examples."""
    rules = yaml.safe_load((EXAMPLES / "alerts.yml").read_text())
    yield from (rule["expr"] for group in rules["groups"] for rule in group["rules"])
    dashboard = json.loads((EXAMPLES / "dashboard.json").read_text())
    yield from (target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    yield from (variable["query"] for variable in dashboard["templating"]["list"])


def test_every_metric_that_the_examples_name_exists_and_every_one_is_used():
    used = {name for query in queries() for name in re.findall(r"\bkafka_dr_\w+", query)}
    assert used == {*metrics.names(), *drill_metrics.GAUGES}


def test_the_page_of_the_documentation_names_every_metric():
    text = (ROOT / "docs" / "monitoring.md").read_text()
    assert not [name for name in (*metrics.names(), *drill_metrics.GAUGES) if f"`{name}`" not in text]


def test_the_dashboard_can_be_imported():
    dashboard = json.loads((EXAMPLES / "dashboard.json").read_text())
    assert dashboard["title"] and dashboard["uid"] and dashboard["schemaVersion"]
    numbers = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("words", [("rules", "alerts.yml"), ("config", "--syntax-only", "prometheus.yml")])
def test_prometheus_takes_them(words):
    promtool = program("promtool")
    if not promtool:
        pytest.skip("promtool is neither installed nor to be had: the rules were not shown to Prometheus")
    done = subprocess.run(
        [promtool, "check", *words], cwd=EXAMPLES, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
