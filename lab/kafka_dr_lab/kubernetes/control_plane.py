# SPDX-License-Identifier: GPL-3.0-or-later
"""Start and stop etcd, kube-apiserver and kube-controller-manager: a Kubernetes API with RBAC and without nodes.

Several can run side by side, each in its own directory on free ports. They are ended by process id, which counts only
together with the start time of its process.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import LabError
from ..pki import new_authority, new_certificate
from ..ports import free_ports
from .binaries import binaries
from .programs import arguments, kubeconfig

PARTS = ("etcd", "kube-apiserver", "kube-controller-manager")
ADMIN = "admin"
CONTROLLER = "system:kube-controller-manager"


class ControlPlane:
    """One API server with its store and its controllers.

    :param directory: where its data, certificates, logs and ``kubeconfig`` are; made when it is not there.
    """

    def __init__(self, directory: str | Path, name: str = "lab"):
        self.directory = Path(directory).absolute()
        self.name = name
        self.kubeconfig = self.directory / "kubeconfig"
        self._settings: dict[str, Any] = {}

    def start(self, wait: float = 120) -> ControlPlane:
        """Start what does not run, and wait until namespaces get their service accounts.

        :raises LabError: a part ended or was not ready in time; its log's last lines are in the message.
        """
        home = binaries()
        self._prepare()
        end = time.monotonic() + wait
        for part in PARTS:
            if part == "kube-controller-manager":
                self._await("kube-apiserver", self._answers, end)
            if not self._alive(part):
                self._launch(part, home)
            if part == "etcd":
                self._await(part, self._etcd_healthy, end)
        self._await("kube-controller-manager", self._controllers_work, end)
        return self

    def stop(self) -> None:
        """End every part, the last one started first."""
        for part in reversed(PARTS):
            self.end(part)

    def end(self, part: str, how: int = signal.SIGTERM) -> None:
        """End one part by its process id."""
        pid = self._alive(part)
        if not pid:
            return
        os.killpg(pid, how)
        end = time.monotonic() + 15
        while self._alive(part) and time.monotonic() < end:
            _reap(pid)
            time.sleep(0.05)
        if self._alive(part):
            os.killpg(pid, signal.SIGKILL)
            _reap(pid)
        (self.directory / f"{part}.pid").unlink(missing_ok=True)

    def wipe(self) -> None:
        """Stop, and remove the directory."""
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def server(self) -> str:
        """Address of the API server."""
        self._load()
        return f"https://127.0.0.1:{self._settings['ports']['api']}"

    @property
    def token(self) -> str:
        """Token of the administrator."""
        self._load()
        return self._settings["tokens"][ADMIN]

    @property
    def ca_file(self) -> Path:
        """Certificate of the CA that signed the API server's."""
        return self.directory / "ca.crt"

    def get(self, path: str, timeout: float = 5) -> str:
        """Body of an answer of the API server, asked for as administrator."""
        request = urllib.request.Request(self.server + path, headers={"Authorization": f"Bearer {self.token}"})
        handlers = [
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=str(self.ca_file))),
        ]
        return urllib.request.build_opener(*handlers).open(request, timeout=timeout).read().decode()

    def kubeconfig_for(self, token: str, path: Path, namespace: str = "default") -> Path:
        """A kubeconfig with another bearer's token, mode 0600."""
        _write(path, kubeconfig(self.name, self.server, self.ca_file, token, namespace))
        return path

    def _load(self) -> None:
        if not self._settings:
            self._settings = json.loads((self.directory / "settings.json").read_text())

    def _prepare(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if (self.directory / "settings.json").exists():
            self._load()
            return
        ports = dict(zip(("etcd", "etcd_peer", "api"), free_ports(3), strict=True))
        tokens = {ADMIN: secrets.token_hex(24), CONTROLLER: secrets.token_hex(24)}
        authority = new_authority(f"{self.name} kubernetes")
        serving = new_certificate(
            authority, "kube-apiserver", ["127.0.0.1", "10.96.0.1", "localhost", "kubernetes.default.svc"]
        )
        _write(self.ca_file, authority["certificate"])
        _write(self.directory / "ca.key", authority["key"])
        _write(self.directory / "apiserver.crt", serving["certificate"])
        _write(self.directory / "apiserver.key", serving["key"])
        signer = new_authority("service accounts")
        _write(self.directory / "service-account.key", signer["key"])
        _write(self.directory / "service-account.crt", signer["certificate"])
        _write(
            self.directory / "tokens.csv",
            f'{tokens[ADMIN]},{ADMIN},1,"system:masters"\n{tokens[CONTROLLER]},{CONTROLLER},2\n',
        )
        self._settings = {"ports": ports, "tokens": tokens}
        _write(self.kubeconfig, kubeconfig(self.name, self.server, self.ca_file, tokens[ADMIN]))
        _write(
            self.directory / "controller.kubeconfig",
            kubeconfig(self.name, self.server, self.ca_file, tokens[CONTROLLER]),
        )
        _write(self.directory / "settings.json", json.dumps(self._settings))

    def _launch(self, part: str, home: Path) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        with open(self.directory / f"{part}.log", "ab") as log:
            process = subprocess.Popen(
                [str(home / part), *arguments(part, self.directory, self._settings["ports"])],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
                cwd=self.directory,
            )
        (self.directory / f"{part}.pid").write_text(f"{process.pid} {_began(process.pid)}")

    def _alive(self, part: str) -> int:
        """The part's process id where it still runs, else 0."""
        try:
            pid, began = (self.directory / f"{part}.pid").read_text().split()
        except (OSError, ValueError):
            return 0
        _reap(int(pid))
        return int(pid) if _began(int(pid)) == began else 0

    def _await(self, part: str, ready: Callable[[], bool], end: float) -> None:
        why = ""
        while time.monotonic() < end:
            if not self._alive(part):
                raise LabError(f"{part} ended while it was started: {self._tail(part)}")
            try:
                if ready():
                    return
            except (OSError, urllib.error.URLError, ValueError) as error:
                why = str(error)
            time.sleep(0.1)
        raise LabError(f"{part} was not ready in time ({why}): {self._tail(part)}")

    def _tail(self, part: str) -> str:
        log = self.directory / f"{part}.log"
        return " | ".join(log.read_text(errors="replace").splitlines()[-3:]) if log.exists() else "no log"

    def _etcd_healthy(self) -> bool:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        answer = opener.open(f"http://127.0.0.1:{self._settings['ports']['etcd']}/health", timeout=2).read()
        return json.loads(answer)["health"] == "true"

    def _answers(self) -> bool:
        return self.get("/readyz") == "ok"

    def _controllers_work(self) -> bool:
        accounts = self.get("/api/v1/namespaces/default/serviceaccounts")
        return '"default"' in accounts and "kube-root-ca" in self.get("/api/v1/namespaces/default/configmaps")


def _write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)


def _began(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty where it is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def main() -> None:
    """``start DIRECTORY``, ``stop DIRECTORY`` or ``wipe DIRECTORY``."""
    verb, directory = sys.argv[1:3]
    began = time.monotonic()
    getattr(ControlPlane(directory), {"start": "start", "stop": "stop", "wipe": "wipe"}[verb])()
    print(f"{verb} {directory}: {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
