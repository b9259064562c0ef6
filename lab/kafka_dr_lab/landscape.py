# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lab consists of on every platform: regions, topics, users and their rights, the mirror, the applications."""

from __future__ import annotations

from typing import Any

from .plain_kafka import JVM

CLUSTERS = ("north_america", "europe")
APPLICATIONS_REGION = "south_america"
SERVICE_USERS = {
    "stages": "kdr-stages",
    "mirror": "kdr-mirror",
    "proof": "kdr-proof",
    "witness": "kdr-witness",
    "watch": "kdr-watch",
}
TOPICS = ("flights.departed", "flights.cancelled", "flights.delayed")
PARTITIONS = 3
GROUP = "flights-dashboard"
# Machines of the region that is lost, where a drill asks for them: one runs an application, the other runs the mirror
# together with the target's own machine. The application is a consumer; in a region that falls asleep it is a producer,
# which goes on by itself where it stopped.
LOST_REGION, MIRROR_TARGET = "north_america", "europe"
APPLICATIONS_MACHINE, MIRROR_MACHINE = "america_apps", "america_mirror"
ARCHIVE, ARCHIVE_GROUP = "departures-archive", f"{GROUP}-archive"
SLEEPER, SLEEPER_MARK, SLEEPER_RATE = "departures-sleeper", "sleeper-", 20
MIRROR: dict[str, Any] = {
    "name": "north-america-to-europe",
    "source": "north_america",
    "target": "europe",
    "topics": [r"flights\..*"],
    "groups": [f"{GROUP}.*"],
    "tuning": {
        "replication_factor": 1,
        "refresh_seconds": 5,
        "checkpoint_seconds": 2,
        "tasks_max": 2,
        "max_record_bytes": 8388608,
    },
}
JAVA_OPTIONS = " ".join([*JVM, "-Dorg.slf4j.simpleLogger.showDateTime=true"])

APPLICATION_USERS: list[dict[str, Any]] = [
    {
        "name": "departures-producer",
        "purpose": "application",
        "acls": [{"resource": "topic", "name": "flights.", "pattern": "prefixed", "operations": ["WRITE", "DESCRIBE"]}],
    },
    {
        "name": "departures-consumer",
        "purpose": "application",
        "acls": [
            {"resource": "topic", "name": "flights.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
            {"resource": "group", "name": GROUP, "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
        ],
    },
]

# ACLs as they accumulate in a cluster over the years; no inventory lists them.
STRAY_ACLS: list[dict[str, Any]] = [
    {"principal": "departures-producer", "resource": "topic", "name": "*", "operations": ["ALL"]},
    {"principal": "departures-consumer", "resource": "topic", "name": TOPICS[0], "operations": ["WRITE"]},
    {"principal": "departures-consumer", "resource": "cluster", "operations": ["CREATE"]},
    {"principal": "departures-producer", "resource": "transactional_id", "name": "*", "operations": ["WRITE"]},
]
