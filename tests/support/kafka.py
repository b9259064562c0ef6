# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Kafka and real MirrorMaker 2 for tests: the lab's plain brokers, several at once, and a dedicated mirror."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))

from kafka_dr_lab.kafka_home import kafka_home  # noqa: E402
from kafka_dr_lab.plain_kafka import JVM, JavaProcess, Kafka  # noqa: E402
from kafka_dr_lab.ports import free_ports  # noqa: E402

__all__ = [
    "JVM",
    "ROOT",
    "JavaProcess",
    "Kafka",
    "MirrorMaker",
    "clusters",
    "free_ports",
    "joining",
    "kafka_home",
    "own_clusters",
]

# Kafka looks 30 s after a broker's start for what retention may take, and every five minutes.
RESTING = {"log.retention.check.interval.ms": 3600000, "log.initial.task.delay.ms": 3600000}


class MirrorMaker(JavaProcess):
    """Dedicated MirrorMaker 2 from a dictionary of properties."""

    def __init__(self, directory: Path, properties: dict, name: str = "mm2"):
        super().__init__(directory, name)
        self.properties = properties

    def start(self) -> MirrorMaker:
        settings = self.directory / "mm2.properties"
        settings.write_text("".join(f"{key}={value}\n" for key, value in self.properties.items()))
        settings.chmod(0o600)
        self.launch("org.apache.kafka.connect.mirror.MirrorMaker", str(settings))
        return self


def clusters(names: list[str], directory: Path | None = None, config: dict | None = None) -> dict[str, Kafka]:
    """Several clusters, started side by side. Retention does not act by itself in them: records of any time stay."""
    base = Path(directory or tempfile.mkdtemp(prefix="kafka-dr-"))
    brokers = {name: Kafka(base / name, name, {**RESTING, **(config or {})}).start(wait=0) for name in names}
    for broker in brokers.values():
        broker.await_ready()
    return brokers


@contextlib.contextmanager
def own_clusters(
    directory: Path, names: tuple[str, ...] = ("source", "target"), config: dict | None = None
) -> Iterator[dict[str, Kafka]]:
    """Clusters of some tests alone, as :func:`clusters`: a mirror's topics in its target are named after its source, as
    in other tests.
    """
    made = clusters(list(names), directory, config)
    try:
        yield made
    finally:
        for cluster in made.values():
            cluster.stop()


def joining(directory: Path, first: Kafka, number: int) -> Kafka:
    """A further broker of the cluster whose controller ``first`` is; not started yet."""
    broker = Kafka(directory, f"{first.name}-{number}", cluster_id=first.cluster_id)
    plain, dummy = broker.properties["listeners"].split(",")
    broker.properties |= {
        "process.roles": "broker",
        "node.id": number,
        "listeners": plain,
        "controller.quorum.voters": first.properties["controller.quorum.voters"],
    }
    return broker
