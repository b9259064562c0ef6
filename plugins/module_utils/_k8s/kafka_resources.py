# SPDX-License-Identifier: GPL-3.0-or-later
"""Strimzi's ``KafkaUser``, ``KafkaTopic`` and ``Kafka``, and the Kafka client that a ``Kafka`` resource describes.
Pure.

Source: Strimzi's ``api`` module 0.51.0 and 1.2.0: ``KafkaUserSpec``, ``AclRule``, ``KafkaTopicSpec``,
``CertificateAuthority``, ``ListenerStatus``.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Sequence
from typing import Any

from .._errors import UsageError
from .._inventory.authentication import NONE, SCRAM
from .._values.setting import setting

GROUP = "kafka.strimzi.io"
CLUSTER_LABEL = "strimzi.io/cluster"
PAUSE = "strimzi.io/pause-reconciliation"
ACL_TYPES = {"topic": "topic", "group": "group", "cluster": "cluster", "transactional_id": "transactionalId"}
AUTHORITIES = ("cluster-ca-cert", "cluster-ca", "clients-ca-cert", "clients-ca")


def kafka_user(
    user: dict[str, Any],
    acls: list[dict[str, Any]],
    cluster: str,
    namespace: str,
    api_version: str = GROUP + "/v1",
    password_secret: dict[str, str] | None = None,
    authorization: str = "simple",
) -> dict[str, Any]:
    """A ``KafkaUser``.

    :param user: ``{name, authentication}``; ``scram-sha-512`` where it is not given, else ``tls``, ``tls-external``, or
        ``none`` where something else says who it is.
    :param acls: as the module ``acls`` takes them; those of other principals are left out.
    :param cluster: name of the ``Kafka`` resource.
    :param password_secret: ``{secret, key}`` in the same namespace that holds the password; None lets the operator make
        one.
    :param authorization: ``simple``, or None for a cluster without authorization.
    """
    kind = user.get("authentication") or SCRAM
    authentication: dict[str, Any] = {} if kind == NONE else {"type": kind}
    if password_secret and kind == SCRAM:
        authentication["password"] = {
            "valueFrom": {
                "secretKeyRef": {"name": password_secret["secret"], "key": password_secret.get("key", "password")}
            }
        }
    spec: dict[str, Any] = {"authentication": authentication} if authentication else {}
    if authorization:
        mine = acls_of(user["name"], acls)
        spec["authorization"] = {"type": authorization, "acls": [acl_rule(acl) for acl in mine]}
    return _resource("KafkaUser", user["name"], spec, cluster, namespace, api_version)


def acls_of(name: str, acls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ACLs of a ``KafkaUser``; one with a certificate is called by its subject, ``CN=<name>``."""
    return [acl for acl in acls if str(acl["principal"]).removeprefix("User:").removeprefix("CN=") == name]


def acl_rule(acl: dict[str, Any]) -> dict[str, Any]:
    """One rule of a ``KafkaUser`` from one ACL of ours."""
    kind = ACL_TYPES.get(str(acl.get("resource") or "").lower())
    if not kind:
        raise UsageError(
            f"An ACL for {acl.get('principal')} is not complete",
            expected=f"resource ({', '.join(ACL_TYPES)})",
            found=str(acl.get("resource")),
        )
    resource = {"type": kind}
    if kind != "cluster":
        resource["name"] = acl["name"]
        resource["patternType"] = (
            "prefix" if str(acl.get("pattern") or "literal").lower().startswith("prefix") else "literal"
        )
    return {
        "type": str(acl.get("permission") or "allow").lower(),
        "resource": resource,
        "host": acl.get("host") or "*",
        "operations": [
            "".join(word.capitalize() for word in str(operation).split("_")) for operation in acl["operations"]
        ],
    }


def kafka_topic(
    topic: dict[str, Any], cluster: str, namespace: str, api_version: str = GROUP + "/v1"
) -> dict[str, Any]:
    """A ``KafkaTopic`` from ``{name, partitions, replication_factor, configs}``; names that Kubernetes refuses go into
    ``topicName``.
    """
    name = topic["name"]
    spec: dict[str, Any] = {"topicName": name, "partitions": int(topic["partitions"])}
    if topic.get("replication_factor"):
        spec["replicas"] = int(topic["replication_factor"])
    if topic.get("configs"):
        spec["config"] = {key: setting(value) for key, value in topic["configs"].items()}
    safe = re.sub(r"[^a-z0-9.-]", "-", name.lower()).strip("-.") or "topic"
    if safe != name or len(safe) > 200:
        # Two topics may differ in nothing but what had to go.
        safe = f"{safe[:200].rstrip('-.')}-{hashlib.sha256(name.encode('utf-8')).hexdigest()[:10]}"
    return _resource("KafkaTopic", safe, spec, cluster, namespace, api_version)


def _resource(
    kind: str, name: str, spec: dict[str, Any], cluster: str, namespace: str, api_version: str
) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "labels": {CLUSTER_LABEL: cluster}},
        "spec": spec,
    }


def with_own_authorities(kafka: dict[str, Any], paused: bool = True) -> dict[str, Any]:
    """A ``Kafka`` resource that takes its CAs from the Secrets that are put first, and waits for them.

    :param kafka: the resource; one of another kind stays as it is.
    :param paused: whether the operator is to leave it alone until the annotation is taken away.
    """
    if kafka.get("kind", "Kafka") != "Kafka":
        return kafka
    changed = copy.deepcopy(kafka)
    for field in ("clusterCa", "clientsCa"):
        changed["spec"][field] = {**(changed["spec"].get(field) or {}), "generateCertificateAuthority": False}
    annotations = changed["metadata"].setdefault("annotations", {})
    if paused:
        annotations[PAUSE] = "true"
    else:
        annotations.pop(PAUSE, None)
    return changed


def hidden_in_v1(resources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of the resources, read through ``v1``, that somebody wrote through ``v1beta2``: fields that only this one
    knows are hidden, and kept in them.

    Only Kafka and KafkaNodePool have such fields. Needs ``metadata.managedFields``.
    """
    return [
        resource
        for resource in resources
        if resource["kind"] in ("Kafka", "KafkaNodePool")
        and resource["apiVersion"].endswith("/v1")
        and any(
            entry.get("apiVersion", "").endswith("/v1beta2") and not entry.get("subresource")
            for entry in resource["metadata"].get("managedFields") or []
        )
    ]


def shown_whole(resources: list[dict[str, Any]], older: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The resources, each that is hidden in part as the older version shows it.

    :param older: Kafka and KafkaNodePool resources read through ``v1beta2``.
    """
    wide = {(resource["kind"], resource["metadata"]["name"]): resource for resource in older}
    hidden = {(resource["kind"], resource["metadata"]["name"]) for resource in hidden_in_v1(resources)}
    return [
        wide.get((resource["kind"], resource["metadata"]["name"]), resource)
        if (resource["kind"], resource["metadata"]["name"]) in hidden
        else resource
        for resource in resources
    ]


def served_resources(resources: list[dict[str, Any]], served: list[str]) -> list[dict[str, Any]]:
    """Resources of an operator in a version that is served, for those that were kept where another one was.

    ``v1`` took fields away from Kafka and KafkaNodePool, and none from the other kinds: where both are served, these
    keep theirs.

    :param resources: as kept. :param served: versions that are served; nothing is changed where that is not known.
    """
    newest = next((known for known in ("v1", "v1beta2") if known in served), None)
    rewritten = []
    for resource in resources:
        group, dummy, version = resource["apiVersion"].rpartition("/")
        stays = version in served and resource["kind"] in ("Kafka", "KafkaNodePool", "EventStreams")
        rewritten.append(resource if newest is None or stays else {**resource, "apiVersion": f"{group}/{newest}"})
    return rewritten


def to_apply(bodies: list[dict[str, Any]], existing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those bodies that a merge patch would change something by; lists are compared whole, as such a patch replaces
    them.

    :param bodies: all of one kind and namespace. :param existing: objects as read.
    """
    by_name = {resource["metadata"]["name"]: resource for resource in existing}
    return [
        body
        for body in bodies
        if not all(
            _holds(by_name.get(body["metadata"]["name"], {}).get(part), body[part])
            for part in body
            if part not in ("apiVersion", "kind")
        )
    ]


def _holds(have: object, wanted: object) -> bool:
    if isinstance(wanted, dict):
        return isinstance(have, dict) and all(_holds(have.get(key), value) for key, value in wanted.items())
    return have == wanted


def waiting_for(resources: Sequence[dict[str, Any] | None]) -> list[str]:
    """What keeps Strimzi's resources from being Ready, one sentence each; empty when all are, as of their latest
    generation.

    :param resources: objects as read; None stands for one that is not there.
    """
    waiting = []
    for resource in resources:
        if resource is None:
            waiting.append("a resource that is not there yet")
            continue
        meta, status = resource["metadata"], resource.get("status") or {}
        label = f"{resource.get('kind')} '{meta['name']}'"
        conditions = {condition.get("type"): condition for condition in status.get("conditions") or []}
        trouble = conditions.get("NotReady") or conditions.get("Ready") or {}
        words = ": ".join(str(trouble[key]) for key in ("reason", "message") if trouble.get(key))
        if (meta.get("annotations") or {}).get(PAUSE) == "true":
            waiting.append(f"{label} to be reconciled again (annotation {PAUSE})")
        elif status.get("observedGeneration", 0) < meta.get("generation", 0):
            waiting.append(f"the operator to take up generation {meta.get('generation')} of {label}")
        elif (conditions.get("Ready") or {}).get("status") != "True":
            waiting.append(f"{label} to be Ready{f' ({words})' if words else ''}")
    return waiting
