# SPDX-License-Identifier: GPL-3.0-or-later
"""Brokers with ACLs, on which users log on with a password."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.support.kafka import Kafka, free_ports, joining


def password(name: str) -> str:
    return name + "-password"


def guarded(
    directory: Path, name: str, users: Iterable[str], config: dict | None = None
) -> tuple[Kafka, Callable[[str], dict]]:
    """A running broker on which nobody may do anything but by ACL, except the anonymous user of the plain listener; and
    users' configurations.
    """
    broker = Kafka(directory, name)
    port = _guard(broker, users, config)
    broker.start()
    return broker, lambda name: {
        "bootstrap.servers": f"127.0.0.1:{port}",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": name,
        "sasl.password": password(name),
    }


def joined(directory: Path, first: Kafka, number: int, users: Iterable[str], config: dict | None = None) -> Kafka:
    """A further running broker of the cluster whose controller ``first`` is."""
    broker = joining(directory, first, number)
    _guard(broker, users, config)
    return broker.start()


def let_read(broker: Kafka, user: str, *topics: str, state: str = "present") -> None:
    """Let a user read these topics and know their configs, or, with the state ``absent``, no more."""
    may = ["READ", "DESCRIBE", "DESCRIBE_CONFIGS"]
    rights = [{"principal": user, "resource": "topic", "name": name, "operations": may} for name in topics]
    ensure_acls(KafkaClient(broker.client), rights, state, False)


def _guard(broker: Kafka, users: Iterable[str], config: dict | None) -> int:
    (port,) = free_ports(1)
    plain, *controller = broker.properties["listeners"].split(",")
    known = " ".join(f'user_{one}="{password(one)}"' for one in users)
    broker.properties.update(
        {
            "listeners": ",".join([plain, f"SASL://127.0.0.1:{port}", *controller]),
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.name.sasl.sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl.plain.sasl.jaas.config": (
                f"org.apache.kafka.common.security.plain.PlainLoginModule required {known};"
            ),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            **(config or {}),
        }
    )
    return port
