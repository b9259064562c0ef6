# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be told is exit 2 with the reason, within the time given, and never complete; nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.support.kafka import Kafka, free_ports

from . import support
from .test_situations import BULK

# What is wrong from the beginning is told within this, with the usual --timeout; more is a hang.
HANGS = 30


@pytest.fixture
def job(pair, tmp_path):
    """A process of its own each time: how it starts and ends is the subject."""
    return support.Job(tmp_path, pair["source"], pair["target"])


def refuses(job, expected, *more, topics="nothing", words=None):
    code, dummy, errors = job.run(words or job.words(topics, *more), timeout=HANGS)
    report = json.loads(job.report_path.read_text()) if job.report_path.exists() else None
    assert code == 2, errors
    assert expected in errors
    assert report is None or (report["complete"], report["verdict"]) == (False, "NOT_PROVABLE")
    return report, errors


@pytest.mark.real
def test_unreachable(job):
    job.source = support.config_file(job.directory, "dead", {"bootstrap.servers": f"127.0.0.1:{free_ports(1)[0]}"})
    report, dummy = refuses(job, "Cannot read metadata on source")
    assert report["reasons"]


@pytest.mark.real
def test_unreachable_target(job, pair):
    support.create(pair["source"], {"reached": (1, {})})
    job.target = support.config_file(job.directory, "dead", {"bootstrap.servers": f"127.0.0.1:{free_ports(1)[0]}"})
    refuses(job, "on target", topics="reached")


@pytest.mark.real
def test_no_topic_matches(job):
    refuses(job, "No topic of source matches")


@pytest.mark.full
def test_wrong_password(job, tmp_path):
    jaas = (
        'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="right" user_u="right";'
    )
    ports = free_ports(1)
    cluster = Kafka(
        tmp_path / "sasl",
        "sasl",
        {"listener.name.sasl.plain.sasl.jaas.config": jaas, "sasl.enabled.mechanisms": "PLAIN"},
        heap="512m",
    )
    cluster.properties["listeners"] += f",SASL://127.0.0.1:{ports[0]}"
    cluster.properties["listener.security.protocol.map"] += ",SASL:SASL_PLAINTEXT"
    cluster.properties["inter.broker.listener.name"] = "PLAINTEXT"
    cluster.start(wait=240)
    try:
        client = {
            "bootstrap.servers": f"127.0.0.1:{ports[0]}",
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "u",
        }
        job.target = support.config_file(job.directory, "sasl", {**client, "sasl.password": "secretive"})
        support.create(cluster, {"there": (1, {})})
        job.source = support.config_file(job.directory, "plain", cluster.client)
        report, errors = refuses(job, "password", topics="there")
        assert "secretive" not in errors + json.dumps(report)
    finally:
        cluster.stop()


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "content", "mode", "expected"),
    [
        ("readable", '{"bootstrap.servers": "x:1", "sasl.password": "hidden-word"}', 0o644, "can be read by others"),
        ("broken", '{"sasl.password": "hidden-word", ', 0o600, "not valid JSON"),
        ("list", '["hidden-word"]', 0o600, "no client configuration"),
        ("unknown", '{"bootstrap.servers": "127.0.0.1:1", "no.such.key": "hidden-word"}', 0o600, "no.such.key"),
        ("missing", None, 0, "cannot be read"),
    ],
)
def test_unusable_config(job, name, content, mode, expected):
    path = job.directory / f"{name}.json"
    if content is not None:
        path.write_text(content)
        path.chmod(mode)
    job.source = str(path)
    errors = refuses(job, expected)[1]
    assert "hidden-word" not in errors


@pytest.mark.full
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--topics", "["], "not a regular expression"),
        (["--rename", "upper"], "expected identity, identity:ALIAS. or prefix:ALIAS."),
        (["--max-mb-per-second", "0"], "positive"),
        (["--bounds", "/nowhere"], "cannot be read"),
        (["--no-such"], "unrecognized"),
        (["--max-differences", "many"], "invalid int"),
    ],
)
def test_bad_arguments(job, more, expected):
    refuses(job, expected, *more)


@pytest.mark.full
@pytest.mark.parametrize(
    "content",
    ['{"sauce": {}}', '{"source": {"t": {"0": -1}}}', '{"source": {"t": {"zero": 1}}}', '{"source": {"t": [1]}}', "[]"],
)
def test_bad_bounds(job, content):
    path = job.directory / "bounds.json"
    path.write_text(content)
    refuses(job, "bounds are not valid", "--bounds", str(path))


@pytest.mark.full
@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"source": {"bounded": {"0": 41}}}, "ends at 40, before the bound 41"),
        ({"source": {"bounded": {"0": 4}}}, "begins at 5, behind the bound 4"),
        ({"target": {"bounded": {"1": 9}}}, "a bound is given for partition 1"),
    ],
)
def test_impossible_bounds(job, pair, bounds, expected):
    if "bounded" not in pair["source"].__dict__.setdefault("made", set()):
        pair["source"].made.add("bounded")
        for one in pair.values():
            support.create(one, {"bounded": (1, {})})
            support.write(one, {"bounded": BULK[:40]})
        support.delete_before(pair["source"], "bounded", 0, 5)
    path = job.directory / "bounds.json"
    path.write_text(json.dumps(bounds))
    code, report, errors = job.compare("bounded", "--bounds", str(path))
    assert (code, report["verdict"], report["complete"]) == (2, "NOT_PROVABLE", False), errors
    assert " ".join(report["reasons"]).count(expected) == 1


@pytest.mark.full
def test_help_is_no_error(job):
    assert job.run(["--help"])[0] == 0


@pytest.mark.full
def test_broker_dies_during_the_run(job, pair, tmp_path):
    """It is given up when nothing came for --timeout seconds, and the job ends then."""
    cluster = Kafka(tmp_path / "mortal", "mortal", heap="512m").start(wait=240)
    for one in (pair["source"], cluster):
        support.create(one, {"mortal": (1, {})})
        support.write(one, {"mortal": BULK})
    job.target = support.config_file(job.directory, "mortal", cluster.client)
    told = job.directory / "progress.json"
    process = launch(job, "mortal", "--progress", str(told), "--max-mb-per-second", "0.4", "--timeout", "8")
    await_records(told, process)
    cluster.kill()
    # A task is tried again, each time for as long.
    assert process.wait(120) == 2
    report = json.loads(job.report_path.read_text())
    assert (report["complete"], report["verdict"]) == (False, "NOT_PROVABLE")


def launch(job, topics, *more, environment=None):
    return subprocess.Popen(
        [sys.executable, str(support.MAIN), *job.words(topics, *more)],
        stdout=subprocess.DEVNULL,
        stderr=open(job.directory / "errors", "w"),
        env={**support.environment(), **(environment or {})},
    )


def await_records(told, process, seconds=400):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise AssertionError("the job ended before it read anything")
        try:
            if json.loads(told.read_text()).get("records", 0) > 0:
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    raise AssertionError("nothing was read")


@pytest.mark.full
@pytest.mark.parametrize("how", ["terminated", "interrupted", "parent gone"])
def test_leaves_no_process_behind(job, pair, how):
    name = "left-" + how.replace(" ", "-")
    for one in pair.values():
        support.create(one, {name: (1, {})})
        support.write(one, {name: BULK})
    told = job.directory / "progress.json"
    parent = subprocess.Popen(["sleep", "300"])
    process = launch(job, name, "--progress", str(told), "--max-mb-per-second", "0.3", "--parent-pid", str(parent.pid))
    try:
        await_records(told, process)
        family = psutil.Process(process.pid).children(recursive=True)
        assert any("java" in one.name() for one in family)
        words = {one.pid: one.name() for one in family}
        if how == "parent gone":
            parent.kill()
            parent.wait()
        else:
            process.send_signal(signal.SIGTERM if how == "terminated" else signal.SIGINT)
        assert process.wait(120) == 130, (job.directory / "errors").read_text()
        dummy, alive = psutil.wait_procs(family, 90)
        assert not alive, [words[one.pid] for one in alive]
        assert json.loads(told.read_text())["finished"] is True
    finally:
        for one in (process, parent):
            if one.poll() is None:
                one.kill()


@pytest.mark.full
def test_stops_when_killed_outright(job, pair):
    """SIGKILL cannot be handled: the JVM ends because its input does."""
    for one in pair.values():
        support.create(one, {"killed": (1, {})})
        support.write(one, {"killed": BULK})
    told = job.directory / "progress.json"
    process = launch(job, "killed", "--progress", str(told), "--max-mb-per-second", "0.3")
    await_records(told, process)
    family = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    dummy, alive = psutil.wait_procs(family, 90)
    assert not alive
