# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab on Kubernetes: a real API server, Strimzi's definitions, a stand-in for its operators. Each region is a
namespace.
"""

from __future__ import annotations

import base64
import os
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from ..errors import LabError
from ..java import require_java
from ..kafka_home import kafka_home
from ..lab import Lab
from ..landscape import MIRROR
from ..playbook import collection
from ..waiting import until
from .binaries import KUBERNETES_VERSION
from .control_plane import ControlPlane
from .crds import definitions
from .inventory import CLUSTER, KEPT, KubernetesInventory, namespace_of
from .manifests import API, LISTENER, Resource
from .operator_process import OperatorProcess

STRIMZI = "1.2.0"
MIRRORS = "kafkamirrormaker2s"
# The resources of a region that a Git repository or a backup of its namespace would hold.
KEPT_KINDS = (
    ("v1", "secrets"),
    *((API, plural) for plural in ("kafkas", "kafkanodepools", "kafkatopics", "kafkausers")),
)


class KubernetesLab(Lab):
    """A :class:`Lab` whose clusters, mirrors and applications run on Kubernetes."""

    versions = {"kubernetes": KUBERNETES_VERSION, "strimzi_definitions": STRIMZI}
    loss = "every broker of {region} is killed and its namespace deleted"
    outage = "every broker of {region} is killed, and its nodes are down; its disks and its resources stay"

    inventory: KubernetesInventory

    def __init__(self, directory: Path, verbose: bool = False):
        super().__init__(directory, verbose)
        self.inventory = KubernetesInventory(self.directory)
        self.playbooks.inventory = self.inventory
        self.plane = ControlPlane(self.directory / "kubernetes", "lab")
        self.operator = OperatorProcess(self.directory / "operator", self.plane.kubeconfig)
        self._api: Any = None
        self._gone: dict[str, list[tuple[str, Resource]]] = {}

    @staticmethod
    def traces(directory: Path) -> bool:
        """Whether a lab of this kind is, or was, in the directory."""
        return (Path(directory) / "kubernetes" / "settings.json").exists()

    # -- up and down ---------------------------------------------------------------------------------------------------

    def up(self, options: dict[str, Any]) -> None:
        require_java()
        if self.operator.pid() and self.inventory.exists():
            print(f"The lab already runs in {self.directory}", flush=True)
            return
        self.down()
        self.directory.mkdir(parents=True, exist_ok=True)
        self._require_space()
        kafka_home()
        wanted = definitions(STRIMZI)
        self.inventory.write(options)
        began = time.monotonic()
        print("Starting etcd, kube-apiserver and kube-controller-manager", flush=True)
        self.plane.start()
        self._install(wanted)
        for name, host in self.inventory.load()["all"]["hosts"].items():
            if "kafka_dr_users" not in host:
                self._namespace(host["kafka_dr_kubernetes"]["namespace"])
                for application in self.inventory.applications(options):
                    self.api.create(self._path("apps/v1", "deployments", namespace_of(name)), application)
        self._namespace(KEPT)
        self.operator.start()
        print(
            f"  The Kubernetes API with Strimzi {STRIMZI}'s definitions, and a stand-in for Strimzi's operators, "
            f"started in {time.monotonic() - began:.0f} s",
            flush=True,
        )
        self.playbooks.run("lab.up")

    def down(self) -> None:
        self.operator.kill()
        self.plane.wipe()
        self._api = None
        super().down()

    def _parts(self) -> tuple[str, ...]:
        return (*super()._parts(), "operator")

    def runs(self) -> bool:
        return bool(self.operator.pid()) or super().runs()

    def status(self) -> str:
        if not self.operator.pid():
            return "The lab is down. Start it with: make lab-up"
        lines = [f"{'Kubernetes API':32} {self.plane.server}, kubeconfig {self.plane.kubeconfig}"]
        for kind, plural in (("Kafka", "kafkas"), ("KafkaMirrorMaker2", MIRRORS)):
            for resource in self.api.list(self._path(API, plural)):
                meta, conditions = resource["metadata"], (resource.get("status") or {}).get("conditions") or []
                met = ", ".join(condition["type"] for condition in conditions if condition["status"] == "True")
                lines.append(f"{kind + ' ' + meta['namespace'] + '/' + meta['name']:60} {met or 'pending'}")
        return "\n".join(lines)

    def _install(self, wanted: list[Resource]) -> None:
        path = self._path("apiextensions.k8s.io/v1", "customresourcedefinitions")
        for definition in wanted:
            self.api.create(path, definition)
        for definition in wanted:
            spec = definition["spec"]
            served = self._path(f"{spec['group']}/{spec['versions'][-1]['name']}", spec["names"]["plural"])
            until(f"{spec['names']['plural']} to be served", partial(self._answers, served), 60)

    def _answers(self, path: str) -> bool:
        return self.api.get(path) is not None

    # -- Kubernetes ----------------------------------------------------------------------------------------------------

    @property
    def api(self) -> Any:
        """The administrator's client."""
        if self._api is None:
            self._api = collection("_k8s.client").KubernetesClient({"kubeconfig": str(self.plane.kubeconfig)})
        return self._api

    def _path(self, *words: str, **more: str) -> str:
        return collection("_k8s.client").object_path(*words, **more)

    def _namespace(self, name: str) -> None:
        self.api.create(
            self._path("v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        )

    def _merge(self, path: str, patch: Resource) -> None:
        self.api.request("PATCH", path, patch, content_type="application/merge-patch+json")

    # -- what a drill does ---------------------------------------------------------------------------------------------

    def client(self, region: str, user: str) -> dict[str, Any]:
        namespace = namespace_of(region)
        kafka = self.api.get(self._path(API, "kafkas", namespace, CLUSTER))
        secret = self.api.get(self._path("v1", "secrets", namespace, user))
        if not kafka or not secret:
            raise LabError(f"{region} has no Kafka '{CLUSTER}', or no Secret of user {user}")
        listeners = {listener["name"]: listener for listener in kafka["status"]["listeners"]}
        listener = listeners[LISTENER]
        return {
            "bootstrap.servers": listener["bootstrapServers"],
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": user,
            "sasl.password": base64.b64decode(secret["data"]["password"]).decode(),
            "ssl.ca.pem": "".join(listener["certificates"]),
        }

    def _deployment(self, name: str) -> str:
        return self._path("apps/v1", "deployments", namespace_of("south_america"), name)

    def halt(self, name: str) -> None:
        if name.startswith("mirror-"):
            self._steer(name, "stopped")
            return
        self._merge(self._deployment(name), {"spec": {"replicas": 0}})
        until(f"{name} to end", lambda: not self.pids(name), 60)

    def revive(self, name: str) -> None:
        self._steer(name, "running")

    def _steer(self, name: str, state: str) -> None:
        """Set the state of a mirror's connectors, and one replica, as somebody with ``kubectl edit`` would."""
        path = self._path(API, MIRRORS, namespace_of(MIRROR["target"]), name.removeprefix("mirror-"))
        flow = self.api.get(path)["spec"]["mirrors"][0]
        flow.update({key: {**value, "state": state} for key, value in flow.items() if key.endswith("Connector")})
        self._merge(path, {"spec": {"mirrors": [flow], "replicas": 1}})

    def clear(self, region: str) -> None:
        """Do what an administrator does after the loss: remove the topics' finalizers. The Topic Operator ended before
        it could, so the namespace would stay.
        """
        namespace = namespace_of(region)
        for topic in self.api.list(self._path(API, "kafkatopics", namespace)):
            path = self._path(API, "kafkatopics", namespace, topic["metadata"]["name"])
            self._merge(path, {"metadata": {"finalizers": None}})
        until(
            f"namespace {namespace} to be deleted",
            lambda: self.api.get(self._path("v1", "namespaces", name=namespace)) is None,
            60,
        )

    def bring_back(self, region: str) -> None:
        namespace = namespace_of(region)
        self.clear(region)
        self._namespace(namespace)
        for path, body in self._gone.pop(region):
            self.api.create(path, body)
        kafka = self._path(API, "kafkas", namespace, CLUSTER)
        users = self._path(API, "kafkausers", namespace)
        until(
            f"{region} to be ready",
            lambda: all(_ready(resource) for resource in (self.api.get(kafka), *self.api.list(users))),
            120,
        )

    def pids(self, *names: str) -> list[int]:
        """Process ids of applications, by their Deployment, and of mirrors, by the directories that the stand-in
        operator gives them.
        """
        return [child.pid for child in self.operator.children() if any(_runs_for(child, name) for name in names)]

    def _brokers(self, region: str) -> list[int]:
        start = f"{self.operator.directory}/{namespace_of(region)}-"
        return [child.pid for child in self.operator.children() if _directory_of(child).startswith(start)]

    def start_again(self, region: str) -> None:
        super().start_again(region)
        self.operator.node_up(namespace_of(region))

    def lose(self, region: str, keep: bool = False) -> float:
        """Kill every process of the region with SIGKILL, then delete its namespace, or keep its nodes down; see
        :meth:`Lab.lose`.
        """
        if keep:
            self.operator.node_down(namespace_of(region))
            return self._kill(region)
        namespace = namespace_of(region)
        self._gone[region] = [
            (self._path(version, plural, namespace), _bare(version, plural, resource))
            for version, plural in KEPT_KINDS
            for resource in self.api.list(self._path(version, plural, namespace))
        ]
        when = self._kill(region)
        self.api.delete(self._path("v1", "namespaces", name=namespace))
        until(
            f"Kafka in namespace {namespace} to be deleted",
            lambda: self.api.get(self._path(API, "kafkas", namespace, CLUSTER)) is None,
            60,
        )
        return when

    def _kill(self, region: str) -> float:
        """Kill every process of the region; returns when, in seconds since the epoch."""
        processes = self._brokers(region)
        when = time.time()
        for pid in processes:
            os.kill(pid, signal.SIGKILL)
        return when


def _directory_of(process: psutil.Process) -> str:
    """The working directory of a process; empty where it has ended."""
    try:
        return process.cwd()
    except psutil.Error:
        return ""


def _runs_for(process: psutil.Process, name: str) -> bool:
    directory = _directory_of(process)
    return f"/pods/pod-{name}-" in directory or (
        f"-{name.removeprefix('mirror-')}-" in directory and directory.endswith("-mm2")
    )


def _ready(resource: Resource | None) -> bool:
    status = (resource or {}).get("status") or {}
    return any(
        condition["type"] == "Ready" and condition["status"] == "True" for condition in status.get("conditions") or []
    )


def _bare(version: str, plural: str, resource: Resource) -> Resource:
    """A resource without the fields that the API server and the operator add."""
    kinds = {
        "secrets": "Secret",
        "kafkas": "Kafka",
        "kafkanodepools": "KafkaNodePool",
        "kafkatopics": "KafkaTopic",
        "kafkausers": "KafkaUser",
    }
    kept = {key: value for key, value in resource.items() if key in ("spec", "data", "type")}
    metadata = {key: value for key, value in resource["metadata"].items() if key in ("name", "labels", "annotations")}
    return {"apiVersion": version, "kind": kinds[plural], "metadata": metadata, **kept}
