# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and settings that would do harm where they are used: paths, options, second lines, templates."""

from __future__ import annotations

from .valid_description import APPLICATION, KUBERNETES, MIRROR, TOPICS, USERS, Case

HARMFUL: dict[str, Case] = {
    # Names that mean harm.
    "a mirror's name that leaves its directory": (
        MIRROR + ".name",
        "../../etc",
        ("kafka_dr_mirrors[0].name: expected a name of letters", "'../../etc'"),
    ),
    "a mirror's name of two lines": (
        MIRROR + ".name",
        "a\n[program:evil]\ncommand=id",
        ("kafka_dr_mirrors[0].name", "a\\n[program:evil]\\ncommand=id"),
    ),
    "a mirror's name that is a template": (
        MIRROR + ".name",
        "{{ lookup('pipe', 'id') }}",
        ("kafka_dr_mirrors[0].name", "{ { lookup"),
    ),
    "a mirror's name with a line break behind it": (
        MIRROR + ".name",
        "backup\n",
        ("kafka_dr_mirrors[0].name", "'backup\\n'"),
    ),
    "a mirror's name that is an option": (MIRROR + ".name", "-rf", ("kafka_dr_mirrors[0].name", "'-rf'")),
    "a user's name with quotes": (
        USERS + ".0.name",
        'a" password="b',
        ("kafka_dr_users[0].name: expected a name without quotes",),
    ),
    "a user's name of two lines": (
        USERS + ".1.name",
        "kdr\nsuper.users=User:kdr",
        ("kafka_dr_users[1].name", "kdr\\nsuper.users"),
    ),
    "a topic's name that is a path": (
        TOPICS + ".0.name",
        "../orders",
        ("kafka_dr_topics[0].name", "as Kafka takes it, found the text '../orders'"),
    ),
    "a topic's name of dots": (TOPICS + ".0.name", "..", ("kafka_dr_topics[0].name",)),
    "a topic's name that is too long": (TOPICS + ".0.name", "x" * 250, ("kafka_dr_topics[0].name",)),
    "an application that is a second program": (
        APPLICATION + ".name",
        "shop]\n[program:evil",
        ("kafka_dr_applications[0].name", "shop]\\n[program:evil"),
    ),
    "a command of two lines": (
        APPLICATION + ".command",
        "/opt/run\nUser=root",
        ("kafka_dr_applications[0].command: expected a text on one line",),
    ),
    "a file that leaves its directory": (
        APPLICATION + ".environment_file",
        "/etc/shop/../../root/.ssh/config",
        ("environment_file: expected an absolute path without '..'",),
    ),
    "a directory that runs a command": (
        "europe.kafka_dr_mirror_directory",
        "/var/lib/$(id)",
        ("kafka_dr_mirror_directory: expected an absolute path without '..'",),
    ),
    "a directory that is not absolute": (
        "europe.kafka_dr_mirror_directory",
        "mirror",
        ("kafka_dr_mirror_directory: expected an absolute path", "'mirror'"),
    ),
    "a directory above": ("north_america.kafka_dr_rebuild_directory", "/var/lib/..", ("kafka_dr_rebuild_directory",)),
    "a user that is an option": (
        "europe.kafka_dr_mirror_user",
        "-oProxyCommand=id",
        ("kafka_dr_mirror_user: expected the name of a user of the machine",),
    ),
    "a ledger that is a path": ("*.kafka_dr_ledger_topic", "a/b", ("kafka_dr_ledger_topic",)),
    "a ledger that a mirror of all topics may write": (
        "*.kafka_dr_ledger_topic",
        "dr-ledger",
        ("kafka_dr_ledger_topic: expected a name that begins with __kafka_dr_",),
    ),
    "positions that a mirror of all topics may write": (
        "*.kafka_dr_positions_topic",
        "positions",
        ("kafka_dr_positions_topic: expected a name that begins with __kafka_dr_",),
    ),
    "options for Java of two lines": (
        "europe.kafka_dr_java_options",
        "-Da=b\nExecStartPre=/bin/id",
        ("kafka_dr_java_options: expected a text on one line",),
    ),
    "a setting of two lines": (
        MIRROR + ".config",
        {"source": {"x": "1\neurope.security.protocol=PLAINTEXT"}},
        ("config.source.x", "a text on one line"),
    ),
    "a host of the mirror that is a template": (
        "europe.kafka_dr_mirror_hosts",
        ["{{ lookup('pipe','id') }}"],
        ("kafka_dr_mirror_hosts[0]: expected the name of a host",),
    ),
    "an image that is none": (
        KUBERNETES + ".witness_image",
        "a b; id",
        ("witness_image: expected the name of an image",),
    ),
}
