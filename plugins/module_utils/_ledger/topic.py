# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger's topic: one partition, kept for ever, on two replicas at least where there are three."""

from __future__ import annotations

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._kafka.topic_changes import await_topics, ensure_topics
from .._kafka.topics import describe_topics, topic_configs

CONFIGS = {
    "cleanup.policy": "delete",
    "retention.ms": "-1",
    "retention.bytes": "-1",
    "message.timestamp.type": "CreateTime",
}


def ledger_topic(name: str, replication_factor: int | None = None, configs: dict | None = None) -> dict:
    """How the ledger's topic is made."""
    return {
        "name": name,
        "partitions": 1,
        "replication_factor": replication_factor,
        "configs": {**CONFIGS, **(configs or {})},
    }


def least_in_sync(replicas: int) -> str:
    """``min.insync.replicas``: with one, an entry that was acknowledged can vanish with the broker that has it."""
    return "2" if replicas >= 3 else "1"


def ensure_ledger_topic(client: KafkaClient, name: str, replication_factor: int | None) -> str:
    """Create the ledger's topic, or correct what was changed; returns its id."""
    return ensure_kept_topic(client, ledger_topic(name, replication_factor))


def ensure_kept_topic(client: KafkaClient, topic: dict) -> str:
    """Create a topic, or correct the configs that it asks for; returns its id.

    ``min.insync.replicas`` is raised only where two replicas are in sync: otherwise no stage could write on the day
    that it has to.
    """
    name = topic["name"]
    found = describe_topics(client, [name])
    if name not in found:
        try:
            ensure_topics(client, [topic], "present", False)
        except KafkaDrError as error:
            # Another run creates it at this moment.
            if error.facts.get("code") != "TOPIC_ALREADY_EXISTS":
                raise
            await_topics(client, [name], present=True)
        found = describe_topics(client, [name])
    described = found[name]
    wanted = dict(topic["configs"])
    least = least_in_sync(described["replication_factor"])
    if described["in_sync"] >= int(least):
        wanted["min.insync.replicas"] = least
    has = topic_configs(client, [name])[name]
    if any(has.get(key) != value for key, value in wanted.items()):
        ensure_topics(client, [{"name": name, "configs": wanted}], "present", False)
    return described["id"]
