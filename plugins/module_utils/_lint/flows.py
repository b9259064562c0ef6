# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror's settings in one form, whatever they were written in.

Four forms are read: a properties file of a dedicated MirrorMaker 2, a ``KafkaMirrorMaker2`` resource of either shape,
connectors for the REST interface of Kafka Connect, and this collection's own mirror description.

What counts where in a properties file follows ``MirrorMakerConfig`` (``connectorBaseConfig``, ``workerConfig``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._errors import UsageError
from .._mm2.mirror_config import KNOWN_KEYS, connector_configs
from .._mm2.properties import mirror_properties, parse_properties

SIDES = ("source", "checkpoint", "heartbeat")
CONNECTOR_CLASSES = {
    "org.apache.kafka.connect.mirror.MirrorSourceConnector": "source",
    "org.apache.kafka.connect.mirror.MirrorCheckpointConnector": "checkpoint",
    "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector": "heartbeat",
}
PATTERN_KEYS = ("topics", "topics.exclude", "groups", "groups.exclude")
# The only settings that a dedicated MirrorMaker 2 takes for the worker from lines without a prefix.
WORKER_TOP_LEVEL = (
    "offset.storage",
    "config.storage",
    "status.storage",
    "key.converter",
    "value.converter",
    "header.converter",
    "task",
    "worker",
)
FLOW = re.compile(r"^(.+?)->([^.]+)\.(.+)$")


class Flow:
    """One direction of copying.

    :ivar kind: ``properties``, ``resource``, ``connect``.
    :ivar settings: ``{side: {key: text}}``, effective for each connector; a side that does not run is missing.
    :ivar worker: settings of the Connect worker that are known.
    :ivar clusters: ``{alias: settings}`` of the two sides.
    """

    def __init__(
        self,
        kind: str,
        source: str,
        target: str,
        settings: Mapping[str, Mapping[str, Any] | None],
        worker: dict[str, Any],
        clusters: dict[str, dict[str, Any]],
        prefix: str = "",
        raw: Any = None,
    ) -> None:
        self.kind, self.source, self.target = kind, source, target
        self.name = f"{source}->{target}"
        self.settings = {
            side: {key: as_text(value) for key, value in values.items()}
            for side, values in settings.items()
            if values is not None
        }
        self.worker = {key: as_text(value) for key, value in worker.items()}
        self.clusters = clusters
        self.prefix = prefix
        self.raw = raw or {}

    def get(self, side: str, *keys: str, default: Any = None) -> Any:
        """The first of these keys that the connector has."""
        for key in keys:
            if key in self.settings.get(side, {}):
                return self.settings[side][key]
        return default

    def where(self, side: str, key: str) -> str:
        """How a person finds the setting again."""
        if self.kind == "properties":
            for name in (f"{self.name}.{key}", key):
                if name in self.raw:
                    return name
            return f"{self.name}.{key}"
        return "%s%s.%s" % (self.prefix, {"resource": f"{side}Connector.config", "connect": side}[self.kind], key)


def as_text(value: Any) -> str:
    """A setting as Kafka reads it."""
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value).strip()


def read(subject: Any) -> tuple[str, list[Flow], Any]:
    """``(kind, [Flow], the subject as dictionary)``.

    :param subject: text of a properties file, a dictionary of properties, a resource, a connector or a list of
        connectors, or a mirror description.
    :raises UsageError: it is none of these.
    """
    if isinstance(subject, str):
        subject = parse_properties(subject)
    if isinstance(subject, list):
        # A connector in the form of the REST interface has a name and a config too.
        if subject and all(
            isinstance(description, dict)
            and KNOWN_KEYS >= set(description)
            and "connector.class" not in (description.get("config") or {})
            for description in subject
        ):
            return _description(subject)
        return "connect", _connect(subject), subject
    if not isinstance(subject, dict):
        raise UsageError(
            "There is nothing to lint",
            expected="properties, a KafkaMirrorMaker2 resource, connectors or a mirror description",
            found=type(subject).__name__,
        )
    if subject.get("kind") == "KafkaMirrorMaker2" or "spec" in subject:
        return "resource", _resource(subject), subject
    if "connector.class" in subject or "connector.class" in (subject.get("config") or {}):
        return "connect", _connect([subject]), subject
    if "source" in subject and "target" in subject and KNOWN_KEYS >= set(subject):
        return _description([subject])
    if "clusters" in subject or any("->" in key for key in subject):
        return "properties", _properties(subject), subject
    raise UsageError(
        "This is no configuration of a mirror",
        expected="the key clusters, a flow such as a->b.enabled, spec, or connector.class",
        found=", ".join(sorted(subject)[:8]) or "nothing",
    )


def _description(mirrors: list[dict[str, Any]]) -> tuple[str, list[Flow], Any]:
    regions = {
        region: {"bootstrap.servers": "not-looked-at:9092"}
        for mirror in mirrors
        for region in (mirror.get("source"), mirror.get("target"))
        if region
    }
    for mirror in mirrors:
        connector_configs(mirror)  # raises with the mirror's name
    properties = mirror_properties(mirrors, regions, "/secrets", rest_port=8083)
    return "properties", _properties(properties), properties


def _properties(raw: dict[str, Any]) -> list[Flow]:
    aliases = [alias.strip() for alias in as_text(raw.get("clusters")).split(",") if alias.strip()]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for key, value in raw.items():
        match = FLOW.match(str(key))
        if match:
            found.setdefault((match.group(1), match.group(2)), {})[match.group(3)] = value
    flows = []
    for (source, target), own in found.items():
        if as_text(own.get("enabled", "false")).lower() != "true":
            continue
        base = {
            key: value
            for key, value in raw.items()
            if "->" not in key and not any(key.startswith(alias + ".") for alias in aliases)
        }
        clusters = {alias: _below(raw, alias) for alias in (source, target)}
        base.update({"source." + key: value for key, value in clusters[source].items()})
        base.update({"target." + key: value for key, value in clusters[target].items()})
        settings = {**{key: value for key, value in base.items() if not _client_key(key)}, **own}
        worker = {key: value for key, value in raw.items() if key.startswith(WORKER_TOP_LEVEL)}
        worker.update(clusters[target])
        beats = as_text(own.get("emit.heartbeats.enabled", raw.get("emit.heartbeats.enabled", "true"))) != "false"
        flows.append(
            Flow(
                "properties",
                source,
                target,
                {"source": settings, "checkpoint": settings, "heartbeat": settings if beats else None},
                worker,
                clusters,
                raw=raw,
            )
        )
    return flows


def _client_key(key: str) -> bool:
    """Client settings without a cluster's or flow's prefix reach nobody."""
    return key.startswith(("consumer.", "producer.", "admin."))


def _below(raw: dict[str, Any], alias: str) -> dict[str, Any]:
    return {key[len(alias) + 1 :]: value for key, value in raw.items() if key.startswith(alias + ".")}


def _resource(resource: dict[str, Any]) -> list[Flow]:
    spec = resource.get("spec") or {}
    by_alias: dict[Any, Any] = {cluster.get("alias"): cluster for cluster in spec.get("clusters") or []}
    flows = []
    for at, mirror in enumerate(spec.get("mirrors") or []):
        source: Any = (
            mirror.get("source") or by_alias.get(mirror.get("sourceCluster")) or {"alias": mirror.get("sourceCluster")}
        )
        target: Any = (
            spec.get("target") or by_alias.get(mirror.get("targetCluster")) or {"alias": mirror.get("targetCluster")}
        )
        settings = {}
        for side in SIDES:
            connector = mirror.get(side + "Connector")
            if connector is not None:
                settings[side] = dict((connector or {}).get("config") or {})
                settings[side].update({"source." + key: value for key, value in (source.get("config") or {}).items()})
                if connector.get("tasksMax") is not None:
                    settings[side]["tasksMax"] = connector["tasksMax"]
                for key, field in zip(
                    PATTERN_KEYS,
                    ("topicsPattern", "topicsExcludePattern", "groupsPattern", "groupsExcludePattern"),
                    strict=True,
                ):
                    if mirror.get(field) is not None:
                        settings[side].setdefault(key, mirror[field])
        clusters = {cluster.get("alias"): _resource_cluster(cluster) for cluster in (source, target)}
        flows.append(
            Flow(
                "resource",
                source.get("alias"),
                target.get("alias"),
                settings,
                dict(target.get("config") or {}),
                clusters,
                prefix=f"spec.mirrors[{at}].",
                raw=resource,
            )
        )
    return flows


def _resource_cluster(cluster: dict[str, Any]) -> dict[str, Any]:
    return {
        **(cluster.get("config") or {}),
        **({"bootstrap.servers": cluster["bootstrapServers"]} if cluster.get("bootstrapServers") else {}),
    }


def _connect(connectors: list[dict[str, Any]]) -> list[Flow]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for connector in connectors:
        config: Any = (
            connector.get("config")
            if isinstance(connector, dict) and isinstance(connector.get("config"), dict)
            else connector
        )
        side = CONNECTOR_CLASSES.get(str(config.get("connector.class"))) if isinstance(config, dict) else None
        if side:
            flow = (config.get("source.cluster.alias", "source"), config.get("target.cluster.alias", "target"))
            found.setdefault(flow, {})[side] = config
    if not found:
        raise UsageError("None of these connectors is MirrorMaker 2's", expected=", ".join(sorted(CONNECTOR_CLASSES)))
    flows = []
    for (source, target), settings in found.items():
        some = next(iter(settings.values()))
        clusters = {source: _below(some, "source.cluster"), target: _below(some, "target.cluster")}
        flows.append(Flow("connect", source, target, settings, {}, clusters, raw={"connectors": connectors}))
    return flows
