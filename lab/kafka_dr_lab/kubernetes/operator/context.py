# SPDX-License-Identifier: GPL-3.0-or-later
"""What the reconcilers share: the API server, the brokers and workers that run, and Secrets."""

from __future__ import annotations

import base64
import threading
from pathlib import Path
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient, object_path

from ...plain_kafka import JavaProcess
from ..operator_process import DOWN
from .broker import Broker
from .worker import Worker

# An object of the Kubernetes API, as JSON.
Resource = dict[str, Any]
Status = dict[str, Any]
# Namespace, name and uid: an object of the same name with another uid is another resource.
ResourceKey = tuple[str, str, str]
MERGE_PATCH = "application/merge-patch+json"


def key_of(resource: Resource) -> ResourceKey:
    """The key that a resource's processes are kept under."""
    meta = resource["metadata"]
    return (meta["namespace"], meta["name"], meta["uid"])


def files_of(resource: Resource) -> str:
    """Name of the directory with the files of a resource's process."""
    meta = resource["metadata"]
    return f"{meta['namespace']}-{meta['name']}-{meta['uid'][:8]}"


class Context:
    """One API server and the processes that stand behind its resources.

    :param directory: where the brokers and workers have their files.
    """

    def __init__(self, kubeconfig: str, directory: Path):
        self.client = KubernetesClient({"kubeconfig": str(kubeconfig)}, timeout=10)
        self.directory = Path(directory)
        self.brokers: dict[ResourceKey, Broker] = {}
        self.workers: dict[ResourceKey, Worker] = {}
        # What was down with its nodes, and is to be started again with them.
        self.outages: set[ResourceKey] = set()
        self._ending: list[JavaProcess] = []

    def node_is_down(self, namespace: str) -> bool:
        """Whether the nodes of the namespace are down, and its operators with them."""
        return (self.directory / DOWN / namespace).exists()

    def end(self, process: JavaProcess) -> None:
        """Let a process end in its own time, as a pod does."""
        self._ending.append(process)
        threading.Thread(target=process.stop, daemon=True).start()

    def kill(self) -> None:
        """End every broker and worker at once."""
        for process in [*self.workers.values(), *self.brokers.values(), *self._ending]:
            process.kill()

    def running_broker(self, resource: Resource) -> Broker | None:
        """The broker of the cluster that a user or topic names in its label, or None while it is not up."""
        cluster = (resource["metadata"].get("labels") or {}).get("strimzi.io/cluster")
        for key, broker in self.brokers.items():
            if key[:2] == (resource["metadata"]["namespace"], cluster) and broker.alive() and broker.answers():
                return broker
        return None

    def secret(self, namespace: str, name: str) -> dict[str, str] | None:
        """Decoded data of a Secret; None where there is none."""
        found = self.client.get(object_path("v1", "secrets", namespace, name))
        if found is None:
            return None
        return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    def keep_secret(
        self,
        owner: Resource,
        name: str,
        data: dict[str, str],
        labels: dict[str, str],
        annotations: dict[str, str] | None = None,
    ) -> None:
        """Make a Secret owned by the resource, or bring its data back to ``data``."""
        meta = owner["metadata"]
        path = object_path("v1", "secrets", meta["namespace"])
        body = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "Opaque",
            "metadata": {
                "name": name,
                "labels": {"app.kubernetes.io/managed-by": "strimzi-cluster-operator", **labels},
                "annotations": annotations or {},
                "ownerReferences": [
                    {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": meta["name"], "uid": meta["uid"]}
                ],
            },
            "data": {key: base64.b64encode(value.encode()).decode() for key, value in data.items()},
        }
        found = self.client.get(f"{path}/{name}")
        if found is None:
            self.client.create(path, body)
        elif found.get("data") != body["data"]:
            self.client.request("PATCH", f"{path}/{name}", {"data": body["data"]}, content_type=MERGE_PATCH)
