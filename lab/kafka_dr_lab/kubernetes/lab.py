# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab on Kubernetes: a real API server, Strimzi's definitions, a stand-in for its operators; a region is a namespace."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from ..errors import LabError
from ..java import require_java
from ..kafka_home import kafka_home
from ..lab import Lab
from ..playbook import collection
from ..waiting import until
from .binaries import KUBERNETES_VERSION
from .control_plane import ControlPlane
from .crds import definitions
from .inventory import CLUSTER, KEPT, KubernetesInventory, namespace_of
from .manifests import API, LISTENER

ROOT = Path(__file__).resolve().parents[3]
STRIMZI = "1.2.0"
MIRRORS = "kafkamirrormaker2s"
# What a region is made of, as somebody's Git repository or backup of the namespace would have it.
KEPT_KINDS = (("v1", "secrets"), *((API, plural) for plural in ("kafkas", "kafkanodepools", "kafkatopics", "kafkausers")))


class KubernetesLab(Lab):
    """As :class:`Lab`, but for where things run."""

    versions = {"kubernetes": KUBERNETES_VERSION, "strimzi_definitions": STRIMZI}
    loss = "every broker of {region} is killed and its namespace deleted"

    inventory: KubernetesInventory

    def __init__(self, directory: Path, verbose: bool = False):
        super().__init__(directory, verbose)
        self.inventory = KubernetesInventory(self.directory)
        self.playbooks.inventory = self.inventory
        self.plane = ControlPlane(self.directory / "kubernetes", "lab")
        self.operator = self.directory / "operator"
        self._api = None
        self._gone: dict[str, list[tuple[str, dict]]] = {}

    @staticmethod
    def traces(directory: Path) -> bool:
        """Whether a lab of this kind is, or was, in the directory."""
        return (Path(directory) / "kubernetes" / "settings.json").exists()

    # -- up and down ---------------------------------------------------------------------------------------------------

    def up(self, options: dict) -> None:
        require_java()
        if self._operator_pid() and self.inventory.exists():
            print(f"The lab already runs in {self.directory}", flush=True)
            return
        if not (ROOT / "tests" / "support" / "operator").is_dir():
            raise LabError("The lab on Kubernetes needs the stand-in operator of a checkout (tests/support/operator); an installed collection has none. "
                           "Clone the repository, or use --platform host")
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
                for one in self.inventory.applications(options):
                    self.api.create(self._path("apps/v1", "deployments", namespace_of(name)), one)
        self._namespace(KEPT)
        self._start_operator()
        print(f"  A Kubernetes API with Strimzi {STRIMZI}'s definitions and a stand-in for its operators after {time.monotonic() - began:.0f} s", flush=True)
        self.playbooks.run("lab.up")

    def down(self) -> None:
        pid = self._operator_pid()
        if pid:
            family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
            for one in family:
                try:
                    one.kill()
                except psutil.Error:
                    pass
            psutil.wait_procs(family, timeout=20)
        self.plane.wipe()
        self._api = None
        super().down()

    def _parts(self) -> tuple[str, ...]:
        return (*super()._parts(), "operator")

    def runs(self) -> bool:
        return bool(self._operator_pid()) or super().runs()

    def status(self) -> str:
        if not self._operator_pid():
            return "The lab is down. Start it with: make lab-up"
        lines = [f"{'Kubernetes API':32} {self.plane.server}, kubeconfig {self.plane.kubeconfig}"]
        for kind, plural in (("Kafka", "kafkas"), ("KafkaMirrorMaker2", MIRRORS)):
            for one in self.api.list(self._path(API, plural)):
                conditions = ", ".join(found["type"] for found in (one.get("status") or {}).get("conditions") or [] if found["status"] == "True")
                lines.append(f"{kind + ' ' + one['metadata']['namespace'] + '/' + one['metadata']['name']:60} {conditions or 'pending'}")
        return "\n".join(lines)

    def _install(self, wanted: list[dict]) -> None:
        path = self._path("apiextensions.k8s.io/v1", "customresourcedefinitions")
        for one in wanted:
            self.api.create(path, one)
        for one in wanted:
            spec = one["spec"]
            served = self._path(f"{spec['group']}/{spec['versions'][-1]['name']}", spec["names"]["plural"])
            until(f"{spec['names']['plural']} to be served", lambda place=served: self.api.get(place) is not None, 60)

    def _start_operator(self) -> None:
        self.operator.mkdir(parents=True, exist_ok=True)
        with open(self.operator / "operator.log", "ab") as log:
            process = subprocess.Popen([sys.executable, "-m", "tests.support.operator", str(self.plane.kubeconfig), str(self.operator)], cwd=ROOT,
                                       stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        (self.operator / "operator.pid").write_text(f"{process.pid} {psutil.Process(process.pid).create_time()}")

    def _operator_pid(self) -> int:
        """The operator's process id; 0 where it does not run. The process must have begun when it was started."""
        try:
            pid, began = (self.operator / "operator.pid").read_text().split()
            process = psutil.Process(int(pid))
            return process.pid if abs(process.create_time() - float(began)) < 1 and process.status() != psutil.STATUS_ZOMBIE else 0
        except (OSError, ValueError, psutil.Error):
            return 0

    # -- Kubernetes ----------------------------------------------------------------------------------------------------

    @property
    def api(self):
        """The administrator's client."""
        if self._api is None:
            self._api = collection("_k8s.client").KubernetesClient({"kubeconfig": str(self.plane.kubeconfig)})
        return self._api

    def _path(self, *words: str, **more: str) -> str:
        return collection("_k8s.client").object_path(*words, **more)

    def _namespace(self, name: str) -> None:
        self.api.create(self._path("v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def _merge(self, path: str, patch: dict) -> None:
        self.api.request("PATCH", path, patch, content_type="application/merge-patch+json")

    # -- what a drill does ---------------------------------------------------------------------------------------------

    def client(self, region: str, user: str) -> dict:
        namespace = namespace_of(region)
        kafka = self.api.get(self._path(API, "kafkas", namespace, CLUSTER))
        secret = self.api.get(self._path("v1", "secrets", namespace, user))
        if not kafka or not secret:
            raise LabError(f"{region} has no Kafka '{CLUSTER}', or no Secret of user {user}")
        listener = next(one for one in kafka["status"]["listeners"] if one["name"] == LISTENER)
        return {"bootstrap.servers": listener["bootstrapServers"], "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": user,
                "sasl.password": base64.b64decode(secret["data"]["password"]).decode(), "ssl.ca.pem": "".join(listener["certificates"])}

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
        """Tell a mirror's connectors their state, and that it has a worker, as somebody with ``kubectl edit`` would."""
        from ..inventory import MIRROR

        path = self._path(API, MIRRORS, namespace_of(MIRROR["target"]), name.removeprefix("mirror-"))
        flow = self.api.get(path)["spec"]["mirrors"][0]
        flow.update({key: {**value, "state": state} for key, value in flow.items() if key.endswith("Connector")})
        self._merge(path, {"spec": {"mirrors": [flow], "replicas": 1}})

    def clear(self, region: str) -> None:
        """What an administrator does after the loss: the Topic Operator ended before it took its finalizers off, and so the namespace does not end."""
        namespace = namespace_of(region)
        for one in self.api.list(self._path(API, "kafkatopics", namespace)):
            self.api.request("PATCH", self._path(API, "kafkatopics", namespace, one["metadata"]["name"]), {"metadata": {"finalizers": None}},
                             content_type="application/merge-patch+json")
        until(f"namespace {namespace} to be gone", lambda: self.api.get(self._path("v1", "namespaces", name=namespace)) is None, 60)

    def bring_back(self, region: str) -> None:
        namespace = namespace_of(region)
        self.clear(region)
        self._namespace(namespace)
        for path, body in self._gone.pop(region):
            self.api.create(path, body)
        kafka = self._path(API, "kafkas", namespace, CLUSTER)
        users = self._path(API, "kafkausers", namespace)
        until(f"{region} to be ready", lambda: all(_ready(one) for one in (self.api.get(kafka), *self.api.list(users))), 120)

    def pids(self, *names: str) -> list[int]:
        """Processes of applications (by their Deployment) and mirrors, found by what the stand-in operator calls their directories."""
        pid, found = self._operator_pid(), []
        for child in psutil.Process(pid).children(recursive=True) if pid else []:
            try:
                where = child.cwd()
            except psutil.Error:
                continue
            if any(f"/pods/pod-{name}-" in where or (f"-{name.removeprefix('mirror-')}-" in where and where.endswith("-mm2")) for name in names):
                found.append(child.pid)
        return found

    def _brokers(self, region: str) -> list[int]:
        pid, start = self._operator_pid(), f"{self.operator}/{namespace_of(region)}-"
        return [child.pid for child in psutil.Process(pid).children(recursive=True) if child.cwd().startswith(start)]

    def lose(self, region: str) -> float:
        """SIGKILL to every process of the region, then its namespace deleted with all that is in it. Returns the time of the loss."""
        namespace = namespace_of(region)
        self._gone[region] = [(self._path(version, plural, namespace), _bare(version, plural, one))
                              for version, plural in KEPT_KINDS for one in self.api.list(self._path(version, plural, namespace))]
        processes = self._brokers(region)
        when = time.time()
        for pid in processes:
            os.kill(pid, signal.SIGKILL)
        self.api.delete(self._path("v1", "namespaces", name=namespace))
        until(f"Kafka of {namespace} to be gone", lambda: self.api.get(self._path(API, "kafkas", namespace, CLUSTER)) is None, 60)
        return when


def _ready(one: dict | None) -> bool:
    status = (one or {}).get("status") or {}
    return any(found["type"] == "Ready" and found["status"] == "True" for found in status.get("conditions") or [])


def _bare(version: str, plural: str, one: dict) -> dict:
    """An object without what the API server and the operator say of it."""
    kinds = {"secrets": "Secret", "kafkas": "Kafka", "kafkanodepools": "KafkaNodePool", "kafkatopics": "KafkaTopic", "kafkausers": "KafkaUser"}
    kept = {key: value for key, value in one.items() if key in ("spec", "data", "type")}
    metadata = {key: value for key, value in one["metadata"].items() if key in ("name", "labels", "annotations")}
    return {"apiVersion": version, "kind": kinds[plural], "metadata": metadata, **kept}
