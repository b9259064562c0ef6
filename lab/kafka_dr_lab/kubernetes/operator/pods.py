# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for a node: the command of each pod whose image is ``lab`` runs as a process, with its environment and its
files.

A mount is a directory of this machine, so its path is replaced wherever a command, a variable or a mounted file names
it.
"""

from __future__ import annotations

import base64
import datetime
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import (
    ConflictError,
    KubernetesClient,
    NotFoundError,
    object_path,
)

IMAGE = "lab"
NODE = "lab"
GRACE_SECONDS = 10
# The controllers give up a node that is silent for 40 s.
BEAT_SECONDS = 10


# A pod, as JSON of the Kubernetes API.
Pod = dict[str, Any]


class Pods:
    """A node: the pods of an API server that run on this machine. A pod that is deleted disappears from the API server
    once its process has ended.
    """

    def __init__(self, client: KubernetesClient, directory: Path):
        self.client, self.directory = client, Path(directory)
        self.running: dict[str, subprocess.Popen] = {}
        self._kill_at: dict[str, float] = {}
        self._beat = 0.0

    def round(self) -> None:
        """Start new pods, end deleted ones, report running ones as ready."""
        listed = {
            pod["metadata"]["uid"]: pod
            for pod in self.client.list("/api/v1/pods")
            if pod["spec"]["containers"][0]["image"] == IMAGE
        }
        if listed:
            self._beat_as_node()
        for uid in [uid for uid in self.running if uid not in listed]:
            self._end(uid)
        for uid, pod in listed.items():
            if pod["metadata"].get("deletionTimestamp"):
                if self._end(uid):
                    self._confirm(pod)
            elif not pod["spec"].get("nodeName"):
                self._bind(pod)
            elif uid not in self.running or self.running[uid].poll() is not None:
                self.running[uid] = self._launch(pod)
            elif (pod.get("status") or {}).get("phase") != "Running":
                self._report_ready(pod)

    def kill(self) -> None:
        """End every process."""
        for process in self.running.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(5)

    def _end(self, uid: str) -> bool:
        """SIGTERM, and SIGKILL after the grace period; whether the process has ended."""
        process = self.running.get(uid)
        if process is not None and process.poll() is None:
            if uid not in self._kill_at:
                self._kill_at[uid] = time.monotonic() + GRACE_SECONDS
                os.killpg(process.pid, signal.SIGTERM)
            elif time.monotonic() > self._kill_at[uid]:
                os.killpg(process.pid, signal.SIGKILL)
            return False
        self.running.pop(uid, None)
        self._kill_at.pop(uid, None)
        return True

    def _beat_as_node(self) -> None:
        if time.monotonic() - self._beat < BEAT_SECONDS:
            return
        self._beat = time.monotonic()
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        path = object_path("v1", "nodes")
        if self.client.get(f"{path}/{NODE}") is None:
            self.client.create(path, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "StandIn",
            "message": "a stand-in",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        self.client.request(
            "PATCH",
            f"{path}/{NODE}/status",
            {"status": {"conditions": [ready]}},
            content_type="application/merge-patch+json",
        )

    def _bind(self, pod: Pod) -> None:
        meta = pod["metadata"]
        self._request(
            "POST",
            object_path("v1", "pods", meta["namespace"], meta["name"], "binding"),
            {
                "apiVersion": "v1",
                "kind": "Binding",
                "metadata": {"name": meta["name"]},
                "target": {"apiVersion": "v1", "kind": "Node", "name": NODE},
            },
        )

    def _confirm(self, pod: Pod) -> None:
        meta = pod["metadata"]
        self._request(
            "DELETE",
            object_path("v1", "pods", meta["namespace"], meta["name"]),
            {
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "gracePeriodSeconds": 0,
                "preconditions": {"uid": meta["uid"]},
            },
        )

    def _request(self, method: str, path: str, body: dict[str, Any], content_type: str = "application/json") -> None:
        try:
            self.client.request(method, path, body, content_type=content_type)
        except (NotFoundError, ConflictError):
            return

    def _launch(self, pod: Pod) -> subprocess.Popen:
        meta, container = pod["metadata"], pod["spec"]["containers"][0]
        home = self.directory / f"pod-{meta['name']}"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        mounts = {mount["mountPath"]: home / mount["name"] for mount in container.get("volumeMounts") or []}

        def local(text: str) -> str:
            for path, directory in mounts.items():
                # This directory may itself be below /tmp.
                text = text if path == "/tmp" else text.replace(path, str(directory))
            return text

        for mount in container.get("volumeMounts") or []:
            self._mount(meta["namespace"], mount["name"], pod, mounts[mount["mountPath"]], local)

        # What the image would have: the Python that runs this, with its packages.
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
        for source in container.get("envFrom") or []:
            environment.update(self._data(meta["namespace"], "secrets", source["secretRef"]["name"]))
        environment.update({variable["name"]: variable["value"] for variable in container.get("env") or []})
        command = [local(word) for word in container["command"] + (container.get("args") or [])]
        with open(self.directory / f"{meta['name']}.log", "ab") as log:
            return subprocess.Popen(
                command,
                env={key: local(value) for key, value in environment.items()},
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                cwd=home,
            )

    def _mount(self, namespace: str, name: str, pod: Pod, directory: Path, local: Callable[[str], str]) -> None:
        directory.mkdir()
        volume = next(volume for volume in pod["spec"]["volumes"] if volume["name"] == name)
        data = {}
        if "secret" in volume:
            data = self._data(namespace, "secrets", volume["secret"]["secretName"])
        elif "configMap" in volume:
            data = self._data(namespace, "configmaps", volume["configMap"]["name"])
            for file, content in self._data(namespace, "configmaps", volume["configMap"]["name"], "binaryData").items():
                (directory / file).write_bytes(base64.b64decode(content))
        for file, text in data.items():
            (directory / file).write_text(local(text))
            (directory / file).chmod(0o440)

    def _data(self, namespace: str, plural: str, name: str, field: str = "data") -> dict[str, str]:
        found = self.client.get(object_path("v1", plural, namespace, name)) or {}
        data = found.get(field) or {}
        return {key: base64.b64decode(value).decode() for key, value in data.items()} if plural == "secrets" else data

    def _report_ready(self, pod: Pod) -> None:
        conditions = [
            {"type": kind, "status": "True"} for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
        ]
        self._request(
            "PATCH",
            object_path("v1", "pods", pod["metadata"]["namespace"], pod["metadata"]["name"], "status"),
            {"status": {"phase": "Running", "conditions": conditions}},
            "application/merge-patch+json",
        )
