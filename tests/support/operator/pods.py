# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for a node: the command of each pod whose image is ``lab`` runs as a process, with its environment and its files.

Paths of mounts are those of a directory here, so they are replaced wherever a command or a variable names one.
"""

from __future__ import annotations

import base64
import os
import shutil
import signal
import subprocess
from pathlib import Path

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import NotFoundError, object_path

IMAGE = "lab"


class Pods:
    """The pods of an API server that run here."""

    def __init__(self, client, directory: Path):
        self.client, self.directory = client, Path(directory)
        self.running: dict[str, subprocess.Popen] = {}

    def round(self) -> None:
        """Start what is new, end what is gone, say what is ready."""
        listed = {one["metadata"]["uid"]: one for one in self.client.list("/api/v1/pods") if one["spec"]["containers"][0]["image"] == IMAGE}
        for uid in [uid for uid in self.running if uid not in listed]:
            self._end(uid, signal.SIGTERM)
        for uid, pod in listed.items():
            if uid not in self.running:
                self.running[uid] = self._launch(pod)
            elif self.running[uid].poll() is not None and not pod["metadata"].get("deletionTimestamp"):
                self.running[uid] = self._launch(pod)
            elif (pod.get("status") or {}).get("phase") != "Running":
                self._say_ready(pod)

    def kill(self) -> None:
        """End everything."""
        for uid in list(self.running):
            self._end(uid, signal.SIGKILL)

    def _end(self, uid: str, how: int) -> None:
        process = self.running.pop(uid)
        if process.poll() is None:
            os.killpg(process.pid, how)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(5)

    def _launch(self, pod: dict) -> subprocess.Popen:
        meta, container = pod["metadata"], pod["spec"]["containers"][0]
        home = self.directory / f"pod-{meta['name']}"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        mounts = {one["mountPath"]: self._mount(meta["namespace"], one["name"], pod, home) for one in container.get("volumeMounts") or []}

        def local(text: str) -> str:
            for path, here in mounts.items():
                text = text.replace(path, str(here))
            return text

        environment = dict(os.environ)
        for one in container.get("envFrom") or []:
            environment.update(self._data(meta["namespace"], "secrets", one["secretRef"]["name"]))
        environment.update({one["name"]: one["value"] for one in container.get("env") or []})
        command = [local(word) for word in container["command"] + (container.get("args") or [])]
        with open(self.directory / f"{meta['name']}.log", "ab") as log:
            return subprocess.Popen(command, env={key: local(value) for key, value in environment.items()}, stdout=log, stderr=log,
                                    stdin=subprocess.DEVNULL, start_new_session=True, cwd=home)

    def _mount(self, namespace: str, name: str, pod: dict, home: Path) -> Path:
        here = home / name
        here.mkdir()
        volume = next(one for one in pod["spec"]["volumes"] if one["name"] == name)
        data = {}
        if "secret" in volume:
            data = self._data(namespace, "secrets", volume["secret"]["secretName"])
        elif "configMap" in volume:
            data = self._data(namespace, "configmaps", volume["configMap"]["name"])
        for file, text in data.items():
            (here / file).write_text(text)
            (here / file).chmod(0o440)
        return here

    def _data(self, namespace: str, plural: str, name: str) -> dict[str, str]:
        found = self.client.get(object_path("v1", plural, namespace, name)) or {}
        data = found.get("data") or {}
        return {key: base64.b64decode(value).decode() for key, value in data.items()} if plural == "secrets" else data

    def _say_ready(self, pod: dict) -> None:
        conditions = [{"type": kind, "status": "True"} for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]
        try:
            self.client.request("PATCH", object_path("v1", "pods", pod["metadata"]["namespace"], pod["metadata"]["name"], "status"),
                                {"status": {"phase": "Running", "conditions": conditions}}, content_type="application/merge-patch+json")
        except NotFoundError:
            return
