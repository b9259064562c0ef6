# SPDX-License-Identifier: GPL-3.0-or-later
"""Run tasks on Spark.

Tasks are few and big, their results small, so plain RDDs do: no SQL session is started, which saves seconds. A task
that ends with an error of ours returns it as a value; Spark repeats only what died (an executor, a worker).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.shapes import SideSpec
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.shapes import Task

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext

import contextlib
import os
import re
import signal
import sys
import threading
import time

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError, TimedOutError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import side  # noqa: F401  # pylint: disable=unused-import

from .progress import Progress, Sender

START_SECONDS = 180
# Until the first task begins, executors are allotted and started, on a busy cluster not within seconds.
ALLOT_SECONDS = 120


SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.log.level": "ERROR",
    "spark.task.maxFailures": "4",
    "spark.python.worker.reuse": "true",
}


def run_one(task: Task, address: tuple[str, int], token: str) -> dict[str, Any]:
    """In an executor: one task."""
    sender = Sender(address, token, task["id"])
    try:
        if task["work"].startswith("manifest"):
            from . import writer

            return writer.run(task, sender)
        if task["work"].startswith("salvage_"):
            from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import worker as salvage

            return salvage.run(task, sender)
        return worker.run(task, sender)
    finally:
        sender.close()


@contextlib.contextmanager
def running(
    arguments: argparse.Namespace, package: str, context: SparkContext | None, sides: Sequence[SideSpec]
) -> Iterator[SparkEngine]:
    """The engine that the arguments ask for. A side's rate is a task's share, so that all tasks together stay below
    it on any one broker.
    """
    engine = SparkEngine(arguments.master, package, arguments.progress, arguments.quiet, context, arguments.timeout)
    try:
        if arguments.max_mb_per_second:
            for side in sides:
                if side["kind"] == "kafka":
                    side["rate"] = arguments.max_mb_per_second * 1e6 / engine.parallelism
        yield engine
    finally:
        engine.close()


class SparkEngine:
    """A Spark context made for this job.

    :param master: as for spark-submit; None leaves it to spark-submit or takes ``local[*]``.
    :param package: path of the zip to hand to executors.
    :param patience: seconds without any task at work, once one has been, after which a cluster counts as lost.
    """

    name = "spark"

    def __init__(
        self,
        master: str | None,
        package: str,
        progress_path: str | None = None,
        quiet: bool = False,
        context: SparkContext | None = None,
        patience: float = 30,
    ) -> None:
        self.patience, self.begun = patience, False
        self.stuck: float = 0
        self.owned = context is None
        self.context = context or self._start(master, package)
        self.master = self.context.master
        self.local = (self.master or "").startswith("local")
        host = "127.0.0.1" if self.local else self.context.getConf().get("spark.driver.host", "127.0.0.1")
        self.progress = Progress(host, progress_path, quiet)
        self.parallelism = max(1, self.context.defaultParallelism)
        self.task_count = 0

    @staticmethod
    def _start(master: str | None, package: str) -> SparkContext:
        from pyspark import SparkContext

        conf = _configuration(master, os.path.join(os.path.dirname(package), "log4j2.properties"))
        chosen = conf.get("spark.master", "local[*]")
        watch = threading.Timer(START_SECONDS, _give_up, [f"Spark did not start within {START_SECONDS} s on {chosen}"])
        watch.daemon = True
        watch.start()
        try:
            with _uninterrupted():
                context = SparkContext(conf=conf)
        except Exception as error:
            raise NotProvableError(
                "Spark cannot be started", found=str(error).splitlines()[0], remedy=f"Check --master {chosen} and Java"
            ) from error
        finally:
            watch.cancel()
        context.setLogLevel("OFF")
        context.addPyFile(package)
        return context

    def map(self, tasks: list[Task], label: str = "", total: int = 0) -> list[dict[str, Any]]:
        """Results of tasks, as they are: dictionaries."""
        tasks = list(tasks)
        if not tasks:
            return []
        self.task_count += len(tasks)
        self.progress.start(label, total)
        address, token = self.progress.address, self.progress.token
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(done,), daemon=True)
        watcher.start()
        self.stuck = 0
        try:
            rdd = self.context.parallelize(tasks, len(tasks))
            return rdd.map(lambda task: run_one(task, address, token)).collect()
        except Exception as error:
            if self.stuck:
                raise TimedOutError(
                    f"No executor took a task for {self.stuck} s",
                    remedy="See whether the Spark cluster has free workers",
                ) from error
            raise NotProvableError("A Spark task failed for good", found=_reason(error)) from error
        finally:
            done.set()

    def _watch(self, done: threading.Event) -> None:
        """Cancel when nothing at all happens: a cluster without workers, or that lost them, would wait for ever."""
        idle_since = time.monotonic()
        tracker = self.context.statusTracker()
        while not done.wait(0.5):
            try:
                stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            except Exception:
                return
            limit = self.patience if self.begun else ALLOT_SECONDS
            if any(stage and stage.numActiveTasks for stage in stages) or self.progress.heard > idle_since:
                idle_since, self.begun = time.monotonic(), True
            elif time.monotonic() - idle_since > limit:
                self.stuck = limit
                self.context.cancelAllJobs()
                return

    def describe(self) -> dict[str, Any]:
        """The report's ``engine``."""
        return {
            "name": "spark",
            "version": self.context.version,
            "master": self.master,
            "parallelism": self.parallelism,
            "tasks": self.task_count,
            "python": sys.version.split()[0],
        }

    def close(self) -> None:
        """Stop the context and what belongs to it."""
        self.progress.close()
        if self.owned:
            gateway = self.context._gateway
            # Where an interruption came in the midst of an answer, the connection is of no more use, and its error must
            # not hide the interruption.
            with contextlib.suppress(Exception):
                self.context.stop()
            process = getattr(gateway, "proc", None)
            if gateway is not None and process is not None:
                # SparkContext.stop leaves the JVM to the end of Python; closing its stdin ends it now.
                with contextlib.suppress(Exception):
                    gateway.shutdown()
                process.stdin.close()
                try:
                    process.wait(10)
                except Exception:
                    process.kill()


def _configuration(master: str | None, quiet_logs: str) -> SparkConf:
    """Spark's settings: what was submitted wins over ours.

    :param quiet_logs: path of a configuration of Log4j.
    """
    from pyspark import SparkConf

    conf = SparkConf().setAppName("kafka-dr-proof")
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if master or not submitted:
        conf.setMaster(master or "local[*]")
    settings = dict(SETTINGS)
    if conf.get("spark.master", "local[*]").startswith("local"):
        # Other users of the machine reach its loopback too. Spark makes the secret itself, anew for each run.
        settings.update(
            {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.authenticate": "true",
                "spark.network.crypto.enabled": "true",
            }
        )
        # The JVM only passes tasks and results on: a small heap and a quick start.
        java = f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Dlog4j2.configurationFile=file:{quiet_logs}"
        os.environ.setdefault(
            "PYSPARK_SUBMIT_ARGS", f'--driver-memory 512m --driver-java-options "{java}" pyspark-shell'
        )
        os.environ.setdefault("PYTHONWARNINGS", "ignore::FutureWarning")
    for key, value in settings.items():
        if not conf.contains(key):
            conf.set(key, value)
    return conf


def _reason(error: Exception) -> str:
    """What a task died of: the last line of its Python traceback, or what Spark says."""
    text = str(error)
    python = (
        re.findall(r"^(?:[\w.]+\.)?\w*(?:Error|Exception|Exit)\w*: .*$", text[text.find("Traceback") :], re.M)
        if "Traceback" in text
        else []
    )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lost = [line for line in lines if "lost" in line.lower()]
    return (python[:1] or lost[:1] or lines[1:2] or lines or [type(error).__name__])[0][:300]


def _give_up(message: str) -> None:
    sys.stderr.write(message + "\n")
    sys.stderr.flush()
    os._exit(2)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold an interruption back until Spark has started: a JVM that is left before it has told its port runs on for
    ever (PySpark 4.2).
    """
    came: list[tuple[int, Any]] = []
    before: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    held = threading.current_thread() is threading.main_thread() and all(
        callable(handler) for handler in before.values()
    )
    if held:
        for number in before:
            signal.signal(number, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        if held:
            for number, handler in before.items():
                signal.signal(number, handler)
    if came:
        before[came[0][0]](*came[0])


def end_with(parent: int) -> None:
    """Watch a process: when it is gone, interrupt this one, so that nothing is left behind."""

    def watch() -> None:
        while True:
            try:
                os.kill(parent, 0)
            except ProcessLookupError:
                os.kill(os.getpid(), signal.SIGTERM)
                return
            except PermissionError:
                pass
            time.sleep(1)

    threading.Thread(target=watch, daemon=True).start()
