# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""A region on Kubernetes as the inventory describes it, and what in the cluster would undo a stop. Pure."""

from __future__ import annotations

from .._errors import UsageError

CONNECTION_KEYS = ("kubeconfig", "context", "host", "api_key", "ca_cert", "client_cert", "client_key", "validate_certs", "proxy")
KNOWN_KEYS = CONNECTION_KEYS + (
    "namespace", "cluster", "listener", "group", "stop_by", "mirror_bootstrap", "authorization", "mirror_fields", "authorities_from", "witness_image", "backup",
)
SIZE = "kafka-dr.streamsafe/replicas"
# Marks of tools that put an object back to what their repository says, and the mark that makes each leave it alone.
OWNERS = (
    ("Argo CD", ("argocd.argoproj.io/instance", "argocd.argoproj.io/tracking-id"), None,
     "suspend automated sync of its Application (spec.syncPolicy.automated), and set the application's managed_elsewhere to accepted"),
    ("Flux", ("kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"), ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
     "suspend it (flux suspend kustomization, or helmrelease), and set the application's managed_elsewhere to accepted"),
)


def kubernetes_region(region, name):
    """``kafka_dr_kubernetes`` of a region with defaults filled in.

    :param region: the region's variables.
    :returns: ``connection`` (for ``kubernetes.core`` and ``secret_copy``), ``namespace``, ``cluster``, ``listener``, ``group``, ``stop_by``,
        ``prefix`` (what copies of its Secrets elsewhere begin with), ``mirror_bootstrap``, ``authorization``, ``mirror_fields``,
        ``authorities_from``, ``witness_image``, ``backup``.
    :raises UsageError: a key is missing or unknown.
    """
    described = region.get("kafka_dr_kubernetes") or {}
    unknown = sorted(set(described) - set(KNOWN_KEYS))
    missing = [key for key in ("namespace", "cluster") if not described.get(key)]
    if unknown or missing:
        raise UsageError("Region '%s' is not described well in kafka_dr_kubernetes" % name, expected="namespace, cluster, and of %s" % ", ".join(KNOWN_KEYS),
                         found="unknown %s" % ", ".join(unknown) if unknown else "no %s" % ", ".join(missing))
    return {
        "connection": {key: described[key] for key in CONNECTION_KEYS if described.get(key) is not None},
        "namespace": described["namespace"], "cluster": described["cluster"], "listener": described.get("listener"),
        "group": described.get("group") or "kafka.strimzi.io", "stop_by": described.get("stop_by") or "state",
        "prefix": prefix_of(name), "mirror_bootstrap": described.get("mirror_bootstrap"),
        "authorization": described.get("authorization", "simple") or None, "mirror_fields": described.get("mirror_fields") or {},
        "authorities_from": described.get("authorities_from"),
        "witness_image": described.get("witness_image"), "backup": described.get("backup"),
    }


def prefix_of(name):
    """What names of a region's things begin with in another region; inventory names may have underscores, Kubernetes' may not."""
    return name.lower().replace("_", "-").replace(".", "-") + "-"


def _mirror_user(region, name):
    user = next((one for one in region.get("kafka_dr_users") or [] if one.get("purpose") == "mirror"), None)
    if user is None:
        raise UsageError("Region '%s' has no user for the mirror" % name, remedy="Add one with purpose mirror to kafka_dr_users")
    return user["name"]


def mirror_clients(regions):
    """The mirror's client in each region, without secrets; inside the cluster where ``mirror_bootstrap`` names an address there."""
    made = {}
    for name, region in regions.items():
        client = dict(region.get("kafka_dr_client") or {})
        if client.get("sasl.mechanism"):
            client["sasl.username"] = _mirror_user(region, name)
        inside = (region.get("kafka_dr_kubernetes") or {}).get("mirror_bootstrap")
        if inside:
            client["bootstrap.servers"] = inside
        made[name] = client
    return made


def mirror_secret_references(mirror, regions):
    """Names of the Secrets in the mirror's namespace, as ``mirror_resource`` takes them.

    :param regions: ``{region: its variables}`` of both sides.
    """
    users = {name: _mirror_user(regions[name], name) for name in (mirror["source"], mirror["target"])}
    made = {}
    for side in ("source", "target"):
        name = mirror[side]
        prefix = prefix_of(name) if side == "source" else ""
        reference = {"password": {"secret": prefix + users[name], "key": "password"}}
        if (regions[name].get("kafka_dr_client") or {}).get("ssl.ca.pem"):
            if regions[name].get("kafka_dr_platform") == "kubernetes":
                reference["ca"] = {"secret": "%s%s-cluster-ca-cert" % (prefix, regions[name]["kafka_dr_kubernetes"]["cluster"])}
            else:
                reference["ca"] = {"secret": prefix + users[name], "certificate": "ca.crt"}
        made[name] = reference
    return made


def undone_by(resource, scaled_objects=()):
    """What would undo a scale to zero, one sentence each with the way out; empty where nothing would.

    A HorizontalPodAutoscaler does not: it leaves alone what has zero replicas (condition ScalingDisabled).

    :param scaled_objects: KEDA's ScaledObjects of the namespace.
    """
    meta = resource.get("metadata") or {}
    marks = {**(meta.get("labels") or {}), **(meta.get("annotations") or {})}
    label = "%s '%s'" % (resource.get("kind"), meta.get("name"))
    found = []
    for tool, keys, suspended, remedy in OWNERS:
        if any(key in marks for key in keys) and not (suspended and marks.get(suspended[0]) == suspended[1]):
            found.append("%s is kept by %s, which would start it again: %s" % (label, tool, remedy))
    for one in scaled_objects:
        if _aims_at(one, resource) and "autoscaling.keda.sh/paused-replicas" not in (one["metadata"].get("annotations") or {}):
            found.append("%s is scaled by KEDA's ScaledObject '%s', which starts it again: annotate that with autoscaling.keda.sh/paused-replicas: \"0\""
                         % (label, one["metadata"]["name"]))
    return found


def _aims_at(scaler, resource):
    reference = (scaler.get("spec") or {}).get("scaleTargetRef") or {}
    return reference.get("name") == resource["metadata"]["name"] and reference.get("kind", "Deployment") == resource.get("kind")


def size_of(resource):
    """How many replicas it is to have again: those it has, or those remembered on it while it has none."""
    now = (resource.get("spec") or {}).get("replicas", 1)
    remembered = ((resource.get("metadata") or {}).get("annotations") or {}).get(SIZE)
    return int(now) if now else int(remembered or 0)


def not_ready(resource):
    """What a Deployment, or its like, still lacks until all its replicas are there and ready; empty where nothing.

    :param resource: the object as read; ``{}`` where there is none, or nobody answered.
    """
    if not resource:
        return ["an answer of the API server"]
    meta, status = resource["metadata"], resource.get("status") or {}
    wanted = (resource.get("spec") or {}).get("replicas", 1)
    waiting = []
    if status.get("observedGeneration", 0) < meta.get("generation", 0):
        waiting.append("the controller to take up generation %s of '%s'" % (meta["generation"], meta["name"]))
    for field, what in (("updatedReplicas", "to have the new settings"), ("readyReplicas", "to be ready")):
        if status.get(field, 0) != wanted:
            waiting.append("%d pods of '%s' %s, found %d" % (wanted, meta["name"], what, status.get(field, 0)))
    if status.get("replicas", 0) > wanted:
        waiting.append("%d pods of '%s' from before to end" % (status["replicas"] - wanted, meta["name"]))
    stuck = next((one.get("message") for one in status.get("conditions") or [] if one.get("type") == "ReplicaFailure" and one.get("status") == "True"), None)
    if waiting and stuck:
        waiting.append(stuck)
    return waiting


def gone(resource):
    """What is left of a resource that was scaled to zero; empty where its controller says that nothing is, or where there is none.

    :param resource: the object as read, None where there is none, ``{}`` where nobody answered.
    """
    if resource is None:
        return []
    if not resource:
        return ["an answer of the API server"]
    meta, status = resource["metadata"], resource.get("status") or {}
    waiting = []
    if (resource.get("spec") or {}).get("replicas", 1) != 0:
        waiting.append("%s '%s' to be scaled to zero (it wants %s)" % (resource.get("kind"), meta["name"], (resource.get("spec") or {}).get("replicas", 1)))
    if status.get("observedGeneration", meta.get("generation", 0)) < meta.get("generation", 0):
        waiting.append("the controller to take up generation %s of '%s'" % (meta["generation"], meta["name"]))
    if status.get("replicas"):
        waiting.append("%s pods of '%s' to end" % (status["replicas"], meta["name"]))
    return waiting
