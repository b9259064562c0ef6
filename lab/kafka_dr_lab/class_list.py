# SPDX-License-Identifier: GPL-3.0-or-later
"""What a broker and a mirror of the lab load: a list of classes to archive, from a run of both."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from .pki import new_authority, new_certificate
from .plain_kafka import JavaProcess, Kafka
from .ports import HOST, free_ports
from .waiting import until

MIRROR_SECONDS = 180
MECHANISM, LOGIN = "SCRAM-SHA-512", "org.apache.kafka.common.security.scram.ScramLoginModule"
# Of a broker that lives for seconds and holds nothing.
PASSWORD = "archived"


class NotingProcess(JavaProcess):
    """Each of its programs writes the names of its classes into a list of its own."""

    lists = itertools.count()

    def java(self, *words: str, heap: str = "512m") -> list[str]:
        java, *rest = super().java(*words, heap=heap)
        return [java, f"-XX:DumpLoadedClassList={self.directory.parent}/{next(self.lists)}.list", *rest]


class NotingKafka(NotingProcess, Kafka):
    """A broker, and the command that formats its log directory."""


def loaded_classes(aside: Path) -> Path:
    """The list, lambdas included.

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
    return classes


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
