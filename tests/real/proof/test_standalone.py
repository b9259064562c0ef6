# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Spark standalone cluster: a master and two workers, the package handed over, an executor killed while it
reads.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import socket
import time

import psutil
import pyspark
import pytest

from tests.support.kafka import JavaProcess, free_ports

from . import support
from .test_faults import await_records, launch
from .test_situations import BULK

pytestmark = pytest.mark.full


class SparkProcess(JavaProcess):
    """A daemon of Spark, from the jars that PySpark ships."""

    def java(self, *words, heap="256m"):
        from kafka_dr_lab.java import require_java

        names = (
            "java.lang",
            "java.lang.invoke",
            "java.util",
            "java.nio",
            "sun.nio.ch",
            "java.util.concurrent",
            "java.net",
        )
        opens = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in names]
        jars = os.path.join(os.path.dirname(pyspark.__file__), "jars", "*")
        return [
            require_java(),
            f"-Xmx{heap}",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            *opens,
            "-cp",
            jars,
            *words,
        ]


def await_listening(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.2)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    directory = tmp_path_factory.mktemp("standalone")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    # Without its start scripts, a worker cannot find out by itself how to start executors.
    os.environ["SPARK_SCALA_VERSION"] = "2.13"
    assert glob.glob(os.environ["SPARK_HOME"] + "/jars/*.jar")
    port, web = free_ports(2)
    master = SparkProcess(directory, "master")
    where = ("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web))
    master.launch("org.apache.spark.deploy.master.Master", *where, heap="256m")
    await_listening(port)
    workers = []
    for number in range(2):
        worker = SparkProcess(directory, f"worker{number}")
        size = ("--cores", "1", "--memory", "700m", "--webui-port", "0")
        place = ("--work-dir", str(directory / f"work{number}"), f"spark://127.0.0.1:{port}")
        worker.launch("org.apache.spark.deploy.worker.Worker", *size, *place, heap="256m")
        workers.append(worker)
    yield f"spark://127.0.0.1:{port}", workers
    for one in [*workers, master]:
        one.stop()
    for name in ("SPARK_LOCAL_IP", "SPARK_HOME", "SPARK_SCALA_VERSION"):
        os.environ.pop(name)


SUBMIT = {"PYSPARK_SUBMIT_ARGS": "--driver-memory 512m --conf spark.executor.memory=512m pyspark-shell"}


def fill(pair, name, target=None):
    for side, one in pair.items():
        support.create(one, {name: (2, {})})
        rows = [row.but(partition=at % 2) for at, row in enumerate(BULK)]
        support.write(one, {name: (target or rows) if side == "target" else rows})


def test_proves_on_two_workers(pair, tmp_path, cluster):
    fill(pair, "spread")
    job = support.Job(tmp_path, pair["source"], pair["target"])
    process = launch(job, "spread", "--master", cluster[0], environment=SUBMIT)
    assert process.wait(400) == 0, (tmp_path / "errors").read_text()
    report = json.loads(job.report_path.read_text())
    assert report["engine"]["master"] == cluster[0]
    assert (report["verdict"], report["totals"]["records_source"]) == ("PROVEN", len(BULK))


def executors(workers):
    return [
        child
        for worker in workers
        for child in psutil.Process(worker.process.pid).children(recursive=True)
        if any("CoarseGrainedExecutorBackend" in word for word in child.cmdline())
    ]


def test_survives_the_loss_of_an_executor(pair, tmp_path, cluster):
    """Either right after a retry, or exit 2; never complete without having read everything."""
    rows = [row.but(partition=at % 2) for at, row in enumerate(BULK)]
    fill(pair, "shaken", rows[:1700] + rows[1701:])
    job = support.Job(tmp_path, pair["source"], pair["target"])
    told = tmp_path / "progress.json"
    process = launch(
        job, "shaken", "--master", cluster[0], "--progress", str(told), "--max-mb-per-second", "0.5", environment=SUBMIT
    )
    await_records(told, process)
    before = executors(cluster[1])
    assert len(before) == 2
    before[0].kill()
    code = process.wait(300)
    report = json.loads(job.report_path.read_text())
    assert report["complete"] is False
    assert code in (1, 2), (tmp_path / "errors").read_text()
    if code == 1:
        assert (report["totals"]["missing"], report["totals"]["records_source"]) == (1, len(BULK))
        assert report["topics"][0]["partitions"][0]["differences"][0]["source_offset"] == 850


def test_no_worker_is_free(pair, tmp_path, cluster):
    """A job that nobody takes ends by itself."""
    fill(pair, "waiting")
    job = support.Job(tmp_path, pair["source"], pair["target"])
    words = {"PYSPARK_SUBMIT_ARGS": "--driver-memory 512m --conf spark.executor.memory=9g pyspark-shell"}
    process = launch(job, "waiting", "--master", cluster[0], environment=words)
    assert process.wait(400) == 2
    assert "No executor took a task" in (tmp_path / "errors").read_text()
    assert json.loads(job.report_path.read_text())["complete"] is False


def test_ends_where_every_worker_is_lost(pair, tmp_path, cluster):
    """Last in this file: the workers do not come back. Nothing at work for --timeout seconds is given up."""
    fill(pair, "deserted")
    job = support.Job(tmp_path, pair["source"], pair["target"])
    told = tmp_path / "progress.json"
    process = launch(
        job,
        "deserted",
        "--master",
        cluster[0],
        "--progress",
        str(told),
        "--max-mb-per-second",
        "0.3",
        "--timeout",
        "10",
        environment=SUBMIT,
    )
    await_records(told, process)
    family = executors(cluster[1])
    for worker in cluster[1]:
        worker.kill()
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    assert process.wait(30) == 2
    assert "No executor took a task for 10 s" in (tmp_path / "errors").read_text()
    assert json.loads(job.report_path.read_text())["complete"] is False
