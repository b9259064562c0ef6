# SPDX-License-Identifier: GPL-3.0-or-later
"""A region on Kubernetes as the inventory describes it, and what in the cluster would undo a stop. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .._errors import UsageError
from .._inventory.places import CONNECTION_KEYS, connection_of
from .._values.safe import shown
from .._values.security import mechanism_of

KNOWN_KEYS = CONNECTION_KEYS + (
    "namespace",
    "cluster",
    "listener",
    "group",
    "stop_by",
    "mirror_bootstrap",
    "authorization",
    "mirror_fields",
    "authorities_from",
    "witness_image",
    "backup",
)
SIZE = "kafka-dr.streamsafe/replicas"
# Marks of tools that put an object back to what their repository says, the mark that makes each leave it alone, and how
# it is told to.
OWNERS = (
    (
        "Argo CD",
        ("argocd.argoproj.io/instance", "argocd.argoproj.io/tracking-id"),
        None,
        "suspend automated sync of its Application (spec.syncPolicy.automated)",
    ),
    (
        "Flux",
        ("kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"),
        ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
        "suspend it (flux suspend kustomization, or helmrelease)",
    ),
)


def kubernetes_region(region: dict[str, Any], name: str) -> dict[str, Any]:
    """``kafka_dr_kubernetes`` of a region with defaults filled in.

    :param region: the region's variables.
    :returns: ``connection`` (for ``kubernetes.core`` and ``secret_copy``), ``namespace``, ``cluster``, ``listener``,
        ``group``, ``stop_by``, ``prefix`` (what copies of its Secrets elsewhere begin with), ``mirror_bootstrap``,
        ``authorization``, ``mirror_fields``, ``authorities_from``, ``witness_image``, ``backup``.
    :raises UsageError: a key is missing or unknown.
    """
    described = region.get("kafka_dr_kubernetes") or {}
    unknown = sorted(set(described) - set(KNOWN_KEYS))
    missing = [key for key in ("namespace", "cluster") if not described.get(key)]
    if unknown or missing:
        raise UsageError(
            f"Region '{name}' is incomplete or invalid in kafka_dr_kubernetes",
            expected=f"namespace, cluster, and of {', '.join(KNOWN_KEYS)}",
            found=f"unknown {', '.join(unknown)}" if unknown else f"no {', '.join(missing)}",
        )
    return {
        "connection": connection_of(described),
        "namespace": described["namespace"],
        "cluster": described["cluster"],
        "listener": described.get("listener"),
        "group": described.get("group") or "kafka.strimzi.io",
        "stop_by": described.get("stop_by") or "state",
        "prefix": prefix_of(name),
        "mirror_bootstrap": described.get("mirror_bootstrap"),
        "authorization": described.get("authorization", "simple") or None,
        "mirror_fields": described.get("mirror_fields") or {},
        "authorities_from": described.get("authorities_from"),
        "witness_image": described.get("witness_image"),
        "backup": described.get("backup"),
    }


def prefix_of(name: str) -> str:
    """What names of a region's things begin with in another region; inventory names may have underscores, Kubernetes'
    may not.
    """
    return name.lower().replace("_", "-").replace(".", "-") + "-"


def _mirror_user(region: dict[str, Any], name: str) -> str:
    user = next((user for user in region.get("kafka_dr_users") or [] if user.get("purpose") == "mirror"), None)
    if user is None:
        raise UsageError(
            f"Region '{name}' has no user for the mirror", remedy="Add one with purpose mirror to kafka_dr_users"
        )
    return user["name"]


def mirror_clients(regions: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The mirror's client in each region, without secrets; inside the cluster where ``mirror_bootstrap`` names an
    address there.
    """
    clients = {}
    for name, region in regions.items():
        client = dict(region.get("kafka_dr_client") or {})
        if mechanism_of(client):
            client["sasl.username"] = _mirror_user(region, name)
        inside = (region.get("kafka_dr_kubernetes") or {}).get("mirror_bootstrap")
        if inside:
            client["bootstrap.servers"] = inside
        clients[name] = client
    return clients


def mirror_secret_references(mirror: dict[str, Any], regions: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Names of the Secrets in the mirror's namespace, as ``mirror_resource`` takes them.

    :param regions: ``{region: its variables}`` of both sides.
    """
    users = {name: _mirror_user(regions[name], name) for name in (mirror["source"], mirror["target"])}
    references = {}
    for side in ("source", "target"):
        name = mirror[side]
        prefix = prefix_of(name) if side == "source" else ""
        reference = {"password": {"secret": prefix + users[name], "key": "password"}}
        if (regions[name].get("kafka_dr_client") or {}).get("ssl.ca.pem"):
            if regions[name].get("kafka_dr_platform") == "kubernetes":
                reference["ca"] = {
                    "secret": f"{prefix}{regions[name]['kafka_dr_kubernetes']['cluster']}-cluster-ca-cert"
                }
            else:
                reference["ca"] = {"secret": prefix + users[name], "certificate": "ca.crt"}
        references[name] = reference
    return references


def undone_by(resource: dict[str, Any], scaled_objects: Sequence[dict[str, dict[str, Any]]] = ()) -> list[str]:
    """What would undo a scale to zero, one sentence each with the way out; empty where nothing would.

    A HorizontalPodAutoscaler does not: it leaves alone what has zero replicas (condition ScalingDisabled).

    :param scaled_objects: KEDA's ScaledObjects of the namespace.
    """
    label = f"{resource.get('kind')} '{(resource.get('metadata') or {}).get('name')}'"
    found = [
        f"{label} is kept by {tool}, which would start it again: {remedy}, and set the application's managed_elsewhere "
        "to accepted"
        for tool, remedy in kept_by(resource).items()
    ]
    for scaled_object in scaled_objects:
        if _aims_at(scaled_object, resource) and "autoscaling.keda.sh/paused-replicas" not in (
            scaled_object["metadata"].get("annotations") or {}
        ):
            found.append(
                f"{label} is scaled by KEDA's ScaledObject '{scaled_object['metadata']['name']}', which starts "
                'it again: annotate that with autoscaling.keda.sh/paused-replicas: "0"'
            )
    return found


def kept_by(resource: dict[str, Any]) -> dict[str, str]:
    """Tools that put this object back to what their repository says, each with how it is told to leave it alone."""
    meta = resource.get("metadata") or {}
    marks = {**(meta.get("labels") or {}), **(meta.get("annotations") or {})}
    return {
        tool: remedy
        for tool, keys, suspended, remedy in OWNERS
        if any(key in marks for key in keys) and not (suspended and marks.get(suspended[0]) == suspended[1])
    }


def given_back(users: list[dict[str, Any]], described: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Of KafkaUsers that have rights, those whose rights come back once a stage has taken them away, or are not found:
    ``{"KafkaUser name": why, with the way out}``. The User Operator gives what the resource says.

    :param described: the users of ``kafka_dr_users`` whose KafkaUsers the stages change.
    """
    known = {user["name"]: user for user in described}
    found = {}
    for user in users:
        name, spec = user["metadata"]["name"], user.get("spec") or {}
        if not (spec.get("authorization") or {}).get("acls"):
            continue
        kind = str((spec.get("authentication") or {}).get("type") or "")
        reasons = []
        keepers = kept_by(user)
        if keepers:
            tools, remedies = " and ".join(keepers), "; ".join(keepers.values())
            reasons.append(f"is kept by {tools}, which gives its rights back: {remedies}")
        if name not in known:
            reasons.append(
                "is not in the region's kafka_dr_users, so that its operator gives back what is taken: describe it "
                "there, with the purpose application"
            )
        elif kind.startswith("tls") and known[name].get("authentication") != kind:
            reasons.append(
                f"has a certificate, so that its rights are those of CN={name}: say authentication: {kind} in "
                "kafka_dr_users"
            )
        if reasons:
            found[f"KafkaUser {name}"] = "; ".join(reasons)
    return found


def _aims_at(scaler: dict[str, dict[str, Any]], resource: dict[str, Any]) -> bool:
    reference = (scaler.get("spec") or {}).get("scaleTargetRef") or {}
    return reference.get("name") == resource["metadata"]["name"] and reference.get(
        "kind", "Deployment"
    ) == resource.get("kind")


def size_of(resource: dict[str, Any]) -> int:
    """How many replicas it is to have again: those it has, or those remembered on it while it has none.

    :raises UsageError: what is remembered is no size; whoever may annotate the object can write anything there.
    """
    now = (resource.get("spec") or {}).get("replicas", 1)
    meta = resource.get("metadata") or {}
    remembered = (meta.get("annotations") or {}).get(SIZE)
    if now or not remembered:
        return int(now or 0)
    if not re.fullmatch("[0-9]{1,4}", str(remembered)):
        raise UsageError(
            f"The size that is remembered on {resource.get('kind')} '{meta.get('name')}' is none",
            expected=f"a number of replicas, up to 9999, in the annotation {SIZE}",
            found=shown(remembered),
            remedy="Correct it, or take it away: then replicas of kafka_dr_applications counts",
        )
    return int(remembered)


def not_ready(resource: dict[str, Any]) -> list[str]:
    """What a Deployment, or its like, still lacks until all its replicas are there and ready; empty where nothing.

    :param resource: the object as read; ``{}`` where there is none, or nobody answered.
    """
    if not resource:
        return ["an answer of the API server"]
    meta, status = resource["metadata"], resource.get("status") or {}
    wanted = (resource.get("spec") or {}).get("replicas", 1)
    waiting = []
    if status.get("observedGeneration", 0) < meta.get("generation", 0):
        waiting.append(f"the controller to take up generation {meta['generation']} of '{meta['name']}'")
    for field, what in (("updatedReplicas", "to have the new settings"), ("readyReplicas", "to be ready")):
        if status.get(field, 0) != wanted:
            waiting.append(f"{wanted} pods of '{meta['name']}' {what}, found {status.get(field, 0)}")
    if status.get("replicas", 0) > wanted:
        waiting.append(f"{status['replicas'] - wanted} pods of '{meta['name']}' from before to end")
    stuck = next(
        (
            condition.get("message")
            for condition in status.get("conditions") or []
            if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True"
        ),
        None,
    )
    if waiting and stuck:
        waiting.append(stuck)
    return waiting


def gone(resource: dict[str, Any]) -> list[str]:
    """What is left of a resource that was scaled to zero; empty where its controller says that nothing is, or where
    there is none.

    :param resource: the object as read, None where there is none, ``{}`` where nobody answered.
    """
    if resource is None:
        return []
    if not resource:
        return ["an answer of the API server"]
    meta, status = resource["metadata"], resource.get("status") or {}
    waiting = []
    if (resource.get("spec") or {}).get("replicas", 1) != 0:
        waiting.append(
            f"{resource.get('kind')} '{meta['name']}' to be scaled to zero (it wants "
            f"{(resource.get('spec') or {}).get('replicas', 1)})"
        )
    if status.get("observedGeneration", meta.get("generation", 0)) < meta.get("generation", 0):
        waiting.append(f"the controller to take up generation {meta['generation']} of '{meta['name']}'")
    if status.get("replicas"):
        waiting.append(f"{status['replicas']} pods of '{meta['name']}' to end")
    return waiting
