# SPDX-License-Identifier: GPL-3.0-or-later
"""One mirror description as a ``KafkaMirrorMaker2`` resource of Strimzi, AMQ Streams or IBM Event Streams.

Two shapes exist. *clusters* (``v1beta2``): ``connectCluster``, ``clusters[]``, ``mirrors[].sourceCluster``. *target*
(``v1``): ``target``, ``mirrors[].source``, no heartbeat connector. An API server that serves both drops the fields of
one shape when the object is written through the version of the other, for good; so the version follows the shape here
and is always named.

Source: Strimzi's ``api`` module, classes ``KafkaMirrorMaker2Spec`` and ``KafkaMirrorMaker2MirrorSpec``, 0.51.0 and
1.2.0.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from .._errors import UsageError
from .._mm2.mirror_config import PATTERN_FIELDS, checked, connector_configs, patterns_told, source_offsets_topic
from .._mm2.names import configs_topic, status_topic, workers_group
from .._mm2.properties import pattern_text
from .._values.security import mechanism_of
from .mirror_versions import API_VERSIONS, SHAPES, STRIMZI_GROUP, shape_of

STATES = ("running", "paused", "stopped")
CONNECTOR_FIELDS = {"source": "sourceConnector", "checkpoint": "checkpointConnector", "heartbeat": "heartbeatConnector"}
MECHANISMS = {"SCRAM-SHA-512": "scram-sha-512", "SCRAM-SHA-256": "scram-sha-256", "PLAIN": "plain"}


def mirror_resource(
    mirror: dict[str, Any],
    clients: dict[str, dict[str, str]],
    secrets: dict[str, Any] | None = None,
    api_version: str = STRIMZI_GROUP + "/v1",
    name: str | None = None,
    namespace: str | None = None,
    replicas: int = 1,
    state: str | None = "running",
    fields: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The resource, complete, as a dictionary.

    :param mirror: a mirror description (``kafka_dr_mirrors``).
    :param clients: ``{region: librdkafka keys without secrets}`` of the mirror's principal.
    :param secrets: ``{region: references}``: names of Secrets in the mirror's namespace, never values:
        ``ca{secret, pattern | certificate}``, ``password{secret, key}``, ``certificate{secret, certificate, key}``.
    :param api_version: group and version, one of :data:`API_VERSIONS`; it decides the shape.
    :param state: ``running``, ``paused`` or ``stopped`` for every connector; None leaves the field out (operators
        before 0.38).
    :param fields: anything else, merged over the result; ``spec.mirrors`` by position and ``spec.clusters`` by alias.
    :raises UsageError: the description, the version or a reference is not usable; nothing is rendered.
    """
    full = checked(mirror)
    group, shape = _group_and_shape(api_version)
    if state is not None and state not in STATES:
        raise UsageError(f"Mirror '{full['name']}' cannot be put into state '{state}'", expected=", ".join(STATES))
    regions = (full["source"], full["target"])
    sides = {region: _cluster(full, region, clients, secrets or {}, group) for region in regions}
    resource: dict[str, Any] = {
        "apiVersion": api_version,
        "kind": "KafkaMirrorMaker2",
        "metadata": {"name": name or full["name"]},
        "spec": {"replicas": replicas, **_spec(mirror, sides, shape, state)},
    }
    if namespace:
        resource["metadata"]["namespace"] = namespace
    resource = merged(resource, _without_patterns(fields or {}, full["name"]))
    _refuse_other_version(resource, full["name"], api_version)
    return resource


def _without_patterns(fields: dict[str, Any], mirror: str) -> dict[str, Any]:
    """The same fields. The stages know which topics and groups are copied from the description alone."""
    flows = (fields.get("spec") or {}).get("mirrors")
    given = {key for flow in (flows if _are_dicts(flows) else []) for key in PATTERN_FIELDS if key in flow}
    if given:
        raise UsageError(
            f"The extra fields of mirror '{mirror}' choose topics or groups",
            expected="none of these",
            found=", ".join(sorted(given)),
            remedy="Give topics, topics_exclude, groups or groups_exclude of the mirror",
        )
    return fields


def _refuse_other_version(resource: dict[str, Any], mirror: str, api_version: str) -> None:
    """The merged fields have to leave the resource in the version and shape that were asked for."""
    dummy, shape = _group_and_shape(api_version)
    if shape_of(resource) != shape or resource["apiVersion"] != api_version:
        raise UsageError(
            f"The extra fields of mirror '{mirror}' do not fit {api_version}",
            expected=f"fields of the shape '{shape}'",
            found=", ".join(sorted(resource["spec"])),
            remedy="Remove the fields of the other version, or name the other version",
        )


def _spec(mirror: dict[str, Any], sides: dict[str, dict[str, Any]], shape: str, state: str | None) -> dict[str, Any]:
    full = checked(mirror)
    configs, patterns = connector_configs(mirror), patterns_told(full)
    internal = _internal_names(full)
    flow: dict[str, Any] = _connectors(configs, shape, state)
    flow.update(
        {
            "topicsPattern": alternation(patterns["topics"], full["name"]),
            "topicsExcludePattern": alternation(patterns["topics.exclude"], full["name"]),
            "groupsPattern": alternation(patterns["groups"], full["name"]),
            "groupsExcludePattern": alternation(patterns["groups.exclude"], full["name"]),
        }
    )
    target = sides[full["target"]]
    spec: dict[str, Any] = {}
    if shape == "target":
        target.update(internal)
        target["config"] = {**target.get("config", {}), **configs["worker"]}
        spec["target"] = target
        spec["mirrors"] = [{"source": sides[full["source"]], **flow}]
    else:
        # The same names as in the other shape, so that a resource brought to v1 goes on where it was.
        target["config"] = {
            **target.get("config", {}),
            "group.id": internal["groupId"],
            "config.storage.topic": internal["configStorageTopic"],
            "offset.storage.topic": internal["offsetStorageTopic"],
            "status.storage.topic": internal["statusStorageTopic"],
            **configs["worker"],
        }
        spec["connectCluster"] = full["target"]
        spec["clusters"] = [sides[full["source"]], target]
        spec["mirrors"] = [{"sourceCluster": full["source"], "targetCluster": full["target"], **flow}]
    return spec


def _group_and_shape(api_version: str) -> tuple[str, str]:
    if api_version not in API_VERSIONS:
        raise UsageError(f"KafkaMirrorMaker2 of {api_version} is not known", expected=" or ".join(API_VERSIONS))
    group, version = api_version.split("/")
    return group, SHAPES[version]


def _internal_names(full: dict[str, Any]) -> dict[str, str]:
    """Those of dedicated mode (``MirrorMakerConfig.workerConfig``): one set of ACLs and one way to seed offsets for
    both platforms.
    """
    return {
        "groupId": workers_group(full["source"]),
        "configStorageTopic": configs_topic(full["source"]),
        "offsetStorageTopic": source_offsets_topic(full),
        "statusStorageTopic": status_topic(full["source"]),
    }


def _connectors(configs: dict[str, dict[str, str]], shape: str, state: str | None) -> dict[str, dict[str, Any]]:
    connectors = {}
    for side, field in CONNECTOR_FIELDS.items():
        if side == "heartbeat" and shape == "target":
            continue
        config = dict(configs[side])
        # Connect refuses a checkpoint connector that has nothing to do (MirrorCheckpointConfig.validate); dedicated
        # mode does not ask.
        if side == "checkpoint" and {
            config.get("emit.checkpoints.enabled"),
            config.get("sync.group.offsets.enabled"),
        } == {"false"}:
            continue
        connector: dict[str, Any] = {}
        if "tasks.max" in config:
            # The operator owns the key and ignores it inside config.
            connector["tasksMax"] = int(config.pop("tasks.max"))
        if state is not None:
            connector["state"] = state
        connector["config"] = config
        connectors[field] = connector
    return connectors


def _cluster(
    full: dict[str, Any], region: str, clients: dict[str, dict[str, str]], secrets: dict[str, Any], group: str
) -> dict[str, Any]:
    client = clients.get(region)
    if not client or not client.get("bootstrap.servers"):
        raise UsageError(
            f"Mirror '{full['name']}' has no Kafka client for region {region}",
            remedy="Set kafka_dr_client for it in the inventory",
        )
    references = secrets.get(region) or {}
    cluster: dict[str, Any] = {"alias": region, "bootstrapServers": client["bootstrap.servers"]}
    protocol = str(client.get("security.protocol") or "PLAINTEXT").upper()
    if protocol.endswith("SSL"):
        cluster["tls"] = _tls(references.get("ca"), group)
        if client.get("ssl.endpoint.identification.algorithm") == "none":
            cluster["config"] = {"ssl.endpoint.identification.algorithm": ""}
    if protocol.startswith("SASL"):
        cluster["authentication"] = _sasl(full["name"], region, client, references)
    elif references.get("certificate"):
        certificate = references["certificate"]
        cluster["authentication"] = {
            "type": "tls",
            "certificateAndKey": {
                "secretName": certificate["secret"],
                "certificate": certificate.get("certificate", "user.crt"),
                "key": certificate.get("key", "user.key"),
            },
        }
    return cluster


def _tls(reference: dict[str, str] | None, group: str) -> dict[str, list[dict[str, Any]]]:
    if not reference:
        return {"trustedCertificates": []}
    trusted = {"secretName": reference["secret"]}
    if reference.get("certificate"):
        trusted["certificate"] = reference["certificate"]
    elif reference.get("pattern") or group == STRIMZI_GROUP:
        # A pattern also trusts the old certificate while a CA is being renewed.
        trusted["pattern"] = reference.get("pattern") or "*.crt"
    else:
        trusted["certificate"] = "ca.crt"
    return {"trustedCertificates": [trusted]}


def _sasl(name: str, region: str, client: dict[str, str], references: dict[str, dict[str, str]]) -> dict[str, Any]:
    mechanism = mechanism_of(client)
    if mechanism not in MECHANISMS:
        raise UsageError(
            f"Mirror '{name}' cannot log in to region {region} by '{mechanism}'",
            expected=", ".join(sorted(MECHANISMS)),
            remedy="For another mechanism give spec fields with authentication type custom",
        )
    password = references.get("password")
    if not password or not client.get("sasl.username"):
        raise UsageError(
            f"Mirror '{name}' has no user or no password Secret for region {region}",
            remedy="Set sasl.username, and name the Secret in the mirror's namespace that holds the password",
        )
    return {
        "type": MECHANISMS[mechanism],
        "username": client["sasl.username"],
        "passwordSecret": {"secretName": password["secret"], "password": password.get("key", "password")},
    }


def alternation(patterns: list[str], name: str = "unnamed") -> str:
    """Several patterns as one that MirrorMaker 2 reads back as the same patterns.

    MirrorMaker 2 splits the value at every comma (``ConfigDef.Type.LIST``) before it compiles; a literal comma is
    therefore written as its code point.

    :raises UsageError: a pattern has a comma inside a quantifier, which no escape can save, or does not compile.
    """
    return "|".join(pattern_text(pattern, name) for pattern in patterns)


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """``over`` laid over ``base``: dictionaries key by key, ``mirrors`` by position, ``clusters`` by alias, all else
    replaced.
    """
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            result[key] = merged(old, value)
        elif key == "mirrors" and _are_dicts(old) and _are_dicts(value):
            result[key] = [
                merged(old[at] if at < len(old) else {}, value[at] if at < len(value) else {})
                for at in range(max(len(old), len(value)))
            ]
        elif key == "clusters" and _are_dicts(old) and _are_dicts(value):
            by_alias = {cluster.get("alias"): cluster for cluster in value}
            result[key] = [merged(cluster, by_alias.pop(cluster.get("alias"), {})) for cluster in old]
            result[key] += by_alias.values()
        else:
            result[key] = value
    return result


def _are_dicts(value: object) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
