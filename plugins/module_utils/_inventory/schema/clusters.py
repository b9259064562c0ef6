# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region's cluster holds: users with their rights, topics, quotas; and the cluster itself where the role
``kafka`` makes it.
"""

from __future__ import annotations

from ..._mm2.access import PURPOSES
from ..._values.topic_name import LONGEST, PATTERN
from .. import authentication
from ..kinds import (
    NODE,
    choice,
    flag,
    listing,
    long_text,
    loose_flag,
    mapping,
    name,
    node,
    number,
    path,
    port,
    record,
    secret,
    setting,
    text,
)

# Those that librdkafka and Strimzi's KafkaUsers have names for.
OPERATIONS = (
    "ALL",
    "READ",
    "WRITE",
    "CREATE",
    "DELETE",
    "ALTER",
    "DESCRIBE",
    "CLUSTER_ACTION",
    "DESCRIBE_CONFIGS",
    "ALTER_CONFIGS",
    "IDEMPOTENT_WRITE",
)
# A principal may be a certificate's whole name; quotes, backslashes and templates are for files that it is written to.
ONE_LINE = r"^[^\x00-\x1f\x7f]+$"
PRINCIPAL = r"^[^\x00-\x1f\x7f\"'\\{}]+$"

ACL = record(
    "A right",
    {
        "resource": choice("Type of the resource", "topic", "group", "cluster", "transactional_id"),
        "name": text("Name of the resource; not needed for a cluster"),
        "pattern": choice("How the name is meant", "literal", "prefixed"),
        "operations": listing(
            "What may be done", choice("", *OPERATIONS), minItems=1, x_remedy="Write it as a list: [READ, DESCRIBE]"
        ),
        "permission": choice("Whether it is allowed or denied", "allow", "deny"),
        "host": text("Host that the principal comes from"),
        "principal": text("Left out here: the user", PRINCIPAL),
    },
    ("resource", "operations"),
)

USERS = listing(
    "Users of the cluster. The rights of all purposes but C(application) are derived from the mirror",
    record(
        "",
        {
            "name": text(
                "Name of the principal", PRINCIPAL, "a name without quotes, backslashes, braces or line breaks"
            ),
            "password": secret("Its password; on Kubernetes the operator's"),
            "purpose": choice("What it is for", *PURPOSES),
            "authentication": choice(
                "Kubernetes: type of its KafkaUser; scram-sha-512 where left out, C(none) where OAuth names it",
                *authentication.TYPES,
            ),
            "acls": listing("What an application may do", ACL),
        },
        ("name", "purpose"),
    ),
    "name",
    x_where="region",
    x_secret=True,
    x_remedy="Write each user as an entry of a list: - {name: …, purpose: …, password: …}",
)

TOPICS = listing(
    "Topics to create",
    record(
        "",
        {
            "name": text(
                "Its name", PATTERN, "a name of letters, digits, '.', '_' and '-', as Kafka takes it", maxLength=LONGEST
            ),
            "partitions": number("How many partitions", 1, 100000),
            "replication_factor": number("How many replicas; the broker's default if left out", 1, 32767),
            "configs": mapping("Its configs", setting()),
        },
        ("name",),
    ),
    "name",
    x_where="region",
    x_remedy="Write each topic as an entry of a list: - {name: …, partitions: …}",
)

WHOM: NODE = {"type": ["string", "null"], "pattern": ONE_LINE}
QUOTAS = listing(
    "Quotas to set",
    record(
        "",
        {
            "entity": record(
                "Whom they are for; null for the default",
                {"user": WHOM, "client-id": WHOM, "ip": WHOM},
                minProperties=1,
            ),
            "limits": record(
                "Their limits",
                {
                    limit: {"type": ["number", "null"], "exclusiveMinimum": 0}
                    for limit in (
                        "producer_byte_rate",
                        "consumer_byte_rate",
                        "request_percentage",
                        "controller_mutation_rate",
                        "connection_creation_rate",
                    )
                },
            ),
        },
        ("entity", "limits"),
    ),
    x_where="region",
    x_remedy="Write each quota as an entry of a list: - {entity: {user: …}, limits: {producer_byte_rate: …}}",
)

SUPER_USERS = listing(
    "Principals above every ACL; an application among them cannot be fenced, and the stage says so",
    text("", PRINCIPAL),
    x_where="region",
)

CLUSTER = record(
    "A cluster that the role C(kafka) makes itself, as in the lab",
    {
        "name": name("Name of its service"),
        "home": path("Where Kafka is unpacked"),
        "directory": path("Where its files go"),
        "port": port("Port for clients"),
        "controller_port": port("Port of the controller"),
        "address": text("Address that it listens on"),
        "advertised": text("Address that clients are told"),
        "cluster_id": text(
            "Its id", r"^[A-Za-z0-9_-]{22}$", "22 letters, digits, '-' and '_'; as the 16 bytes that Kafka takes for it"
        ),
        "heap": text("Java's heap", r"^[0-9]+[kKmMgG]$", "a size such as 1g"),
        "java": text("Java's program"),
        "java_options": text("Words for Java", minLength=0),
        "user": text("User that it runs as", minLength=0),
        "restart": flag("Whether it is started again when it dies"),
        "config": mapping("Settings of the broker", setting()),
        "create_namespace": loose_flag("Kubernetes: whether the namespace is made too"),
        "resources": listing("Kubernetes: the resources that it is made of", node("object"), minItems=1),
        "topics": listing("Kubernetes: topics", node("object")),
    },
    x_where="region",
)
CERTIFICATE = record("", {"certificate": long_text(), "key": secret()})
CLUSTER_SECRETS = record(
    "Its certificate authority, certificates and the administrator's password",
    {"admin_password": secret(), "authority": CERTIFICATE, "broker": CERTIFICATE},
    x_where="region",
    x_secret=True,
)
