# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Kafka with plain listeners, each broker in a directory of its own and ended by its process id.

The lab's regions (TLS, SCRAM, ACLs) are made by the collection's own roles. This serves the stand-in operator, and
tests whose subject is records and offsets.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

from . import class_archive
from .formatted import write_formatted
from .java import require_java
from .kafka_home import kafka_home
from .ports import free_ports

JVM = [
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    *class_archive.options(),
]


class JavaProcess:
    """A Java program from Kafka's jars, in its own process group, ended with the test run."""

    def __init__(self, directory: Path, name: str):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.log = self.directory / f"{name}.log"
        self.process: subprocess.Popen | None = None
        atexit.register(self.kill)

    def java(self, *words: str, heap: str = "512m") -> list[str]:
        return [require_java(), f"-Xmx{heap}", *JVM, "-cp", f"{kafka_home()}/libs/*", *words]

    def launch(self, *words: str, heap: str = "512m") -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.java(*words, heap=heap),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                cwd=self.directory,
            )

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def tail(self, lines: int = 30) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""

    def stop(self, seconds: float = 20) -> None:
        """SIGTERM, then SIGKILL."""
        self._end(signal.SIGTERM, seconds)

    def kill(self) -> None:
        """SIGKILL, as on the day of the loss."""
        self._end(signal.SIGKILL, 5)

    def _end(self, how: int, seconds: float) -> None:
        if self.process is None or not self.alive():
            return
        os.killpg(self.process.pid, how)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(5)


class Kafka(JavaProcess):
    """One KRaft broker and controller, PLAINTEXT on loopback.

    :param config: further broker properties, e.g. ``{"message.max.bytes": 10485760}``.
    :param cluster_id: of the cluster that a further broker joins; one of its own where it is empty.
    """

    def __init__(
        self,
        directory: Path,
        name: str = "kafka",
        config: dict[str, Any] | None = None,
        heap: str = "768m",
        cluster_id: str = "",
    ):
        super().__init__(directory, name)
        self.cluster_id = cluster_id or uuid.uuid4().hex[:22]
        self.heap = heap
        # Further words for the command that formats the log directory.
        self.format_options: tuple[str, ...] = ()
        self.port, self.controller_port = free_ports(2)
        self.bootstrap = f"127.0.0.1:{self.port}"
        self.client = {"bootstrap.servers": self.bootstrap}
        self.properties: dict[str, Any] = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{self.controller_port}",
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self.controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": str(self.directory / "data"),
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 5,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 5,
            "group.initial.rebalance.delay.ms": 0,
            "auto.create.topics.enable": "false",
            **(config or {}),
        }

    def start(self, wait: float = 60) -> Kafka:
        """Format on first use, start, and wait until metadata is answered."""
        settings = self.directory / "server.properties"
        settings.write_text("".join(f"{key}={value}\n" for key, value in self.properties.items()))
        data = self.directory / "data"
        if not (data / "meta.properties").exists():
            decided_by = (str(kafka_home()), *(str(self.properties[key]) for key in ("process.roles", "node.id")))
            write_formatted(data, self.cluster_id, (*decided_by, *self.format_options), self._format)
        self.launch("kafka.Kafka", str(settings), heap=self.heap)
        return self.await_ready(wait) if wait else self

    def _format(self, data: Path) -> None:
        """Run Kafka's own tool for a log directory that is not there yet."""
        settings = data.with_name("format.properties")
        properties = {**self.properties, "log.dirs": data}
        settings.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        words = ("format", "-t", self.cluster_id, "-c", str(settings), *self.format_options)
        with open(self.log, "ab") as log:
            subprocess.run(
                self.java("kafka.tools.StorageTool", *words, heap="256m"),
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def await_ready(self, wait: float = 60) -> Kafka:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        end = time.monotonic() + wait
        while time.monotonic() < end:
            if not self.alive():
                raise RuntimeError(f"{self.name} ended:\n{self.tail()}")
            try:
                with socket.create_connection(("127.0.0.1", self.port), 0.5):
                    pass
                AdminClient({**self.client, "log_level": 0}).list_topics(timeout=5)
                return self
            except (OSError, KafkaException):
                time.sleep(0.1)
        raise RuntimeError(f"{self.name} not ready after {wait} s:\n{self.tail()}")
