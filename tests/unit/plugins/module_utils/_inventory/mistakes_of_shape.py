# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists, dictionaries, texts and numbers in the place of each other, and keys that nothing reads."""

from __future__ import annotations

from .valid_description import CLIENT, SECRET, TOPICS, USERS, Case

SHAPES: dict[str, Case] = {
    # Shapes.
    "users as a dictionary": (
        USERS,
        {"kdr-stages": SECRET},
        ("kafka_dr_users: expected a list, found a dictionary with the keys kdr-stages", "entry of a list"),
    ),
    "users as a text": (USERS, SECRET, ("kafka_dr_users: expected a list, found a text (not shown)",)),
    "users of texts": (USERS, [SECRET], ("kafka_dr_users[0]: expected a dictionary, found a text (not shown)",)),
    "a user without a purpose": (
        USERS,
        [{"name": "kdr-stages"}],
        ("kafka_dr_users[0].purpose: expected one of stages, mirror", "found nothing"),
    ),
    "a user of an unknown purpose": (USERS + ".0.purpose", "stage", ("found the text 'stage'", "Did you mean stages?")),
    "a user without a name": (USERS + ".0.name", None, ("kafka_dr_users[0].name: expected", "found nothing")),
    "a user's name as a number": (USERS + ".0.name", 2024, ("kafka_dr_users[0].name", "found the number 2024")),
    "a password as a number": (
        USERS + ".0.password",
        12345678,
        ("kafka_dr_users[0].password: expected a text", "found a number (not shown)"),
    ),
    "a password as a list": (USERS + ".0.password", [SECRET], ("kafka_dr_users[0].password", "found a list of 1")),
    "a user twice": (
        USERS + ".1.name",
        "kdr-stages",
        ("kafka_dr_users[1].name: expected another name than that of entry 0",),
    ),
    "a key that nobody reads": (
        USERS + ".0.pasword",
        SECRET,
        ("kafka_dr_users[0].pasword: expected no key but name", "Did you mean password?"),
    ),
    "operations as a text": (
        USERS + ".2.acls.0.operations",
        "READ",
        ("acls[0].operations: expected a list, found a text (not shown)", "[READ, DESCRIBE]"),
    ),
    "a right over nothing": (
        USERS + ".2.acls.0.name",
        None,
        ("kafka_dr_users[2].acls[0].name: expected the name of a topic, found nothing",),
    ),
    "an operation that no client can ask for": (
        USERS + ".2.acls.0.operations",
        ["TWO_PHASE_COMMIT"],
        ("acls[0].operations[0]: expected one of ALL, READ",),
    ),
    "an unknown operation": (
        USERS + ".2.acls.0.operations",
        ["READS"],
        ("acls[0].operations[0]: expected one of ALL, READ", "Did you mean READ?"),
    ),
    "an operation in small letters": (USERS + ".2.acls.0.operations", ["read"], ("found the text 'read'",)),
    "no operations": (USERS + ".2.acls.0.operations", [], ("expected at least one entry, found an empty list",)),
    "an unknown resource": (
        USERS + ".2.acls.0.resource",
        "topics",
        ("expected one of topic, group, cluster, transactional_id", "Did you mean topic?"),
    ),
    "an unknown pattern": (USERS + ".2.acls.0.pattern", "prefix", ("Did you mean prefixed?",)),
    "rights as a dictionary": (
        USERS + ".2.acls",
        {"topic": "READ"},
        ("kafka_dr_users[2].acls: expected a list, found a dictionary",),
    ),
    "mirrors as a text": (
        "*.kafka_dr_mirrors",
        "north_america->europe",
        ("kafka_dr_mirrors: expected a list, found the text 'north_america->europe'", "entry of a list"),
    ),
    "mirrors as a dictionary": (
        "*.kafka_dr_mirrors",
        {"backup": {}},
        ("kafka_dr_mirrors: expected a list, found a dictionary with the keys backup",),
    ),
    "mirrors of texts": (
        "*.kafka_dr_mirrors",
        ["backup"],
        ("kafka_dr_mirrors[0]: expected a dictionary, found the text 'backup'",),
    ),
    "topics as a number": (TOPICS, 7, ("kafka_dr_topics: expected a list, found the number 7",)),
    "topics of texts": (TOPICS, ["orders"], ("kafka_dr_topics[0]: expected a dictionary, found the text 'orders'",)),
    "a topic without partitions that are a number": (
        TOPICS + ".0.partitions",
        "three",
        ("partitions: expected a whole number from 1 to 100000, found the text 'three'",),
    ),
    "no partitions": (TOPICS + ".0.partitions", 0, ("expected a whole number from 1 to 100000, found the number 0",)),
    "half a partition": (TOPICS + ".0.partitions", 1.5, ("found the number 1.5",)),
    "partitions as true": (TOPICS + ".0.partitions", True, ("expected a whole number from 1 to 100000, found true",)),
    "configs as a list": (
        TOPICS + ".0.configs",
        ["retention.ms=1"],
        ("configs: expected a dictionary, found a list of 1",),
    ),
    "a config as a list": (
        TOPICS + ".0.configs",
        {"cleanup.policy": ["compact"]},
        ("configs['cleanup.policy']", "found a list of 1"),
    ),
    "a topic twice": (TOPICS, [{"name": "a"}, {"name": "a"}], ("kafka_dr_topics[1].name", "entry 0")),
    "the client as a text": (
        CLIENT,
        "na-1:9093",
        ("kafka_dr_client: expected a dictionary, found the text 'na-1:9093'", "bootstrap.servers"),
    ),
    "the client as a list": (
        CLIENT,
        [{"bootstrap.servers": "a:1"}],
        ("kafka_dr_client: expected a dictionary, found a list of 1",),
    ),
    "the secrets as a text": (
        "north_america.kafka_dr_client_secrets",
        SECRET,
        ("kafka_dr_client_secrets: expected a dictionary, found a text (not shown)",),
    ),
    "an unknown secret": (
        "north_america.kafka_dr_client_secrets",
        {"sasl_password": SECRET},
        ("sasl_password: expected no key but sasl.password", "Did you mean sasl.password?"),
    ),
    "a secret as a dictionary": (
        "north_america.kafka_dr_client_secrets",
        {"sasl.password": {"value": SECRET}},
        ("found a dictionary with the keys value",),
    ),
    "a platform that is none": (
        "north_america.kafka_dr_platform",
        "hosts",
        ("kafka_dr_platform: expected one of host, kubernetes, managed", "Did you mean host?"),
    ),
    "a platform as a list": ("north_america.kafka_dr_platform", ["host"], ("kafka_dr_platform", "found a list of 1")),
    "no platform": (
        "north_america.kafka_dr_platform",
        None,
        ("north_america: kafka_dr_platform: expected one of host, kubernetes, managed, found nothing",),
    ),
    "super-users as a text": (
        "north_america.kafka_dr_super_users",
        "admin",
        ("kafka_dr_super_users: expected a list, found the text 'admin'",),
    ),
    "services as a text": (
        "*.kafka_dr_services",
        "systemd",
        ("kafka_dr_services: expected a dictionary, found the text 'systemd'",),
    ),
    "an unknown manager of services": (
        "*.kafka_dr_services",
        {"manager": "runit"},
        ("manager: expected one of systemd, supervisord, found the text 'runit'",),
    ),
    "a word for true": ("*.kafka_dr_no_log", "ja", ("kafka_dr_no_log: expected true or false, found the text 'ja'",)),
    "a working directory as a number": ("*.kafka_dr_workdir", 5, ("kafka_dr_workdir", "found the number 5")),
    "an empty working directory": ("*.kafka_dr_workdir", "", ("kafka_dr_workdir", "found an empty text")),
}
