# SPDX-License-Identifier: GPL-3.0-or-later
"""One mirror description, turned into the configuration of MirrorMaker 2's three connectors.

The same dictionaries go into a properties file (:mod:`.properties`) and into a ``KafkaMirrorMaker2`` resource, so that
both platforms run the same mirror.
"""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .._values.safe import file_name, shown
from .._values.setting import setting

POLICIES = {
    "identity": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy",
    "default": "org.apache.kafka.connect.mirror.DefaultReplicationPolicy",
}

KNOWN_KEYS = {
    "name",
    "source",
    "target",
    "topics",
    "topics_exclude",
    "groups",
    "groups_exclude",
    "policy",
    "separator",
    "config",
    "exactly_once",
    "tuning",
    "managed_elsewhere",
    "positions_topic",
}
KNOWN_TUNING = {
    "tasks_max",
    "replication_factor",
    "refresh_seconds",
    "checkpoint_seconds",
    "heartbeat_seconds",
    "offset_lag_max",
    "flush_ms",
    "compression",
    "max_record_bytes",
}

# What a KafkaMirrorMaker2 resource calls its patterns.
PATTERN_FIELDS = ("topicsPattern", "topicsExcludePattern", "groupsPattern", "groupsExcludePattern")
# What MirrorMaker 2 excludes by itself, plus nothing of ours: the ledger and the witness begin with "__".
INTERNAL_TOPICS = [r"mm2.*\.internal", r".*\.checkpoints\.internal", r".*\.replica", r"__.*"]
TRANSIENT_GROUPS = ["console-consumer-.*", "connect-.*", "__.*", "streamsafe-kafka-dr-.*"]
# MirrorMaker 2 gives its tasks the names of groups as a list in a setting. There a comma makes other groups of one, and
# Connect puts what a file holds in the place of ${file:…}: the mirror's own passwords, for who may create a group. It
# takes spaces and characters below them from both ends, which makes another group of one, and ends all positions of a
# task whose list holds nothing else.
UNTOLD_GROUPS = [r"(?s:.*)[$,](?s:.*)", r"(?s:[\x00-\x20].*|.*[\x00-\x20])?"]


def checked(mirror: dict[str, Any]) -> dict[str, Any]:
    """The description with defaults filled in.

    :raises UsageError: a key is missing, unknown or contradictory; the message names it.
    """
    if not isinstance(mirror, dict):
        raise UsageError(
            "A mirror is not described",
            expected="a dictionary with name, source, target, topics",
            found=type(mirror).__name__,
        )
    _refuse_unknown_keys(mirror)
    _refuse_wrong_names(mirror)
    return {
        **mirror,
        "topics": as_list(mirror.get("topics")) or [".*"],
        "topics_exclude": _extended(INTERNAL_TOPICS, mirror.get("topics_exclude")),
        "groups": as_list(mirror.get("groups")) or [".*"],
        "groups_exclude": _extended(TRANSIENT_GROUPS, mirror.get("groups_exclude")),
        "policy": policy_name(mirror.get("policy")),
        "separator": mirror.get("separator") or ".",
        "exactly_once": bool(mirror.get("exactly_once", True)),
        "tuning": dict(mirror.get("tuning") or {}),
        "config": {
            side: dict((mirror.get("config") or {}).get(side) or {})
            for side in ("source", "checkpoint", "heartbeat", "worker")
        },
    }


def patterns_told(full: dict[str, Any]) -> dict[str, list[str]]:
    """What MirrorMaker 2 is told to copy, by its own settings. Positions of :data:`UNTOLD_GROUPS` are carried by the
    stages alone.

    :param full: of :func:`checked`.
    """
    return {
        "topics": full["topics"],
        "topics.exclude": full["topics_exclude"],
        "groups": full["groups"],
        "groups.exclude": UNTOLD_GROUPS + full["groups_exclude"],
    }


def _refuse_unknown_keys(mirror: dict[str, Any]) -> None:
    unknown = sorted(set(mirror) - KNOWN_KEYS) + sorted(
        "tuning." + key for key in set(mirror.get("tuning") or {}) - KNOWN_TUNING
    )
    if unknown:
        raise UsageError(
            f"Mirror '{mirror.get('name') or 'unnamed'}' has unknown keys",
            expected=f"only {', '.join(sorted(KNOWN_KEYS))}",
            found=", ".join(unknown),
            remedy="Connector settings belong under config.source, config.checkpoint or config.heartbeat",
        )


def _refuse_wrong_names(mirror: dict[str, Any]) -> None:
    name = mirror.get("name") or "unnamed"
    for key in ("name", "source", "target"):
        if not mirror.get(key):
            raise UsageError(f"Mirror {shown(name)} has no {key}", remedy="Give it in kafka_dr_mirrors")
        # They become parts of files, programs, topics and resources.
        file_name({"name": "a mirror"}.get(key, f"the {key} of mirror {shown(name)}"), mirror[key])
    if mirror["source"] == mirror["target"]:
        raise UsageError(
            f"Mirror '{name}' copies region '{mirror['source']}' into itself", remedy="Name two different regions"
        )


def _extended(patterns: list[str], further: Any) -> list[str]:
    return patterns + [pattern for pattern in as_list(further) if pattern not in patterns]


def as_list(value: Any) -> list[str]:
    """Patterns as a list, whether given as a list or as one comma-separated string, without the blanks around each that
    MirrorMaker 2 takes away.
    """
    parts = value.split(",") if isinstance(value, str) else value or []
    return [part for part in (str(part).strip() for part in parts) if part]


def policy_name(policy: str | None) -> str:
    """The short name of a policy that is given by it or by its class, ``identity`` where none is; another class as it
    is.
    """
    return next((name for name, java in POLICIES.items() if java == policy), policy or "identity")


def policy_class(policy: str) -> str:
    """The Java class of a policy given by its short name or by its class."""
    return POLICIES.get(policy, policy)


def offset_syncs_topic(mirror: dict[str, Any]) -> str:
    """Name of the offset-syncs topic on the target (KIP-716: named after the other side, the source)."""
    dot = mirror.get("separator") or "."
    return f"mm2-offset-syncs{dot}{mirror['source']}{dot}internal"


def checkpoints_topic(mirror: dict[str, Any]) -> str:
    """Name of the checkpoints topic on the target."""
    dot = mirror.get("separator") or "."
    return f"{mirror['source']}{dot}checkpoints{dot}internal"


def source_offsets_topic(mirror: dict[str, Any]) -> str:
    """Connect's offset topic of this mirror in dedicated mode, on the target."""
    return f"mm2-offsets.{mirror['source']}.internal"


# A connector does not stop before the call that it waits for is given up. The default, a minute, would delay a failover
# from a source that is lost.
PATIENCE = {"source.admin.request.timeout.ms": 15000, "source.admin.default.api.timeout.ms": 15000}


THROUGHPUT = {
    "consumer.isolation.level": "read_committed",
    "consumer.auto.offset.reset": "earliest",
    # At a low rate wait a little for more records, instead of fetching each by itself.
    "consumer.fetch.min.bytes": 262144,
    "consumer.fetch.max.wait.ms": 200,
    "consumer.max.poll.records": 5000,
    "consumer.max.partition.fetch.bytes": 4194304,
    "producer.override.batch.size": 524288,
    "producer.override.linger.ms": 20,
    "producer.override.acks": "all",
}


def _policy(full: dict[str, Any]) -> dict[str, Any]:
    return {
        "replication.policy.class": policy_class(full["policy"]),
        "replication.policy.separator": full["separator"],
        "offset-syncs.topic.location": "target",
    }


def _source(full: dict[str, Any]) -> dict[str, Any]:
    tuning = full["tuning"]
    source = {
        **_policy(full),
        **PATIENCE,
        # Measured on two cores: two tasks copy in two thirds of the time of one, four no faster than two.
        "tasks.max": tuning.get("tasks_max", 2),
        "refresh.topics.interval.seconds": tuning.get("refresh_seconds", 30),
        "sync.topic.acls.enabled": "false",
        "sync.topic.configs.enabled": "true",
        # MirrorMaker 2 copies the source's heartbeats whatever the patterns say, and a task that may not write the copy
        # ends. Rights follow from the patterns.
        "heartbeats.replication.enabled": "false",
        "offset.lag.max": tuning.get("offset_lag_max", 10),
        # Without it a header value is guessed at and rewritten.
        "header.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
        **THROUGHPUT,
    }
    if tuning.get("compression"):
        source["producer.override.compression.type"] = tuning["compression"]
    if tuning.get("max_record_bytes"):
        source["producer.override.max.request.size"] = tuning["max_record_bytes"]
        source["consumer.max.partition.fetch.bytes"] = max(int(tuning["max_record_bytes"]), 4194304)
    source.update(_delivery(full["exactly_once"]))
    if tuning.get("replication_factor"):
        source["replication.factor"] = tuning["replication_factor"]
        source["offset-syncs.topic.replication.factor"] = tuning["replication_factor"]
    return source


def _delivery(exactly_once: bool) -> dict[str, Any]:
    if exactly_once:
        # Connect's default, a transaction each poll, costs the target twice the time at full speed and a handful of
        # transactions a second at a low rate.
        return {"transaction.boundary": "interval", "transaction.boundary.interval.ms": 400}
    # Connect turns idempotence off; without it a retried batch lands twice.
    return {
        "producer.override.enable.idempotence": "true",
        "producer.override.max.in.flight.requests.per.connection": 5,
    }


def _checkpoint(full: dict[str, Any]) -> dict[str, Any]:
    tuning = full["tuning"]
    checkpoint = {
        **_policy(full),
        **PATIENCE,
        "refresh.groups.interval.seconds": tuning.get("checkpoint_seconds", 5),
        "emit.checkpoints.interval.seconds": tuning.get("checkpoint_seconds", 5),
        "sync.group.offsets.interval.seconds": tuning.get("checkpoint_seconds", 5),
        "sync.group.offsets.enabled": "true",
    }
    if tuning.get("replication_factor"):
        checkpoint["checkpoints.topic.replication.factor"] = tuning["replication_factor"]
    return checkpoint


def _heartbeat(full: dict[str, Any]) -> dict[str, Any]:
    tuning = full["tuning"]
    heartbeat = {
        **_policy(full),
        "emit.heartbeats.enabled": "true",
        "emit.heartbeats.interval.seconds": tuning.get("heartbeat_seconds", 1),
    }
    if tuning.get("replication_factor"):
        heartbeat["heartbeats.topic.replication.factor"] = tuning["replication_factor"]
    return heartbeat


def _worker(full: dict[str, Any]) -> dict[str, Any]:
    tuning = full["tuning"]
    worker: dict[str, Any] = {"offset.flush.interval.ms": tuning.get("flush_ms", 5000)}
    if full["exactly_once"]:
        worker["exactly.once.source.support"] = "enabled"
    if tuning.get("replication_factor"):
        for store in ("config", "offset", "status"):
            worker[f"{store}.storage.replication.factor"] = tuning["replication_factor"]
    return worker


def connector_configs(mirror: dict[str, Any]) -> dict[str, dict[str, str]]:
    """``{"source": {...}, "checkpoint": {...}, "heartbeat": {...}, "worker": {...}}``, all values strings.

    Safe settings first, then the description's own ``config``, which always wins.
    """
    full = checked(mirror)
    configs = {
        "source": _source(full),
        "checkpoint": _checkpoint(full),
        "heartbeat": _heartbeat(full),
        "worker": _worker(full),
    }
    for side, settings in configs.items():
        settings.update(full["config"][side])
        configs[side] = {key: setting(value) for key, value in settings.items()}
    if configs["source"].get("emit.offset-syncs.enabled") == "false":
        # MirrorMaker 2 refuses a connector that is told where to put what it is told not to write.
        configs = {
            side: {key: value for key, value in settings.items() if not key.startswith("offset-syncs.")}
            for side, settings in configs.items()
        }
    return configs
