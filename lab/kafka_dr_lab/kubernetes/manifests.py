# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of the lab on Kubernetes: Kafka and its topics as Strimzi's resources, applications as Deployments."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

API = "kafka.strimzi.io/v1"
LISTENER = "tls"
# The stand-in for a node runs containers of this image as processes.
IMAGE = "lab"
# A resource of the Kubernetes API, or a part of one, as JSON.
Resource = dict[str, Any]
APPS = Path(__file__).resolve().parents[2] / "apps"


def kafka(
    cluster: str, port: int, config: dict[str, Any], topics: list[Resource], api_version: str = API
) -> list[Resource]:
    """Strimzi's resources of a cluster with one node, one listener on a node port, and its topics.

    :param topics: ``[{name, partitions, replication_factor, configs}]``.
    """
    listener = {
        "name": LISTENER,
        "port": 9093,
        "type": "nodeport",
        "tls": True,
        "authentication": {"type": "scram-sha-512"},
        "configuration": {"bootstrap": {"nodePort": port}},
    }
    pool = {
        "replicas": 1,
        "roles": ["controller", "broker"],
        "storage": {"type": "jbod", "volumes": [{"id": 0, "type": "ephemeral", "kraftMetadata": "shared"}]},
    }
    brokers = {
        "kafka": {"listeners": [listener], "authorization": {"type": "simple"}, "config": config},
        "entityOperator": {"topicOperator": {}, "userOperator": {}},
    }
    labels = {"strimzi.io/cluster": cluster}
    resource = partial(_resource, api_version)
    return [
        resource("KafkaNodePool", {"name": "dual", "labels": labels}, pool),
        resource("Kafka", {"name": cluster}, brokers),
        *(resource("KafkaTopic", {"name": topic["name"], "labels": labels}, _topic_spec(topic)) for topic in topics),
    ]


def _topic_spec(topic: Resource) -> Resource:
    return {"partitions": topic["partitions"], "replicas": topic["replication_factor"], "config": topic["configs"]}


def _resource(api_version: str, kind: str, metadata: Resource, spec: Resource) -> Resource:
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def application(name: str, command: list[str], environment: dict[str, str] | None = None) -> Resource:
    """A Deployment with 0 replicas, which the stages scale. It reads its settings from the Secret ``<name>-kafka``.

    :param command: a program of ``lab/apps`` and its arguments.
    """
    labels = {"app": name}
    variables = {"KAFKA_CERT": "/etc/kafka/KAFKA_CA", **(environment or {})}
    container = {
        "name": "app",
        "image": IMAGE,
        "command": [sys.executable, str(APPS / command[0]), *command[1:]],
        "envFrom": [{"secretRef": {"name": f"{name}-kafka"}}],
        "env": [{"name": key, "value": value} for key, value in variables.items()],
        "volumeMounts": [{"name": "kafka", "mountPath": "/etc/kafka"}],
    }
    pod = {"containers": [container], "volumes": [{"name": "kafka", "secret": {"secretName": f"{name}-kafka"}}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }
