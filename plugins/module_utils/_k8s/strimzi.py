# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What the modules ``strimzi_client_info`` and ``strimzi_mirror_info`` read, in one call each."""

from __future__ import annotations

import base64

from .._errors import AuthenticationError, AuthorizationError, RefusedError, UnreachableError
from .._mm2 import resource as shapes
from .._mm2 import resource_state
from . import kafka_resources
from .client import KubernetesClient, object_path

MIRRORS = "kafkamirrormaker2s"
CLUSTERS = {"eventstreams.ibm.com": "eventstreams"}
VERSIONS = ("v1", "v1beta2")


def kinds_version(client, group):
    """Group and version to read and write the operator's resources with, but for KafkaMirrorMaker2, and all that are served.

    The newest one: an older one is deprecated beside it. Fields of Kafka that only the older one knows stay what they are, since an existing Kafka is
    patched in its metadata alone.

    :returns: ``(group/version, [version, ...])``.
    """
    served = client.served_versions(group)
    for version in VERSIONS:
        if version in served:
            return "%s/%s" % (group, version), served
    raise RefusedError("%s is not served in %s" % (group, client.name), expected="version v1 or v1beta2", found=", ".join(served) or "none",
                       remedy="Install the operator and its custom resource definitions")


def client_info(params, dummy=None):
    """Client, secrets and users of a cluster; see the module ``strimzi_client_info``."""
    known = {"api_version": None, "served": []}
    try:
        client = KubernetesClient(params["connection"], params["timeout"])
        known["api_version"], known["served"] = kinds_version(client, params["group"])
        return {**_client_info(client, known["api_version"], params), "served": known["served"]}
    except (UnreachableError, AuthenticationError, AuthorizationError) as error:
        # With a namespace go the rights in it, and often the service account: to whom has no others, gone and forbidden look alike.
        if not params["allow_unreachable"]:
            raise
        return {"reachable": False, "exists": False, "ready": False, "waiting_for": [str(error)], "client": {}, "client_secrets": {}, "passwords": {},
                **known}


def _client_info(client, version, params):
    namespace, name = params["namespace"], params["cluster"]
    kafka = client.get(object_path(version, CLUSTERS.get(params["group"], "kafkas"), namespace, name), what="read Kafka '%s/%s'" % (namespace, name))
    found = {"reachable": True, "exists": kafka is not None, "api_version": version, "client": {}, "client_secrets": {}, "passwords": {}, "ready": False}
    if kafka is None:
        return {**found, "waiting_for": ["Kafka '%s/%s' to exist" % (namespace, name)]}
    kafka.setdefault("kind", "Kafka")
    waiting = kafka_resources.waiting_for([kafka])
    secrets = {user: client.get(object_path("v1", "secrets", namespace, user), what="read Secret '%s/%s'" % (namespace, user)) for user in params["users"]}
    for user, secret in secrets.items():
        password = ((secret or {}).get("data") or {}).get("password")
        if password:
            found["passwords"][user] = base64.b64decode(password).decode("utf-8")
    user = params["user"]
    if user not in secrets:
        secrets[user] = client.get(object_path("v1", "secrets", namespace, user), what="read Secret '%s/%s'" % (namespace, user))
    authority = client.get(object_path("v1", "secrets", namespace, name + "-cluster-ca-cert"), what="read the CA of Kafka '%s/%s'" % (namespace, name))
    try:
        made = kafka_resources.kafka_client(kafka, params["listener"], user, secrets[user], authority)
        found.update({"client": made["client"], "client_secrets": made["secrets"]})
    except RefusedError as error:
        waiting.append(str(error))
        # Where it is can be told without a user: who knows that asks whether it lives.
        found["client"] = kafka_resources.kafka_address(kafka, params["listener"], authority, params["user"])
    return {**found, "ready": not waiting, "waiting_for": waiting}


def mirror_info(params, dummy=None):
    """A KafkaMirrorMaker2 and what it says; see the module ``strimzi_mirror_info``."""
    return read_mirror(KubernetesClient(params["connection"], params["timeout"]), params, params["until"])


def read_mirror(client, params, until="stopped"):
    """What :func:`mirror_info` returns.

    :param params: ``group``, ``namespace`` and ``name`` of the resource.
    :param until: what ``ready`` and ``waiting_for`` are about: ``any``, ``ready``, ``running``, ``stopped`` or ``absent``.
    """
    group, namespace, name = params["group"], params["namespace"], params["name"]
    served = client.served_versions(group)
    reading = "%s/%s" % (group, shapes.reading_version(served))
    existing = client.get(object_path(reading, MIRRORS, namespace, name), what="read KafkaMirrorMaker2 '%s/%s'" % (namespace, name))
    if existing is not None:
        existing.setdefault("kind", "KafkaMirrorMaker2")
    status = resource_state.mirror_status(existing)
    halted = resource_state.stopped(existing)
    waiting = []
    if until == "ready":
        waiting = status["waiting_for"]
    elif until == "running":
        waiting = status["waiting_for"]
        if not waiting and status["state"] != "running":
            waiting = ["every connector to run (%s)" % (", ".join("%s is %s" % pair for pair in sorted(status["connectors"].items())) or "none is reported")]
    elif until == "stopped":
        waiting = halted["waiting_for"]
    elif until == "absent" and existing is not None:
        waiting = ["KafkaMirrorMaker2 '%s/%s' to be gone" % (namespace, name)]
    return {
        "exists": existing is not None, "resource": existing, "served": served, "read_with": reading,
        "api_version": "%s/%s" % (group, shapes.writing_version(served, existing)), "state": status["state"], "connectors": status["connectors"],
        "message": status["message"], "stopped": halted["stopped"], "ready": not waiting, "waiting_for": waiting,
    }
