# SPDX-License-Identifier: GPL-3.0-or-later
"""A valid description of regions, the places in it that tests change, and the change."""

from __future__ import annotations

import copy

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
SECRET = "t0p-s3cret-pa55word"
WELL: dict = {
    "north_america": {
        "kafka_dr_platform": "host",
        "kafka_dr_client": {
            "bootstrap.servers": "na-1:9093,na-2:9093",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "kdr-stages",
            "ssl.ca.pem": PEM,
        },
        "kafka_dr_client_secrets": {"sasl.password": SECRET},
        "kafka_dr_users": [
            {"name": "kdr-stages", "purpose": "stages", "password": SECRET},
            {"name": "kdr-mirror", "purpose": "mirror", "password": SECRET},
            {
                "name": "shop",
                "purpose": "application",
                "password": SECRET,
                "acls": [
                    {"resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]}
                ],
            },
        ],
        "kafka_dr_topics": [
            {"name": "orders.new", "partitions": 3, "replication_factor": 3, "configs": {"retention.ms": -1}}
        ],
        "kafka_dr_quotas": [{"entity": {"user": "shop"}, "limits": {"producer_byte_rate": 1048576}}],
        "kafka_dr_rebuild_directory": "/var/lib/kafka-dr/rebuild",
    },
    "europe": {
        "kafka_dr_platform": "host",
        "kafka_dr_client": {
            "bootstrap.servers": "[2001:db8::1]:9093",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "kdr-stages",
            "ssl.ca.pem": PEM,
        },
        "kafka_dr_client_secrets": {"sasl.password": SECRET},
        "kafka_dr_users": [
            {"name": "kdr-stages", "purpose": "stages", "password": SECRET},
            {"name": "shop", "purpose": "application", "password": SECRET},
        ],
        "kafka_dr_mirror_directory": "/var/lib/kafka-mirror",
        "kafka_dr_kafka_home": "/opt/kafka",
        "kafka_dr_mirror_rest_port": 8083,
    },
    "asia": {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"context": "asia", "namespace": "kafka", "cluster": "main"},
        "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages"}],
    },
    "shop": {
        "kafka_dr_applications": [
            {
                "name": "shop",
                "kind": "process",
                "role": "consumer",
                "groups": ["shop"],
                "principals": ["shop"],
                "environment_file": "/etc/shop/kafka.env",
                "command": "/opt/shop/run",
                "stop_seconds": 5,
            }
        ]
    },
}
# Variables of all hosts.
EVERYWHERE: dict = {
    "kafka_dr_mirrors": [
        {
            "name": "backup",
            "source": "north_america",
            "target": "europe",
            "topics": ["orders\\..*"],
            "groups": ["shop.*"],
            "tuning": {"replication_factor": 3, "tasks_max": 2},
        }
    ],
    "kafka_dr_workdir": "/var/lib/kafka-dr",
    "kafka_dr_services": {"manager": "systemd"},
    "kafka_dr_rebuild_secret": SECRET,
    "kafka_dr_no_log": True,
}

MIRROR, CLIENT, USERS, TOPICS = (
    "*.kafka_dr_mirrors.0",
    "north_america.kafka_dr_client",
    "north_america.kafka_dr_users",
    "north_america.kafka_dr_topics",
)
APPLICATION, KUBERNETES = "shop.kafka_dr_applications.0", "asia.kafka_dr_kubernetes"
BACK = {"name": "back", "source": "europe", "target": "north_america", "topics": ["orders\\..*"]}


# Place, value, and words of the one message about it; see :func:`described` for places.
Case = tuple[str, object, tuple[str, ...]]


def described(place: str, value: object) -> dict[str, dict]:
    """The description with one place changed; a place is host.variable.key… (* for all hosts, | for a dot within a key,
    + for a new entry).
    """
    hosts = {name: copy.deepcopy({**EVERYWHERE, **one}) for name, one in WELL.items()}
    first, *keys = [one.replace("|", ".") for one in place.split(".")]
    if not keys:
        hosts[first].update(value)
    for name in (hosts if first == "*" else [first]) if keys else ():
        here: dict | list = hosts[name]
        for key in keys[:-1]:
            here = here[int(key)] if isinstance(here, list) else here.setdefault(key, {})
        if isinstance(here, list) and keys[-1] == "+":
            here.append(value)
        else:
            here[int(keys[-1]) if isinstance(here, list) else keys[-1]] = value
    return hosts
