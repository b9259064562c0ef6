# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrors, and the machines and services that run them."""

from __future__ import annotations

from ..._mm2.mirror_config import KNOWN_KEYS, KNOWN_TUNING
from ..kinds import choice, flag, listing, mapping, name, node, number, path, port, record, setting, text
from .topics import own_topic

POLICY = r"^(identity|default|[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)+)$"
HEAP = text("Java's heap", r"^[0-9]+[kKmMgG]$", "a size such as 1g", x_where="target region, or a mirror's host")
PATTERNS = {
    "type": ["array", "string"],
    "items": text("", expected="a regular expression"),
    "pattern": text()["pattern"],
    "minLength": 1,
    "x-expected": "a list of regular expressions",
}
SIDE = mapping("", setting())

MIRROR = record(
    "",
    {
        "name": name("Its name"),
        "source": text("Region that it copies from"),
        "target": text("Region that it copies to"),
        "topics": {**PATTERNS, "description": "Topics that it copies, regular expressions"},
        "topics_exclude": {**PATTERNS, "description": "Topics that it leaves out"},
        "groups": {**PATTERNS, "description": "Consumer groups whose positions it carries"},
        "groups_exclude": {**PATTERNS, "description": "Groups that it leaves out"},
        "policy": text("How copies are named", POLICY, "identity, default, or a Java class with its package"),
        "separator": text(
            "What stands between the source's name and the topic's",
            r"^[A-Za-z0-9._-]+$",
            "letters, digits, '.', '_' and '-'",
        ),
        "exactly_once": flag("Whether a record is copied exactly once"),
        "tuning": record(
            "Numbers that are tuned",
            {
                "tasks_max": number("Tasks", 1, 1000),
                "replication_factor": number("Replicas of what it creates", 1, 32767),
                "refresh_seconds": number("Seconds between looks for new topics", 1, 86400),
                "checkpoint_seconds": number("Seconds between checkpoints", 1, 86400),
                "heartbeat_seconds": number("Seconds between heartbeats", 1, 86400),
                "offset_lag_max": number("Offsets between pairs of offsets", 0, 1000000),
                "flush_ms": number("Milliseconds between flushes of Connect's offsets", 1, 3600000),
                "max_record_bytes": number("Size of the largest record", 1, 2147483647),
                "compression": choice("Compression of copies", "none", "gzip", "snappy", "lz4", "zstd"),
            },
        ),
        "config": record(
            "Settings of Connect that win over the collection's",
            {"source": SIDE, "checkpoint": SIDE, "heartbeat": SIDE, "worker": SIDE},
        ),
        "positions_topic": own_topic(
            "Where its position witness writes; C(kafka_dr_positions_topic) if left out. Mirrors into one region need "
            "different ones"
        ),
        "managed_elsewhere": choice("Kubernetes: go on although a tool keeps it", "accepted"),
    },
    ("name", "source", "target"),
)
MIRRORS = listing(
    "Which region is copied to which",
    MIRROR,
    "name",
    x_where="anywhere",
    x_remedy="Write each mirror as an entry of a list: - {name: …, source: …, target: …, topics: […]}",
)
if set(MIRROR["properties"]) != KNOWN_KEYS or set(MIRROR["properties"]["tuning"]["properties"]) != KNOWN_TUNING:
    raise AssertionError("a mirror's keys are not those of mirror_config")

MACHINES = {
    "kafka_dr_mirror_platform": choice(
        "Where its mirror runs, if not on the region's own platform: C(host), C(kubernetes), C(connect) (an "
        "existing Kafka "
        "Connect cluster), or C(deployment) (on Kubernetes, without an operator)",
        "host",
        "kubernetes",
        "connect",
        "deployment",
    ),
    "kafka_dr_mirror_hosts": listing(
        "Machines that run the mirror; the region's own host if left out",
        text("", r"^[^\s\x00-\x1f\x7f\"'\\{}/]+$", "the name of a host"),
        minItems=1,
        x_remedy="Write it as a list: [mirror-1, mirror-2]",
    ),
    "kafka_dr_mirror_directory": path("Where the mirror's files go, on those machines"),
    "kafka_dr_kafka_home": path("Where Kafka is unpacked, on those machines"),
    "kafka_dr_mirror_rest_host": text(
        "Address that a mirror's node is asked on; loopback for one host, else the host's address",
        r"^[^\s\x00-\x1f\x7f\"'\\{}/]+$",
        "a name or an address",
    ),
    "kafka_dr_mirror_rest_port": port("Port of the same; 8083 if left out"),
    "kafka_dr_mirror_heap": HEAP,
    "kafka_dr_mirror_user": text(
        "User that the mirror runs as; the connection's if left out",
        r"^[A-Za-z_][A-Za-z0-9_.-]*\$?$",
        "the name of a user of the machine",
    ),
    "kafka_dr_mirror_metrics": record(
        "The JMX exporter; none if left out",
        {
            "jar": path("Path of jmx_prometheus_javaagent"),
            "host": text("Address that it listens on"),
            "port": port("Its port"),
        },
        ("jar",),
    ),
    "kafka_dr_java": text("Java's program; C(java) if left out"),
    "kafka_dr_java_options": text("Words for Java", minLength=0),
    "kafka_dr_python": text("Python that the witness runs with; the controller's if left out"),
}
MACHINES = {
    key: {**value, "x-where": value.get("x-where", "target region, or a mirror's host")}
    for key, value in MACHINES.items()
}
MACHINES["kafka_dr_mirror_platform"]["x-where"] = MACHINES["kafka_dr_mirror_hosts"]["x-where"] = "target region"

SERVICES = record(
    "What keeps processes",
    {
        "manager": choice("The manager", "systemd", "supervisord"),
        "socket": text("Socket of supervisord"),
        "directory": path("Directory of its programs"),
    },
    x_where="any host or all",
)

APPLICATIONS = listing(
    "Applications of the regions",
    record(
        "",
        {
            "name": name("Its name; the service's, or the Deployment's"),
            "kind": choice("What keeps it", "process", "systemd", "kubernetes", "hook"),
            "role": choice("What it does with Kafka", "producer", "consumer", "both"),
            "groups": listing("Its consumer groups", text()),
            "principals": listing("Its users; the first is the one that it is told", text()),
            "host": text("The machine, if not this one"),
            "environment_file": path("File that it reads its region from"),
            "command": text("How a stage starts it, where the stages keep it"),
            "directory": path("Where it runs"),
            "log": path("File for its output"),
            "user": text("User that it runs as", r"^[A-Za-z_][A-Za-z0-9_.-]*\$?$", "the name of a user of the machine"),
            "environment": mapping("Further variables of its environment", setting(), r"^[A-Za-z_][A-Za-z0-9_]*$"),
            "stop_seconds": number("Seconds that it gets to end", 0, 86400),
            "start_tasks": text("Hooks: file of tasks that starts it"),
            "stop_tasks": text("Hooks: file of tasks that stops it"),
            "connection": node("object", "Kubernetes: the API server, if not its region's"),
            "namespace": text("Kubernetes: its namespace, if not its region's"),
            "resource": record(
                "Kubernetes: what it is, if no Deployment of its name",
                {"api_version": text(), "kind": text(), "name": text()},
            ),
            "secret": text("Kubernetes: the Secret that it reads its region from"),
            "keys": mapping("Kubernetes: further keys of that Secret", setting(), r"^[A-Za-z0-9._-]+$"),
            "replicas": number("Kubernetes: its size where none is remembered", 1, 100000),
            "managed_elsewhere": choice("Kubernetes: go on although a tool keeps it", "accepted"),
        },
        ("name", "kind", "role"),
    ),
    "name",
    x_where="any host",
    x_remedy="Write each application as an entry of a list: - {name: …, kind: …, role: …}",
)
