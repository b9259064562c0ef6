# SPDX-License-Identifier: GPL-3.0-or-later
"""A dedicated MirrorMaker 2 as a Deployment, where no operator runs one. Pure."""

from __future__ import annotations

import shlex
from typing import Any

from .._errors import UsageError
from .._inventory.places import CONNECTION_KEYS, mirror_connection
from .._mm2.command import mirror_maker_command
from .._mm2.properties import mirror_properties, mirror_secrets, render_properties
from .mirror_resource import merged
from .one_pod import one_pod
from .region import kubernetes_region

PLATFORM = "deployment"
KNOWN_KEYS = CONNECTION_KEYS + ("namespace", "image", "witness_image", "fields")
SETTINGS, SECRETS = "/etc/kafka-dr/settings", "/etc/kafka-dr/secrets"
# As in the images of Apache Kafka and of Strimzi.
KAFKA_HOME = "/opt/kafka"


def mirror_place(region: dict[str, Any], name: str) -> dict[str, Any]:
    """Where in Kubernetes the mirror into a region runs.

    :param region: variables of the target region.
    :returns: for a mirror that an operator runs what :func:`kubernetes_region` says; for one that is a Deployment
        ``connection``, ``namespace``, ``image``, ``witness_image``, ``fields``, and how Java is started there:
        ``kafka_home``, ``java``, ``heap``, ``java_options``, ``rest_port``.
    :raises UsageError: a key is missing or unknown.
    """
    if region.get("kafka_dr_mirror_platform") != PLATFORM:
        return kubernetes_region(region, name)
    described = region.get("kafka_dr_mirror_deployment") or {}
    cluster = region.get("kafka_dr_kubernetes") or {}
    namespace = described.get("namespace") or cluster.get("namespace")
    unknown = sorted(set(described) - set(KNOWN_KEYS))
    if unknown or not namespace or not described.get("image"):
        raise UsageError(
            f"Region '{name}' does not say well in kafka_dr_mirror_deployment where its mirror runs",
            expected=f"image, namespace, and of {', '.join(KNOWN_KEYS)}",
            found=f"unknown {', '.join(unknown)}" if unknown else "no image" if namespace else "no namespace",
        )
    return {
        "connection": mirror_connection(region),
        "namespace": namespace,
        "image": described["image"],
        "witness_image": described.get("witness_image") or cluster.get("witness_image"),
        "fields": described.get("fields") or {},
        "kafka_home": region.get("kafka_dr_kafka_home") or KAFKA_HOME,
        "java": region.get("kafka_dr_java") or "java",
        "heap": region.get("kafka_dr_mirror_heap") or "1g",
        "java_options": region.get("kafka_dr_java_options") or "",
        "rest_port": region.get("kafka_dr_mirror_rest_port") or 8083,
    }


def mirror_manifests(
    mirror: dict[str, Any],
    clients: dict[str, dict[str, str]],
    secrets: dict[str, dict[str, str]],
    place: dict[str, Any],
) -> list[dict[str, Any]]:
    """ConfigMap (settings), Secret (what they refer to) and Deployment.

    :param mirror: a mirror description.
    :param clients: ``{region: librdkafka keys without secrets}`` of the mirror's principal.
    :param secrets: ``{region: client secrets}``; they go into the Secret.
    :param place: as :func:`mirror_place` gives it; its ``fields`` are merged over the Deployment.
    """
    # One pod alone asks no other one over REST, so that loopback is enough.
    settings = mirror_properties(mirror, clients, SECRETS + "/secrets.properties", place["rest_port"])
    container = {
        "name": "mirror",
        "image": place["image"],
        "command": mirror_maker_command(
            place["kafka_home"],
            SETTINGS + "/mm2.properties",
            place["java"],
            place["heap"],
            shlex.split(place["java_options"]),
        ),
    }
    files, secret, deployment = one_pod(
        "mirror-" + mirror["name"],
        place["namespace"],
        "mirror-maker-2",
        container,
        {"mm2.properties": render_properties(settings)},
        {"secrets.properties": render_properties(mirror_secrets(secrets))},
        {"files": SETTINGS, "secrets": SECRETS, "scratch": "/tmp"},
        pod={"terminationGracePeriodSeconds": 10},
    )
    return [files, secret, merged(deployment, place["fields"])]
