# SPDX-License-Identifier: GPL-3.0-or-later
"""What brokers, mirrors and the proof's Spark load: lists of classes to archive, each from a run of the programs."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from .kafka_home import kafka_home
from .pki import new_authority, new_certificate
from .plain_kafka import JavaProcess, Kafka
from .playbook import collections_path
from .ports import HOST, free_ports
from .waiting import until

ROOT = Path(__file__).resolve().parents[2]
MIRROR_SECONDS, SPARK_SECONDS = 180, 300
MECHANISM, LOGIN = "SCRAM-SHA-512", "org.apache.kafka.common.security.scram.ScramLoginModule"
# Of a broker that lives for seconds and holds nothing.
PASSWORD = "archived"

# One task in Python, as the proof has many; prints the class path.
SPARK = """
import os, sys
sys.path[:0] = sys.argv[1:3]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
from main import package
from kafka_dr_spark.engine import SparkEngine
engine = SparkEngine("local[2]", package(sys.argv[3]), quiet=True)
engine.context.parallelize(range(4), 4).map(str).collect()
path = engine.context._jvm.java.lang.System.getProperty("java.class.path")
engine.close()
print(path)
"""


class NotingProcess(JavaProcess):
    """Each of its programs writes the names of its classes into a list of its own."""

    lists = itertools.count()

    def java(self, *words: str, heap: str = "512m") -> list[str]:
        java, *rest = super().java(*words, heap=heap)
        return [java, f"-XX:DumpLoadedClassList={self.directory.parent}/{next(self.lists)}.list", *rest]


class NotingKafka(NotingProcess, Kafka):
    """A broker, and the command that formats its log directory."""


def classes_of_kafka(aside: Path) -> tuple[Path, str]:
    """The list of what a broker and a mirror load, lambdas included, and their class path.

    :param aside: an empty directory.
    :raises LabError: the mirror copied nothing in time.
    """
    broker = NotingKafka(aside / "broker")
    listener = _secure(broker)
    mirror = NotingProcess(aside / "mirror", "mirror")
    try:
        broker.start()
        admin = AdminClient({**broker.client, "log_level": 0})
        _write(broker, admin)
        settings = mirror.directory / "mm2.properties"
        settings.write_text("".join(f"{key}={value}\n" for key, value in _mirror(aside, listener).items()))
        mirror.launch("org.apache.kafka.connect.mirror.MirrorMaker", str(settings))
        until("the first copy of a mirror", lambda: "a.orders" in admin.list_topics(timeout=5).topics, MIRROR_SECONDS)
    finally:
        # Java writes its list as it runs; what it loads while it stops belongs to it.
        mirror.stop()
        broker.stop()
    lines: dict[str, None] = {}
    for path in sorted(aside.glob("*.list")):
        lines.update(dict.fromkeys(path.read_text().splitlines()))
    classes = aside / "classes"
    classes.write_text("\n".join(lines) + "\n")
    return classes, f"{kafka_home()}/libs/*"


def classes_of_spark(aside: Path) -> tuple[Path, str]:
    """The list of what the driver of a proof loads, and its class path as Spark makes it.

    :param aside: an empty directory.
    """
    classes = aside / "classes"
    environment = {**os.environ, "SPARK_SUBMIT_OPTS": f"-XX:DumpLoadedClassList={classes}"}
    done = subprocess.run(
        [sys.executable, "-c", SPARK, str(ROOT / "spark"), str(collections_path()), str(aside)],
        env=environment,
        check=True,
        timeout=SPARK_SECONDS,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return classes, done.stdout.strip().splitlines()[-1]


def _write(broker: Kafka, admin: AdminClient) -> None:
    for future in admin.create_topics([NewTopic("orders", 2, 1)]).values():
        future.result(60)
    producer = Producer({**broker.client, "transactional.id": "archived", "log_level": 0})
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce("orders", b"archived")
    producer.commit_transaction()


def _secure(broker: Kafka) -> str:
    """Give a broker the lab's kind of listener beside its plain one: TLS, SCRAM and ACLs; returns its address."""
    port, directory = free_ports(1)[0], broker.directory
    authority = new_authority("archived")
    certificate = new_certificate(authority, "archived", [HOST])
    (directory / "ca.pem").write_text(authority["certificate"])
    (directory / "keystore.pem").write_text(certificate["key"] + certificate["certificate"] + authority["certificate"])
    listeners, kinds = broker.properties["listeners"], broker.properties["listener.security.protocol.map"]
    broker.properties |= {
        "listeners": f"{listeners},CLIENTS://{HOST}:{port}",
        "listener.security.protocol.map": f"{kinds},CLIENTS:SASL_SSL",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": directory / "keystore.pem",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": directory / "ca.pem",
        "sasl.enabled.mechanisms": MECHANISM,
        "listener.name.clients.scram-sha-512.sasl.jaas.config": f"{LOGIN} required;",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:admin;User:ANONYMOUS",
    }
    broker.format_options = ("--add-scram", f"{MECHANISM}=[name=admin,password={PASSWORD}]")
    return f"{HOST}:{port}"


def _mirror(aside: Path, address: str) -> dict[str, Any]:
    """Properties of a mirror from the broker to itself, so that ``a.orders`` is its copy."""
    client = {
        "bootstrap.servers": address,
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": MECHANISM,
        "sasl.jaas.config": f'{LOGIN} required username="admin" password="{PASSWORD}";',
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": aside / "broker" / "ca.pem",
    }
    stores = ("offset.storage", "config.storage", "status.storage", "offset-syncs.topic", "heartbeats.topic")
    return {
        "clusters": "a,b",
        **{f"{alias}.{key}": value for alias in ("a", "b") for key, value in client.items()},
        "a->b.enabled": "true",
        "topics": "orders",
        "replication.factor": 1,
        **{f"{store}.replication.factor": 1 for store in (*stores, "checkpoints.topic")},
        "b.exactly.once.source.support": "enabled",
        "dedicated.mode.enable.internal.rest": "true",
        "listeners": f"http://{HOST}:0",
        "emit.checkpoints.interval.seconds": 1,
        "emit.heartbeats.interval.seconds": 1,
    }
