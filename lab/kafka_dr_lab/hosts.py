# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's hosts as entries of an inventory: clusters, machines, and applications."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Any

from .landscape import (
    APPLICATION_USERS,
    APPLICATIONS_MACHINE,
    ARCHIVE,
    ARCHIVE_GROUP,
    GROUP,
    JAVA_OPTIONS,
    MIRROR,
    MIRROR_MACHINE,
    PARTITIONS,
    SERVICE_USERS,
    SLEEPER,
    SLEEPER_MARK,
    SLEEPER_RATE,
    STRAY_ACLS,
    TOPICS,
)
from .machine import Machine
from .ports import HOST

# Variables of one host, or one of its entries.
Variables = dict[str, Any]
BROKER_CONFIG = {
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 5,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 5,
    "group.initial.rebalance.delay.ms": 0,
    "default.replication.factor": 1,
}


def topics() -> list[Variables]:
    """The topics as the inventory lists them."""
    # Records of 2013: with the usual retention of seven days every one would be deleted at once.
    configs = {"retention.ms": -1}
    return [
        {"name": topic, "partitions": PARTITIONS, "replication_factor": 1, "configs": dict(configs)} for topic in TOPICS
    ]


def cluster_host(
    name: str,
    directory: Path,
    home: Path,
    certificate: str,
    ports: list[int],
    broker: dict[str, Any],
    network: dict[str, str] | None = None,
) -> Variables:
    """A region with a cluster.

    :param home: where Kafka is.
    :param certificate: the region's CA, PEM.
    :param ports: of the clients' listener, the controller, the mirror's REST interface, and a spare one.
    :param broker: further properties of the broker.
    :param network: ``address`` that its broker listens on, and ``java``, the program that starts it there.
    """
    network = network or {}
    client_port, controller_port, rest_port, spare_port = ports
    return {
        "kafka_dr_platform": "host",
        "kafka_dr_client": _client(f"{network.get('address', HOST)}:{client_port}", certificate),
        "kafka_dr_client_secrets": {"sasl.password": _password_of(SERVICE_USERS["stages"])},
        "kafka_dr_users": _users(),
        "kafka_dr_topics": topics(),
        "kafka_dr_kafka": {**_broker(name, directory, home, client_port, controller_port, broker), **network},
        "kafka_dr_kafka_secrets": f"{{{{ lab_clusters['{name}'] }}}}",
        "kafka_dr_kafka_home": str(home),
        "kafka_dr_mirror_directory": str(directory / "mirrors"),
        "kafka_dr_mirror_rest_port": rest_port,
        "kafka_dr_mirror_heap": "768m",
        "kafka_dr_java_options": JAVA_OPTIONS,
        "kafka_dr_rebuild_directory": str(directory / "rebuild"),
        "lab_spare_port": spare_port,
        "lab_stray_acls": STRAY_ACLS if name == MIRROR["source"] else [],
    }


def _client(address: str, certificate: str) -> Variables:
    return {
        "bootstrap.servers": address,
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": SERVICE_USERS["stages"],
        "ssl.ca.pem": certificate,
    }


def _broker(
    name: str, directory: Path, home: Path, port: int, controller_port: int, config: dict[str, Any]
) -> Variables:
    return {
        "name": f"{name}-kafka",
        "home": str(home),
        "directory": str(directory / "kafka"),
        "port": port,
        "controller_port": controller_port,
        "cluster_id": _cluster_id(),
        "heap": "768m",
        "java_options": JAVA_OPTIONS,
        # A lost region must stay lost.
        "restart": False,
        "config": {**BROKER_CONFIG, **config},
    }


def machine_hosts(apps: Machine, mirror: Machine, rest_port: int, sleeps: bool = False) -> dict[str, Variables]:
    """The machines of the region that is lost: one with an application, one with a worker of the mirror.

    :param sleeps: whether the application is a producer, which goes on when its region does.
    """
    return {
        APPLICATIONS_MACHINE: {
            **apps.variables(),
            "kafka_dr_applications": [_sleeper(apps.files) if sleeps else _archive(apps.files)],
        },
        MIRROR_MACHINE: {
            **mirror.variables(),
            "kafka_dr_mirror_directory": str(mirror.files / "mirrors"),
            "kafka_dr_mirror_rest_port": rest_port,
            "kafka_dr_mirror_rest_host": HOST,
            "kafka_dr_mirror_heap": "512m",
        },
    }


def _archive(directory: Path) -> Variables:
    return application(
        directory,
        ARCHIVE,
        "consumer",
        "departures_consumer.py",
        principals=["departures-consumer"],
        groups=[ARCHIVE_GROUP],
        environment={"KAFKA_GROUP": ARCHIVE_GROUP},
    )


def _sleeper(directory: Path) -> Variables:
    command = f"departures_producer.py --mark {SLEEPER_MARK} --rate {SLEEPER_RATE}"
    return application(directory, SLEEPER, "producer", command, principals=["departures-producer"])


def applications_host(directory: Path, options: dict[str, Any]) -> Variables:
    """The region that has applications and no cluster.

    :param options: ``history``, ``rate``, ``records``: arguments of the producer.
    """
    directory.mkdir(parents=True, exist_ok=True)
    producer = f"departures_producer.py {options['records']} --history {options['history']} --rate {options['rate']}"
    return {
        "kafka_dr_platform": "host",
        "kafka_dr_applications": [
            application(
                directory,
                "departures-consumer",
                "consumer",
                "departures_consumer.py",
                groups=[GROUP],
                environment={"KAFKA_GROUP": GROUP},
            ),
            application(directory, "departures-producer", "producer", producer),
        ],
    }


def application(directory: Path, name: str, role: str, command: str, **more: Any) -> Variables:
    """A program of the lab as the inventory describes it. Its journal is ``ROLE.sqlite`` in the directory.

    :param command: the program in ``lab/apps`` and its arguments.
    :param more: further fields of the application.
    """
    programs = Path(__file__).resolve().parent.parent / "apps"
    return {
        "name": name,
        "kind": "process",
        "role": role,
        "principals": [name],
        "directory": str(directory),
        "log": str(directory / f"{name}.log"),
        "command": f"{sys.executable} {programs}/{command} --journal {directory}/{role}.sqlite",
        "environment_file": str(directory / f"{name}.env"),
        "stop_seconds": 5,
        **more,
    }


def _users() -> list[Variables]:
    service = [
        {"name": user, "purpose": purpose, "password": _password_of(user)} for purpose, user in SERVICE_USERS.items()
    ]
    return service + [{**user, "password": _password_of(user["name"])} for user in APPLICATION_USERS]


def _password_of(user: str) -> str:
    """The template that takes a user's password out of the vault."""
    return f"{{{{ lab_passwords['{user}'] }}}}"


def _cluster_id() -> str:
    """A random cluster id. None begins with a dash, which the format command would take for an option; Kafka's Uuid
    avoids it too.
    """
    while (cluster_id := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return cluster_id
