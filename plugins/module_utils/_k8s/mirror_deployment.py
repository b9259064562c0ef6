# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""A dedicated MirrorMaker 2 as a Deployment, where no operator runs one. Pure."""

from __future__ import annotations

import base64
import shlex

from .._errors import UsageError
from .._mm2.command import mirror_maker_command
from .._mm2.properties import mirror_properties, mirror_secrets, render_properties
from .._mm2.resource import merged
from .region import CONNECTION_KEYS, kubernetes_region

PLATFORM = "deployment"
KNOWN_KEYS = CONNECTION_KEYS + ("namespace", "image", "witness_image", "fields")
SETTINGS, SECRETS = "/etc/kafka-dr/settings", "/etc/kafka-dr/secrets"
# As in the images of Apache Kafka and of Strimzi.
KAFKA_HOME = "/opt/kafka"
# The kinds that a mirror's Deployment is made of, in the order in which they are applied.
KINDS = ({"api_version": "v1", "kind": "ConfigMap"}, {"api_version": "v1", "kind": "Secret"}, {"api_version": "apps/v1", "kind": "Deployment"})


def mirror_place(region, name):
    """Where in Kubernetes the mirror into a region runs.

    :param region: variables of the target region.
    :returns: for a mirror that an operator runs what :func:`kubernetes_region` says; for one that is a Deployment ``connection``, ``namespace``, ``image``,
        ``witness_image``, ``fields``, and how Java is started there: ``kafka_home``, ``java``, ``heap``, ``java_options``, ``rest_port``.
    :raises UsageError: a key is missing or unknown.
    """
    if region.get("kafka_dr_mirror_platform") != PLATFORM:
        return kubernetes_region(region, name)
    described = region.get("kafka_dr_mirror_deployment") or {}
    cluster = region.get("kafka_dr_kubernetes") or {}
    namespace = described.get("namespace") or cluster.get("namespace")
    unknown = sorted(set(described) - set(KNOWN_KEYS))
    if unknown or not namespace or not described.get("image"):
        raise UsageError("Region '%s' does not say well in kafka_dr_mirror_deployment where its mirror runs" % name,
                         expected="image, namespace, and of %s" % ", ".join(KNOWN_KEYS),
                         found="unknown %s" % ", ".join(unknown) if unknown else "no image" if namespace else "no namespace")
    connection = {key: described[key] for key in CONNECTION_KEYS if described.get(key) is not None}
    return {
        "connection": connection or {key: cluster[key] for key in CONNECTION_KEYS if cluster.get(key) is not None}, "namespace": namespace,
        "image": described["image"], "witness_image": described.get("witness_image") or cluster.get("witness_image"), "fields": described.get("fields") or {},
        "kafka_home": region.get("kafka_dr_kafka_home") or KAFKA_HOME, "java": region.get("kafka_dr_java") or "java",
        "heap": region.get("kafka_dr_mirror_heap") or "1g", "java_options": region.get("kafka_dr_java_options") or "",
        "rest_port": region.get("kafka_dr_mirror_rest_port") or 8083,
    }


def mirror_manifests(mirror, clients, secrets, place):
    """ConfigMap (settings), Secret (what they refer to) and Deployment.

    :param mirror: a mirror description.
    :param clients: ``{region: librdkafka keys without secrets}`` of the mirror's principal.
    :param secrets: ``{region: client secrets}``; they go into the Secret.
    :param place: as :func:`mirror_place` gives it; its ``fields`` are merged over the Deployment.
    """
    name = "mirror-" + mirror["name"]
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/component": "mirror-maker-2", "app.kubernetes.io/part-of": "streamsafe.kafka_dr"}
    meta = {"name": name, "namespace": place["namespace"], "labels": labels}
    # One pod alone asks no other one over REST, so that loopback is enough.
    settings = mirror_properties(mirror, clients, SECRETS + "/secrets.properties", place["rest_port"])
    kept = render_properties(mirror_secrets(secrets))
    container = {
        "name": "mirror", "image": place["image"],
        "command": mirror_maker_command(place["kafka_home"], SETTINGS + "/mm2.properties", place["java"], place["heap"], shlex.split(place["java_options"])),
        "volumeMounts": [{"name": "settings", "mountPath": SETTINGS, "readOnly": True}, {"name": "secrets", "mountPath": SECRETS, "readOnly": True},
                         {"name": "tmp", "mountPath": "/tmp"}],
        "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
    }
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": {
        # Two at a time would be two workers of one group, with the same address.
        "replicas": 1, "strategy": {"type": "Recreate"}, "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "automountServiceAccountToken": False, "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
                "terminationGracePeriodSeconds": 10, "containers": [container],
                "volumes": [{"name": "settings", "configMap": {"name": name}}, {"name": "secrets", "secret": {"secretName": name}},
                            {"name": "tmp", "emptyDir": {}}],
            },
        },
    }}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"mm2.properties": render_properties(settings)}},
        {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": meta,
         "data": {"secrets.properties": base64.b64encode(kept.encode("ascii")).decode("ascii")}},
        merged(deployment, place["fields"]),
    ]
