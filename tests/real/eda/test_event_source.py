# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source over a real mirror whose source is lost, and the rulebook by a real ansible-rulebook, where there is
one.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.kafka import MirrorMaker, clusters
from tests.support.offsets_lab import create, mirror_properties, prepare_target

pytestmark = pytest.mark.full
ROOT = Path(__file__).resolve().parents[3]
EDA = ROOT / "extensions" / "eda"
RULEBOOK = (
    os.environ.get("ANSIBLE_RULEBOOK")
    or shutil.which("ansible-rulebook")
    or str(Path(sys.executable).parent / "ansible-rulebook")
)


def until(condition, seconds):
    """Poll; the last answer."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.5)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    base = tmp_path_factory.mktemp("eda")
    made = clusters(["a", "b"], base)
    create(made["a"], ("orders", 2, {}))
    prepare_target(made["b"])
    mirror = MirrorMaker(base / "mirror", mirror_properties(made["a"], made["b"], "orders"))
    mirror.start()
    yield made, mirror, base
    for one in (mirror, *made.values()):
        one.stop()


@pytest.fixture(scope="module")
def look(pair):
    """One look of the plugin at the mirror."""
    made, dummy, base = pair
    plugin = runpy.run_path(str(EDA / "plugins" / "event_source" / "mirror_health.py"))
    described = {
        "name": "backup",
        "source": "a",
        "target": "b",
        "source_client": made["a"].client,
        "target_client": made["b"].client,
    }
    (base / "client.json").write_text(json.dumps(made["b"].client))
    (base / "client.json").chmod(0o600)

    def once(limit=8.0, lag_limit=None, **changes):
        return plugin["look"](
            plugin["checked"]({"mirrors": [{**described, **changes}], "timeout": 6})[0], limit, lag_limit
        )

    return once


def test_1_a_mirror_at_work_is_well(look):
    def well():
        one = look()
        return one if one["state"] == "well" and one["heartbeat_age"] is not None else None

    found = until(well, 60)
    assert found and found["heartbeat_age"] < 8 and found["lag"] == 0, look()


def test_2_records_that_are_not_copied_are_lag(look, pair):
    from confluent_kafka import Producer

    made, mirror, dummy = pair
    mirror.stop()
    producer = Producer({**made["a"].client, "log_level": 0})
    for number in range(500):
        producer.produce("orders", b"%d" % number)
    producer.flush(20)
    assert (look(limit=600, lag_limit=100)["state"], look(limit=600, lag_limit=100)["lag"]) == ("late", 500)
    assert look(limit=600)["state"] == "well"


def test_3_a_mirror_without_heartbeats_is_silent(look):
    assert until(lambda: look()["state"] == "silent", 20)


def test_4_a_lost_source_is_told_from_the_target(look, pair):
    made = pair[0]
    made["a"].stop()
    found = look()
    assert found["state"] == "source_unreachable" and found["heartbeat_age"] > 0 and "a" in found["reasons"][0]


@contextlib.contextmanager
def rulebook_at_work(tmp_path, watched):
    """ansible-rulebook with the rulebook of requests over one mirror; the path of its log."""
    from kafka_dr_lab.playbook import collections_path

    (tmp_path / "inventory.yml").write_text("all: {hosts: {localhost: {ansible_connection: local}, a: {}, b: {}}}\n")
    variables = {
        "kafka_dr_watched": [watched],
        "kafka_dr_requests": str(tmp_path / "requests"),
        "kafka_dr_patience": 2,
        "kafka_dr_interval": 1,
    }
    (tmp_path / "vars.json").write_text(json.dumps(variables))
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "PATH": f"{Path(RULEBOOK).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [RULEBOOK, "-r", str(EDA / "rulebooks" / "request_failover.yml"), "-i", str(tmp_path / "inventory.yml")]
    with open(tmp_path / "log", "w+") as log:
        process = subprocess.Popen(
            [*command, "--vars", str(tmp_path / "vars.json"), "-v"],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=tmp_path,
            start_new_session=True,
        )
        try:
            yield tmp_path / "log"
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.skipif(
    not os.access(RULEBOOK, os.X_OK),
    reason="no ansible-rulebook here (pip install ansible-rulebook; Java 17): the rulebook was not run",
)
def test_5_the_rulebook_opens_a_request_and_moves_nothing(pair, tmp_path):
    made, dummy, base = pair
    watched = {
        "name": "backup",
        "source": "a",
        "target": "b",
        "source_client": made["a"].client,
        "target_client_file": str(base / "client.json"),
    }
    with rulebook_at_work(tmp_path, watched) as log:
        opened = until(
            lambda: list((tmp_path / "requests").glob("*.json")) if (tmp_path / "requests").is_dir() else [], 90
        )
        assert opened, log.read_text()[-4000:]
        time.sleep(3)
        request = json.loads(opened[0].read_text())
        assert (opened[0].name, request["seen"]["state"], request["seen"]["looks"] >= 3) == (
            "failover-backup.json",
            "source_unreachable",
            True,
        )
        assert "streamsafe.kafka_dr.failover -e failover_source=a -e failover_target=b" in request["then_move"]
        output = log.read_text()
        assert "Nothing was moved" in output and output.count("Open the request") == 1
