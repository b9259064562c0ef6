# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""One mirror description as a ``KafkaMirrorMaker2`` resource of Strimzi, AMQ Streams or IBM Event Streams.

Two shapes exist. *clusters* (``v1beta2``): ``connectCluster``, ``clusters[]``, ``mirrors[].sourceCluster``. *target*
(``v1``): ``target``, ``mirrors[].source``, no heartbeat connector. An API server that serves both drops the fields of
one shape when the object is written through the version of the other, for good; so the version follows the shape here
and is always named.

Source: Strimzi's ``api`` module, classes ``KafkaMirrorMaker2Spec`` and ``KafkaMirrorMaker2MirrorSpec``, 0.51.0 and 1.2.0.
"""

from __future__ import annotations

import re

from .._errors import RefusedError, UsageError
from .mirror_config import checked, connector_configs, source_offsets_topic
from .names import configs_topic, status_topic, workers_group

STRIMZI_GROUP = "kafka.strimzi.io"
EVENT_STREAMS_GROUP = "eventstreams.ibm.com"
SHAPES = {"v1": "target", "v1beta2": "clusters"}
API_VERSIONS = (STRIMZI_GROUP + "/v1", STRIMZI_GROUP + "/v1beta2", EVENT_STREAMS_GROUP + "/v1beta2")
STATES = ("running", "paused", "stopped")
CONNECTOR_FIELDS = {"source": "sourceConnector", "checkpoint": "checkpointConnector", "heartbeat": "heartbeatConnector"}
MECHANISMS = {"SCRAM-SHA-512": "scram-sha-512", "SCRAM-SHA-256": "scram-sha-256", "PLAIN": "plain"}
# A quantifier such as {1,3}: the only place where a comma in a pattern cannot be written in another way.
QUANTIFIER = re.compile(r"(?<!\\)\{\d*,\d*\}")


def mirror_resource(mirror, clients, secrets=None, api_version=STRIMZI_GROUP + "/v1", name=None, namespace=None, replicas=1, state="running", fields=None):
    """The resource, complete, as a dictionary.

    :param mirror: a mirror description (``kafka_dr_mirrors``).
    :param clients: ``{region: librdkafka keys without secrets}`` of the mirror's principal.
    :param secrets: ``{region: references}``: names of Secrets in the mirror's namespace, never values:
        ``ca{secret, pattern | certificate}``, ``password{secret, key}``, ``certificate{secret, certificate, key}``.
    :param api_version: group and version, one of :data:`API_VERSIONS`; it decides the shape.
    :param state: ``running``, ``paused`` or ``stopped`` for every connector; None leaves the field out (operators before 0.38).
    :param fields: anything else, merged over the result; ``spec.mirrors`` by position and ``spec.clusters`` by alias.
    :raises UsageError: the description, the version or a reference is not usable; nothing is rendered.
    """
    full = checked(mirror)
    group, shape = _group_and_shape(api_version)
    if state is not None and state not in STATES:
        raise UsageError("Mirror '%s' cannot be put into state '%s'" % (full["name"], state), expected=", ".join(STATES))
    sides = {region: _cluster(full, region, clients, secrets or {}, group) for region in (full["source"], full["target"])}
    configs = connector_configs(mirror)
    internal = _internal_names(full)
    flow = _connectors(configs, shape, state)
    flow.update({
        "topicsPattern": alternation(full["topics"], full["name"]),
        "topicsExcludePattern": alternation(full["topics_exclude"], full["name"]),
        "groupsPattern": alternation(full["groups"], full["name"]),
        "groupsExcludePattern": alternation(full["groups_exclude"], full["name"]),
    })
    target = sides[full["target"]]
    spec = {"replicas": replicas}
    if shape == "target":
        target.update(internal)
        target["config"] = {**target.get("config", {}), **configs["worker"]}
        spec["target"] = target
        spec["mirrors"] = [{"source": sides[full["source"]], **flow}]
    else:
        # The same names as in the other shape, so that a resource brought to v1 goes on where it was.
        target["config"] = {
            **target.get("config", {}), "group.id": internal["groupId"], "config.storage.topic": internal["configStorageTopic"],
            "offset.storage.topic": internal["offsetStorageTopic"], "status.storage.topic": internal["statusStorageTopic"], **configs["worker"],
        }
        spec["connectCluster"] = full["target"]
        spec["clusters"] = [sides[full["source"]], target]
        spec["mirrors"] = [{"sourceCluster": full["source"], "targetCluster": full["target"], **flow}]
    resource = {"apiVersion": api_version, "kind": "KafkaMirrorMaker2", "metadata": {"name": name or full["name"]}, "spec": spec}
    if namespace:
        resource["metadata"]["namespace"] = namespace
    resource = merged(resource, fields or {})
    if shape_of(resource) != shape or resource["apiVersion"] != api_version:
        raise UsageError("The extra fields of mirror '%s' do not fit %s" % (full["name"], api_version), expected="fields of the shape '%s'" % shape,
                         found=", ".join(sorted(resource["spec"])), remedy="Remove the fields of the other version, or name the other version")
    return resource


def _group_and_shape(api_version):
    if api_version not in API_VERSIONS:
        raise UsageError("KafkaMirrorMaker2 of %s is not known" % (api_version,), expected=" or ".join(API_VERSIONS))
    group, version = api_version.split("/")
    return group, SHAPES[version]


def _internal_names(full):
    """Those of dedicated mode (``MirrorMakerConfig.workerConfig``): one set of ACLs and one way to seed offsets for both platforms."""
    return {
        "groupId": workers_group(full["source"]),
        "configStorageTopic": configs_topic(full["source"]),
        "offsetStorageTopic": source_offsets_topic(full),
        "statusStorageTopic": status_topic(full["source"]),
    }


def _connectors(configs, shape, state):
    made = {}
    for side, field in CONNECTOR_FIELDS.items():
        if side == "heartbeat" and shape == "target":
            continue
        config = dict(configs[side])
        # Connect refuses a checkpoint connector that has nothing to do (MirrorCheckpointConfig.validate); dedicated mode does not ask.
        if side == "checkpoint" and {config.get("emit.checkpoints.enabled"), config.get("sync.group.offsets.enabled")} == {"false"}:
            continue
        connector = {}
        if "tasks.max" in config:
            # The operator owns the key and ignores it inside config.
            connector["tasksMax"] = int(config.pop("tasks.max"))
        if state is not None:
            connector["state"] = state
        connector["config"] = config
        made[field] = connector
    return made


def _cluster(full, region, clients, secrets, group):
    client = clients.get(region)
    if not client or not client.get("bootstrap.servers"):
        raise UsageError("Mirror '%s' has no Kafka client for region %s" % (full["name"], region), remedy="Set kafka_dr_client for it in the inventory")
    references = secrets.get(region) or {}
    made = {"alias": region, "bootstrapServers": client["bootstrap.servers"]}
    protocol = str(client.get("security.protocol") or "PLAINTEXT").upper()
    if protocol.endswith("SSL"):
        made["tls"] = _tls(references.get("ca"), group)
        if client.get("ssl.endpoint.identification.algorithm") == "none":
            made["config"] = {"ssl.endpoint.identification.algorithm": ""}
    if protocol.startswith("SASL"):
        made["authentication"] = _sasl(full["name"], region, client, references)
    elif references.get("certificate"):
        one = references["certificate"]
        made["authentication"] = {"type": "tls", "certificateAndKey": {
            "secretName": one["secret"], "certificate": one.get("certificate", "user.crt"), "key": one.get("key", "user.key")}}
    return made


def _tls(reference, group):
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


def _sasl(name, region, client, references):
    mechanism = str(client.get("sasl.mechanism") or client.get("sasl.mechanisms") or "").upper()
    if mechanism not in MECHANISMS:
        raise UsageError("Mirror '%s' cannot log in to region %s by '%s'" % (name, region, mechanism), expected=", ".join(sorted(MECHANISMS)),
                         remedy="For another mechanism give spec fields with authentication type custom")
    password = references.get("password")
    if not password or not client.get("sasl.username"):
        raise UsageError("Mirror '%s' has no user or no password Secret for region %s" % (name, region),
                         remedy="Set sasl.username, and name the Secret in the mirror's namespace that holds the password")
    return {"type": MECHANISMS[mechanism], "username": client["sasl.username"],
            "passwordSecret": {"secretName": password["secret"], "password": password.get("key", "password")}}


def alternation(patterns, name="unnamed"):
    """Several patterns as one that MirrorMaker 2 reads back as the same patterns.

    MirrorMaker 2 splits the value at every comma (``ConfigDef.Type.LIST``) before it compiles; a literal comma is
    therefore written as its code point.

    :raises UsageError: a pattern has a comma inside a quantifier, which no escape can save, or does not compile.
    """
    written = []
    for pattern in patterns:
        if QUANTIFIER.search(pattern):
            raise UsageError("Mirror '%s' has the pattern '%s'" % (name, pattern), expected="no comma inside a quantifier",
                             found="MirrorMaker 2 splits patterns at every comma", remedy="Write a{1,2} as aa?, and a{1,} as a+")
        pattern = pattern.replace("\\,", ",").replace(",", "\\x2c")
        try:
            re.compile(pattern)
        except re.error as error:
            raise UsageError("Mirror '%s' has the pattern '%s'" % (name, pattern), expected="a regular expression", found=str(error)) from error
        # An inline flag would otherwise reach into the patterns after it.
        written.append("(?:%s)" % pattern if "(?" in pattern else pattern)
    return "|".join(written)


def merged(base, over):
    """``over`` laid over ``base``: dictionaries key by key, ``mirrors`` by position, ``clusters`` by alias, all else replaced."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            result[key] = merged(old, value)
        elif key == "mirrors" and _are_dicts(old) and _are_dicts(value):
            result[key] = [merged(old[at] if at < len(old) else {}, value[at] if at < len(value) else {}) for at in range(max(len(old), len(value)))]
        elif key == "clusters" and _are_dicts(old) and _are_dicts(value):
            by_alias = {one.get("alias"): one for one in value}
            result[key] = [merged(one, by_alias.pop(one.get("alias"), {})) for one in old] + list(by_alias.values())
        else:
            result[key] = value
    return result


def _are_dicts(value):
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def shape_of(resource):
    """``clusters`` or ``target``, by the fields that are there; None where neither or both are."""
    spec = (resource or {}).get("spec") or {}
    mirrors = spec.get("mirrors") or []
    old_keys = {"sourceCluster", "targetCluster", "heartbeatConnector"}
    old = "connectCluster" in spec or "clusters" in spec or any(old_keys & set(one) for one in mirrors)
    new = "target" in spec or any("source" in one for one in mirrors)
    return None if old == new else ("clusters" if old else "target")


def reading_version(served):
    """The version to read an object with: the one whose schema shows both shapes (``v1beta2``) wherever it is served.

    :param served: version names, e.g. ``["v1", "v1beta2"]``.
    """
    for version in ("v1beta2", "v1"):
        if version in served:
            return version
    raise RefusedError("KafkaMirrorMaker2 is served in no version that is known", expected="v1 or v1beta2", found=", ".join(served) or "none",
                       remedy="Install the operator's custom resource definitions")


def writing_version(served, existing=None):
    """The version to write an object with so that nothing of it is dropped.

    :param existing: the object as read through :func:`reading_version`, or None where there is none yet.
    :raises RefusedError: the object has a shape that no served version holds, or mixes both.
    """
    reading_version(served)
    if existing is None:
        return "v1" if "v1" in served else "v1beta2"
    name = (existing.get("metadata") or {}).get("name")
    shape = shape_of(existing)
    if shape == "clusters":
        if "v1beta2" not in served:
            raise RefusedError("KafkaMirrorMaker2 '%s' has the shape of v1beta2" % name, expected="v1beta2 to be served", found=", ".join(served),
                               remedy="Convert the resource with the operator's conversion tool first")
        return "v1beta2"
    if shape == "target":
        return "v1" if "v1" in served else "v1beta2"
    raise RefusedError("KafkaMirrorMaker2 '%s' is of neither shape" % name, expected="spec.target, or spec.connectCluster and spec.clusters",
                       found=", ".join(sorted(existing.get("spec") or {})) or "nothing", remedy="Repair or delete the resource by hand")
