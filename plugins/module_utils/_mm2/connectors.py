# SPDX-License-Identifier: GPL-3.0-or-later
"""The three connectors of a mirror for an existing Kafka Connect cluster: the settings of the dedicated MirrorMaker 2,
in Connect's form.
"""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .java_client import java_client
from .mirror_config import checked, connector_configs, patterns_told, source_offsets_topic
from .properties import pattern_text

CLASSES = {
    "source": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
    "checkpoint": "org.apache.kafka.connect.mirror.MirrorCheckpointConnector",
    "heartbeat": "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector",
}
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
# What Connect itself opens for a connector: its producer, with exactly-once its reader of offsets, and its admin
# (KIP-458, KIP-618).
OVERRIDES = ("producer.override", "consumer.override", "admin.override")


def connector_names(mirror: dict[str, Any]) -> dict[str, str]:
    """``{side: name of its connector}``."""
    return {side: f"{mirror['name']}.{java.rpartition('.')[2]}" for side, java in CLASSES.items()}


def mirror_connectors(
    mirror: dict[str, Any],
    clients: dict[str, dict[str, Any]],
    secret_reference: str,
    own_client: bool = True,
    own_offsets: bool = True,
) -> list[dict[str, Any]]:
    """Connectors of one mirror.

    Positions go to a topic of their own beside the copies (KIP-618, ``offsets.storage.topic``), named as in dedicated
    mode, so that they survive with the copies whatever becomes of the Connect cluster.

    :param clients: ``{region: librdkafka keys without secrets}`` of the mirror's own principal.
    :param secret_reference: how the workers find a secret (KIP-297), e.g.
        ``${file:/etc/connect/mirror.properties:{region}.{key}}``; ``{mirror}``, ``{region}`` and ``{key}`` are
        replaced.
    :param own_client: whether records are written as the mirror's own principal, which needs
        ``connector.client.config.override.policy`` to be ``All`` on the workers (the default since Kafka 3.0); else as
        the workers'.
    :param own_offsets: whether positions go to that topic of their own. Without it, and without its own client, a
        stopped connector can be made to forget what the workers keep of it: Kafka 4.3.1 does not end that request for
        a connector with exactly-once and two places for its offsets (``ConnectorOffsetBackingStore`` writes to the
        second from a callback, after the transaction).
    :returns: ``[{name, config}]``: source, checkpoint, heartbeat.
    :raises UsageError: a region has no client, or something that only the workers' owner can set.
    """
    full = checked(mirror)
    _refuse_unusable(full, clients, secret_reference)
    common = _client_settings(full, clients, secret_reference, own_client)
    if own_offsets:
        # On all three: the mirror's own principal has no right to the workers' topic.
        common["offsets.storage.topic"] = source_offsets_topic(full)
    own, configs, names = _own_settings(full), connector_configs(full), connector_names(full)
    return [
        {
            "name": names[side],
            "config": {"connector.class": java, "tasks.max": "1", **common, **own[side], **configs[side]},
        }
        for side, java in CLASSES.items()
    ]


def _refuse_unusable(full: dict[str, Any], clients: dict[str, dict[str, Any]], secret_reference: str) -> None:
    missing = [region for region in (full["source"], full["target"]) if region not in clients]
    if missing:
        raise UsageError(
            f"No Kafka client is described for region {', '.join(missing)}",
            remedy="Set kafka_dr_client for it in the inventory",
        )
    if full["config"]["worker"]:
        raise UsageError(
            f"Mirror '{full['name']}' has settings of a worker",
            expected="no config.worker on an existing Connect cluster",
            found=", ".join(sorted(full["config"]["worker"])),
            remedy="Its owner sets them in the workers' properties",
        )
    if "{key}" not in secret_reference or "${" not in secret_reference:
        # Not the text itself: somebody may have given the secret.
        raise UsageError(
            f"The reference to secrets of mirror '{full['name']}' cannot be used",
            found="a text without ${ or {key}",
            expected=(
                "a reference of the workers' config.providers, such as "
                "${file:/etc/connect/{mirror}.properties:{region}.{key}}"
            ),
        )


def _client_settings(
    full: dict[str, Any], clients: dict[str, dict[str, Any]], secret_reference: str, own_client: bool
) -> dict[str, str]:
    """Settings that all three connectors have in common: aliases, converters, and how to reach both clusters."""

    def java(region: str) -> dict[str, str]:
        reference = secret_reference.replace("{mirror}", full["name"]).replace("{region}", region)
        return java_client(clients[region], lambda key: reference.replace("{key}", key))

    settings = {
        "source.cluster.alias": full["source"],
        "target.cluster.alias": full["target"],
        "key.converter": BYTES,
        "value.converter": BYTES,
        "header.converter": BYTES,
    }
    for prefix, region in (("source.cluster", full["source"]), ("target.cluster", full["target"])):
        settings.update({f"{prefix}.{key}": value for key, value in java(region).items()})
    if own_client:
        for prefix in OVERRIDES:
            settings.update({f"{prefix}.{key}": value for key, value in java(full["target"]).items()})
    return settings


def _own_settings(full: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Settings by connector: the topics and groups that it copies, and the delivery that it demands."""
    patterns = {
        setting: ",".join(pattern_text(pattern, full["name"]) for pattern in expressions)
        for setting, expressions in patterns_told(full).items()
    }
    topics = {key: patterns[key] for key in ("topics", "topics.exclude")}
    # Support is asked for, so that workers without exactly-once refuse the connector instead of ignoring the wish.
    demand = {"exactly.once.support": "required" if full["exactly_once"] else "requested"}
    return {"source": {**topics, **demand}, "checkpoint": patterns, "heartbeat": {}}
