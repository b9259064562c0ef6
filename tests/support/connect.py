# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Kafka Connect workers (distributed mode) for tests, from the same jars as MirrorMaker 2."""

from __future__ import annotations

import time
from pathlib import Path

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import render_properties
from tests.support.kafka import JavaProcess, free_ports

BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


class ConnectWorker(JavaProcess):
    """One worker of a Connect cluster; its REST interface listens on loopback.

    :param client: Java client properties of the cluster that it keeps its state in.
    :param group: workers of one group are one Connect cluster.
    :param config: further worker properties.
    :param options: further words for the JVM.
    :param jars: further jars for the class path.
    """

    def __init__(
        self,
        directory: Path,
        name: str,
        client: dict,
        group: str = "connect",
        config: dict | None = None,
        options: tuple = (),
        jars: tuple = (),
    ):
        super().__init__(directory, name)
        self.options, self.jars = options, jars
        self.port = free_ports(1)[0]
        self.url = f"http://127.0.0.1:{self.port}"
        stores = {f"{store}.storage.topic": f"{group}-{store}s" for store in ("config", "offset")} | {
            "status.storage.topic": f"{group}-status"
        }
        factors = {f"{store}.storage.replication.factor": 1 for store in ("config", "offset", "status")}
        self.properties = {
            **client,
            "group.id": group,
            **stores,
            **factors,
            "offset.storage.partitions": 5,
            "status.storage.partitions": 1,
            "key.converter": BYTES,
            "value.converter": BYTES,
            "listeners": self.url,
            "rest.advertised.listener": "http",
            "config.providers": "file",
            "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
            "exactly.once.source.support": "enabled",
            "scheduled.rebalance.max.delay.ms": 1000,
            "offset.flush.interval.ms": 2000,
            # A worker that is killed is missed after this time.
            "session.timeout.ms": 6000,
            "heartbeat.interval.ms": 1500,
            **(config or {}),
        }

    def start(self) -> ConnectWorker:
        settings = self.directory / f"{self.name}.properties"
        settings.write_text(render_properties(self.properties))
        settings.chmod(0o600)
        self.launch("org.apache.kafka.connect.cli.ConnectDistributed", str(settings))
        return self

    def java(self, *words: str, heap: str = "512m") -> list[str]:
        made = super().java(*words, heap=heap)
        at = made.index("-cp")
        made[at + 1] = ":".join([made[at + 1], *map(str, self.jars)])
        return [*made[:at], *self.options, *made[at:]]

    def await_ready(self, look, wait: float = 60) -> ConnectWorker:
        """Wait until ``look()`` answers something true."""
        end = time.monotonic() + wait
        while time.monotonic() < end:
            if not self.alive():
                raise RuntimeError(f"{self.name} ended:\n{self.tail()}")
            try:
                if look():
                    return self
            except (OSError, KafkaDrError):
                pass
            time.sleep(0.3)
        raise RuntimeError(f"{self.name} not ready after {wait} s:\n{self.tail()}")
