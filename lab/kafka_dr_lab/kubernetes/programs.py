# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of the control plane's programs, and the kubeconfig of their clients."""

from __future__ import annotations

import json
from pathlib import Path


def arguments(part: str, directory: Path, ports: dict[str, int]) -> list[str]:
    """Arguments of one program.

    :param part: ``etcd``, ``kube-apiserver`` or ``kube-controller-manager``.
    :param ports: ``{etcd, etcd_peer, api}``.
    """
    etcd, peer = f"http://127.0.0.1:{ports['etcd']}", f"http://127.0.0.1:{ports['etcd_peer']}"
    if part == "etcd":
        return _of_etcd(directory, etcd, peer)
    if part == "kube-apiserver":
        return _of_api_server(directory, etcd, ports["api"])
    return _of_controller_manager(directory)


def _of_etcd(directory: Path, url: str, peer_url: str) -> list[str]:
    options = {
        "--data-dir": f"{directory}/etcd",
        "--listen-client-urls": url,
        "--advertise-client-urls": url,
        "--listen-peer-urls": peer_url,
        "--initial-advertise-peer-urls": peer_url,
        "--initial-cluster": f"default={peer_url}",
        "--log-level": "warn",
    }
    # A lab's data need not survive the machine.
    return [*(word for option in options.items() for word in option), "--unsafe-no-fsync"]


def _of_api_server(directory: Path, etcd: str, port: int) -> list[str]:
    return [
        f"--etcd-servers={etcd}",
        "--bind-address=127.0.0.1",
        "--advertise-address=192.0.2.1",
        f"--secure-port={port}",
        f"--tls-cert-file={directory}/apiserver.crt",
        f"--tls-private-key-file={directory}/apiserver.key",
        f"--token-auth-file={directory}/tokens.csv",
        f"--service-account-key-file={directory}/service-account.crt",
        f"--service-account-signing-key-file={directory}/service-account.key",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--profiling=false",
        "--endpoint-reconciler-type=none",
        "--anonymous-auth=false",
    ]


def _of_controller_manager(directory: Path) -> list[str]:
    return [
        f"--kubeconfig={directory}/controller.kubeconfig",
        f"--service-account-private-key-file={directory}/service-account.key",
        f"--root-ca-file={directory}/ca.crt",
        "--use-service-account-credentials=true",
        "--leader-elect=false",
        "--secure-port=0",
        "--profiling=false",
        "--controllers=*,-horizontal-pod-autoscaler-controller",
    ]


def kubeconfig(name: str, server: str, ca_file: Path, token: str, namespace: str = "default") -> str:
    """Text of a kubeconfig with one cluster and one user."""
    # JSON is YAML.
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority": str(ca_file)}}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": namespace}}],
        },
        indent=1,
    )
