# SPDX-License-Identifier: GPL-3.0-or-later
"""The old MirrorMaker (until Kafka 3.9) said again as a mirror description.

It was started as ``kafka-mirror-maker.sh --consumer.config F --producer.config F --whitelist REGEX --num.streams N``.
Source: ``kafka.tools.MirrorMaker`` of 3.9 (defaults) and KIP-382 (what replaces it).
"""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .properties import parse_properties

SECRETS = (
    "ssl.truststore.password",
    "ssl.keystore.password",
    "ssl.key.password",
    "sasl.jaas.config",
    "ssl.keystore.key",
)
# Java's key for the mirror's own client in librdkafka's words; the rest of a client's description must be made by a
# person.
CLIENT_KEYS = ("bootstrap.servers", "security.protocol", "sasl.mechanism")
# Settings of the data's own way that mean the same in the new mirror.
CONSUMER_KEYS = (
    "max.poll.records",
    "max.partition.fetch.bytes",
    "fetch.min.bytes",
    "fetch.max.bytes",
    "fetch.max.wait.ms",
    "receive.buffer.bytes",
    "session.timeout.ms",
    "max.poll.interval.ms",
    "isolation.level",
)
PRODUCER_KEYS = (
    "batch.size",
    "linger.ms",
    "buffer.memory",
    "max.request.size",
    "request.timeout.ms",
    "delivery.timeout.ms",
    "send.buffer.bytes",
    "retries",
)
# Taken care of by the new mirror itself.
OWN = {
    "acks",
    "enable.idempotence",
    "max.in.flight.requests.per.connection",
    "enable.auto.commit",
    "auto.commit.interval.ms",
    "key.serializer",
    "value.serializer",
    "key.deserializer",
    "value.deserializer",
    "key.serializer.class",
    "serializer.class",
    "client.id",
    "group.id",
    "auto.offset.reset",
    "compression.type",
    "partition.assignment.strategy",
    "exclude.internal.topics",
    "metadata.max.age.ms",
}


MESSAGE_HANDLER = (
    "The message handler {} has no place here: give the records to a transformation "
    "of Connect, or leave it out where the copy is a backup"
)
# What changes with every move to MirrorMaker 2: what, before, after, why.
ALWAYS = (
    (
        "delivery",
        "at least once",
        "exactly once",
        "A crash no longer copies records twice; each transaction leaves a marker, so offsets differ",
    ),
    (
        "partitions",
        "chosen anew by key",
        "kept",
        "Records stay in the partition they had; the target needs as many partitions",
    ),
    ("timestamps and headers", "kept", "kept", "Byte for byte"),
    (
        "topics' settings",
        "by hand",
        "brought over",
        "Partitions and configs of the source are applied to the target every so often",
    ),
    (
        "consumer groups' positions",
        "not brought over",
        "translated and committed",
        "Groups of the source can go on at the target",
    ),
)


def from_mirror_maker_1(
    consumer: str | dict[str, str],
    producer: str | dict[str, str],
    source: str,
    target: str,
    name: str | None = None,
    whitelist: Any = ".*",
    streams: int = 1,
    message_handler: str | None = None,
) -> dict[str, Any]:
    """The new description and everything that changes with it.

    :param consumer: text of its ``consumer.properties`` (or the dictionary); ``producer`` likewise.
    :param source: region that it read from, as the inventory calls it; ``target`` likewise.
    :param whitelist: its ``--whitelist`` (or ``--include``).
    :param streams: its ``--num.streams``.
    :param message_handler: its ``--message.handler`` class, where there was one.
    :returns: ``{"mirror": a description for kafka_dr_mirrors, "clients": {region: what is known of its client},
        "group": the old group, "changes": [{"what", "before", "after", "why"}], "by_hand": [what a person must do]}``.
        Secrets of the files are never returned.
    :raises UsageError: a file is not what it should be.
    """
    reading, writing = _settings(consumer), _settings(producer)
    _refuse_incomplete(reading, writing)
    mirror = _empty_mirror(name or f"{source}-to-{target}", source, target, whitelist)
    by_hand: list[str] = []
    changes: list[dict[str, str]] = []
    _tuning(mirror, reading, writing, int(streams), changes)
    _begin(mirror, reading, changes, by_hand)
    _pass_on(mirror, reading, writing, changes)
    if message_handler:
        by_hand.append(MESSAGE_HANDLER.format(message_handler))
    clients = {source: _client(reading, "source", by_hand), target: _client(writing, "target", by_hand)}
    return {
        "mirror": {key: value for key, value in mirror.items() if value not in ({}, {"source": {}})},
        "clients": clients,
        "group": reading["group.id"],
        "changes": [*changes, *(_change(*row) for row in ALWAYS)],
        "by_hand": by_hand,
    }


def _settings(properties: str | dict[str, str]) -> dict[str, str]:
    return parse_properties(properties) if isinstance(properties, str) else dict(properties or {})


def _refuse_incomplete(reading: dict[str, str], writing: dict[str, str]) -> None:
    for what, settings, needed in (
        ("consumer.properties", reading, "group.id"),
        ("producer.properties", writing, "bootstrap.servers"),
    ):
        if not settings.get(needed) and not (what.startswith("producer") and settings.get("metadata.broker.list")):
            raise UsageError(
                f"The {what} of the old MirrorMaker has no {needed}",
                remedy="Give the files in this order: consumer, producer",
            )


def _empty_mirror(name: str, source: str, target: str, whitelist: Any) -> dict[str, Any]:
    return {
        "name": name,
        "source": source,
        "target": target,
        "topics": _patterns(whitelist),
        "policy": "identity",
        "exactly_once": True,
        "tuning": {},
        "config": {"source": {}},
    }


def _change(what: str, before: Any, after: Any, why: str) -> dict[str, str]:
    return {"what": what, "before": str(before), "after": str(after), "why": why}


def _patterns(whitelist: Any) -> list[str]:
    return (
        [part.strip() for part in str(whitelist).replace("|", ",").split(",") if part.strip()]
        if "(" not in str(whitelist)
        else [str(whitelist)]
    )


def _tuning(
    mirror: dict[str, Any],
    reading: dict[str, str],
    writing: dict[str, str],
    streams: int,
    changes: list[dict[str, str]],
) -> None:
    mirror["tuning"]["tasks_max"] = max(streams, 1)
    changes.append(
        _change(
            "num.streams", streams, f"tasks_max {max(streams, 1)}", "A stream of the old one is a task of the new one"
        )
    )
    if writing.get("compression.type", "none") != "none":
        mirror["tuning"]["compression"] = writing["compression.type"]
    if str(writing.get("max.request.size", "")).isdigit() and int(writing["max.request.size"]) > 1048576:
        mirror["tuning"]["max_record_bytes"] = int(writing["max.request.size"])
    for key, safe in (("acks", ("all", "-1")), ("enable.idempotence", ("true",))):
        if key in writing and writing[key] not in safe:
            changes.append(_change(key, writing[key], safe[0], "A copied record must be on all replicas, once"))


def _begin(mirror: dict[str, Any], reading: dict[str, str], changes: list[dict[str, str]], by_hand: list[str]) -> None:
    reset = reading.get("auto.offset.reset", "latest")
    if reset == "latest":
        changes.append(
            _change(
                "where it begins",
                "latest",
                "earliest",
                "A backup that begins at the end holds nothing of before, and skips what it was too slow for",
            )
        )
    by_hand.append(
        f"The positions of group {reading['group.id']} do not carry over: the new mirror begins at the "
        "oldest record and copies what the target has already. Begin with empty topics on the target, or "
        "write the last copied offsets into its offset topic before the first start (they are the "
        "group's committed positions minus one)"
    )


def _pass_on(
    mirror: dict[str, Any], reading: dict[str, str], writing: dict[str, str], changes: list[dict[str, str]]
) -> None:
    for settings, keys, prefix in (
        (reading, CONSUMER_KEYS, "consumer."),
        (writing, PRODUCER_KEYS, "producer.override."),
    ):
        for key in keys:
            if key in settings and not (key == "max.request.size" and "max_record_bytes" in mirror["tuning"]):
                if key == "isolation.level" and settings[key] != "read_committed":
                    changes.append(
                        _change(
                            key,
                            settings[key],
                            "read_committed",
                            "Records of transactions that were given up are not copied",
                        )
                    )
                    continue
                mirror["config"]["source"][prefix + key] = settings[key]
        known = set(keys) | OWN | set(CLIENT_KEYS) | {"metadata.broker.list"}
        for key in sorted(settings):
            if key not in known and not key.startswith(("ssl.", "sasl.")):
                changes.append(
                    _change(
                        prefix + key,
                        settings[key],
                        "left out",
                        "Not known to matter for the new mirror; put it under config.source if it does",
                    )
                )


def _client(settings: dict[str, str], side: str, by_hand: list[str]) -> dict[str, str]:
    client = {key: settings[key] for key in CLIENT_KEYS if key in settings}
    if "bootstrap.servers" not in client and settings.get("metadata.broker.list"):
        client["bootstrap.servers"] = settings["metadata.broker.list"]
    if settings.get("zookeeper.connect"):
        by_hand.append(
            f"The {side} was found through ZooKeeper ({settings['zookeeper.connect']}); give its brokers in "
            "bootstrap.servers"
        )
    if any(key in settings for key in SECRETS):
        by_hand.append(
            f"Give the {side}'s secrets (kafka_dr_client_secrets) from your vault; those in the old file are "
            "not taken over"
        )
    store = settings.get("ssl.truststore.location")
    if store:
        by_hand.append(
            f"Turn the {side}'s truststore {store} into PEM: ssl.ca.pem: \"{{{{ '{store}' | "
            'streamsafe.kafka_dr.truststore_pem(password) }}"'
        )
    return client
