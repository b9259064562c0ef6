# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrors that cannot be meant: policies, intervals, patterns, pairs, settings."""

from __future__ import annotations

from .valid_description import BACK, MIRROR, SECRET, Case

MIRRORS: dict[str, Case] = {
    # Mirrors.
    "a policy that is none": (
        MIRROR + ".policy",
        "identitty",
        ("kafka_dr_mirrors[0].policy: expected identity, default, or a Java class", "'identitty'"),
    ),
    "fewer tasks than none": (
        MIRROR + ".tuning.tasks_max",
        -4,
        ("tuning.tasks_max: expected a whole number from 1 to 1000, found the number -4",),
    ),
    "tasks as a text": (MIRROR + ".tuning.tasks_max", "many", ("found the text 'many'",)),
    "a negative interval": (MIRROR + ".tuning.refresh_seconds", -30, ("refresh_seconds", "found the number -30")),
    "an interval in milliseconds": (
        MIRROR + ".tuning.refresh_seconds",
        600000,
        ("expected a whole number from 1 to 86400, found the number 600000",),
    ),
    "an unknown number to tune": (
        MIRROR + ".tuning.task_max",
        2,
        ("tuning.task_max: expected no key but tasks_max", "Did you mean tasks_max?"),
    ),
    "an unknown compression": (MIRROR + ".tuning.compression", "brotli", ("compression: expected one of none, gzip",)),
    "tuning as a number": (
        MIRROR + ".tuning",
        4,
        ("kafka_dr_mirrors[0].tuning: expected a dictionary, found the number 4",),
    ),
    "exactly-once as a word": (
        MIRROR + ".exactly_once",
        "false",
        ("exactly_once: expected true or false, found the text 'false'",),
    ),
    "a source that is no region": (
        MIRROR + ".source",
        "nort_america",
        ("source: expected a region, one of asia, europe, north_america, found the text 'nort_america'",),
    ),
    "a mirror into itself": (MIRROR + ".target", "north_america", ("target: expected another region than the source",)),
    "a mirror without a source": (MIRROR + ".source", None, ("kafka_dr_mirrors[0].source", "found nothing")),
    "a mirror of an unknown key": (
        MIRROR + ".topic",
        "orders",
        ("kafka_dr_mirrors[0].topic: expected no key but name", "Did you mean topics?"),
    ),
    "topics of a mirror as a number": (
        MIRROR + ".topics",
        5,
        ("kafka_dr_mirrors[0].topics: expected a list of regular expressions, found the number 5",),
    ),
    "topics of a mirror as a dictionary": (
        MIRROR + ".topics",
        {"orders": None},
        ("topics: expected a list of regular expressions",),
    ),
    "a pattern that cannot be read": (
        MIRROR + ".topics",
        ["orders(.*"],
        ("topics[0]: expected a regular expression, found 'orders(.*'",),
    ),
    "a pattern that Java reads in another way": (
        MIRROR + ".topics",
        ["orders", "[a-m&&[^c]]+"],
        ("topics[1]: expected a regular expression", "a set within a set, which Java reads in another way"),
    ),
    "a pattern with flags": (
        MIRROR + ".topics",
        ["(?i)orders.*"],
        ("topics[0]: expected a regular expression", "global flags"),
    ),
    "a group's pattern that cannot be read": (
        MIRROR + ".groups",
        ["*"],
        ("groups[0]: expected a regular expression, found '*'",),
    ),
    "an unknown side of the settings": (
        MIRROR + ".config",
        {"sources": {}},
        ("config.sources: expected no key but source", "Did you mean source?"),
    ),
    "a setting as a list": (
        MIRROR + ".config",
        {"source": {"tasks.max": [1]}},
        ("config.source['tasks.max']", "found a list of 1"),
    ),
    "two mirrors of a name": (
        "*.kafka_dr_mirrors.+",
        {"name": "backup", "source": "asia", "target": "europe", "topics": ["x"]},
        ("[1].name: expected another name",),
    ),
    "two mirrors of a pair": (
        "*.kafka_dr_mirrors.+",
        {"name": "two", "source": "north_america", "target": "europe", "topics": ["x"]},
        ("kafka_dr_mirrors[1]: expected one mirror from north_america to europe",),
    ),
    "two mirrors into a region with one topic of positions": (
        "*.kafka_dr_mirrors.+",
        {"name": "second", "source": "asia", "target": "europe", "topics": ["x"]},
        (
            "kafka_dr_mirrors[1].positions_topic: expected a topic of its own",
            "__kafka_dr_positions for both backup and second",
            "Set positions_topic of one of them, such as __kafka_dr_positions-second",
        ),
    ),
    "two mirrors into a region that name one topic of positions": (
        "*.kafka_dr_mirrors",
        [
            {"name": name, "source": name, "target": "europe", "topics": [name], "positions_topic": "__kafka_dr_p"}
            for name in ("asia", "north_america")
        ],
        ("kafka_dr_mirrors[1].positions_topic: expected a topic of its own", "__kafka_dr_p for both asia and north_a"),
    ),
    "a topic of positions that anybody may write to": (
        MIRROR + ".positions_topic",
        "positions",
        ("kafka_dr_mirrors[0].positions_topic: expected a name that begins with __kafka_dr_",),
    ),
    "a circle of two": (
        "*.kafka_dr_mirrors.+",
        BACK,
        ("expected no circle of mirrors that keep names", "north_america->europe", "one direction at a time"),
    ),
    "a setting that loses positions": (
        MIRROR + ".config",
        {"checkpoint": {"offset-syncs.topic.location": "source"}, "source": {"offset-syncs.topic.location": "source"}},
        ("kafka_dr_mirrors[0]", "offset-syncs.topic.location"),
    ),
    "a password among a mirror's settings": (
        MIRROR + ".config",
        {"source": {"consumer.sasl.jaas.config": SECRET}},
        ("config.source['consumer.sasl.jaas.config']", "no secret", "(not shown)"),
    ),
    "a class of its own that chooses topics": (
        MIRROR + ".config",
        {"source": {"topic.filter.class": "com.example.Mine"}},
        ("config.source['topic.filter.class']", "expected no class of its own", "topics_exclude"),
    ),
    "other names of the mirror's own topics": (
        MIRROR + ".config",
        {"source": {"replication.policy.internal.topic.separator.enabled": False}},
        ("config.source['replication.policy.internal.topic.separator.enabled']: expected true", "Leave it out"),
    ),
}
