# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lab's owner deploys on Kubernetes: Kafka and its topics as Strimzi's resources, applications as Deployments."""

from __future__ import annotations

import sys
from pathlib import Path

API = "kafka.strimzi.io/v1"
LISTENER = "tls"
# The stand-in for a node runs containers of this image as processes.
IMAGE = "lab"
APPS = Path(__file__).resolve().parents[2] / "apps"


def kafka(cluster: str, port: int, config: dict, topics: list[dict], api_version: str = API) -> list[dict]:
    """One node with one listener at a port of its own, as a node port is, and its topics.

    :param topics: ``[{name, partitions, replication_factor, configs}]``.
    """
    listener = {"name": LISTENER, "port": 9093, "type": "nodeport", "tls": True, "authentication": {"type": "scram-sha-512"},
                "configuration": {"bootstrap": {"nodePort": port}}}
    labels = {"strimzi.io/cluster": cluster}
    return [
        {"apiVersion": api_version, "kind": "KafkaNodePool", "metadata": {"name": "dual", "labels": labels},
         "spec": {"replicas": 1, "roles": ["controller", "broker"],
                  "storage": {"type": "jbod", "volumes": [{"id": 0, "type": "ephemeral", "kraftMetadata": "shared"}]}}},
        {"apiVersion": api_version, "kind": "Kafka", "metadata": {"name": cluster}, "spec": {
            "kafka": {"listeners": [listener], "authorization": {"type": "simple"}, "config": config},
            "entityOperator": {"topicOperator": {}, "userOperator": {}}}},
        *({"apiVersion": api_version, "kind": "KafkaTopic", "metadata": {"name": one["name"], "labels": labels},
           "spec": {"partitions": one["partitions"], "replicas": one["replication_factor"], "config": one["configs"]}} for one in topics),
    ]


def application(name: str, words: list[str], environment: dict[str, str] | None = None) -> dict:
    """A Deployment without pods yet; the stages give it its size. It reads its settings from the Secret ``<name>-kafka``."""
    labels = {"app": name}
    variables = {"KAFKA_CERT": "/etc/kafka/KAFKA_CA", **(environment or {})}
    container = {
        "name": "app", "image": IMAGE, "command": [sys.executable, str(APPS / words[0]), *words[1:]], "envFrom": [{"secretRef": {"name": f"{name}-kafka"}}],
        "env": [{"name": key, "value": value} for key, value in variables.items()], "volumeMounts": [{"name": "kafka", "mountPath": "/etc/kafka"}],
    }
    pod = {"containers": [container], "volumes": [{"name": "kafka", "secret": {"secretName": f"{name}-kafka"}}]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}}
