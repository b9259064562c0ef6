# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that runs in one pod: the Deployment and the two objects that its files come from. Pure."""

from __future__ import annotations

import base64
from typing import Any


def one_pod(
    name: str,
    namespace: str,
    component: str,
    container: dict[str, Any],
    files: dict[str, str],
    secrets: dict[str, str],
    mounts: dict[str, str],
    scratch: dict[str, str] | None = None,
    pod: dict[str, int] | None = None,
    binary: dict[str, str] | None = None,
) -> list[dict[str, Any]]:
    """ConfigMap, Secret and Deployment, all of one name.

    :param container: name, image, command and what else is special about it.
    :param files: ``{file name: text}`` of the ConfigMap; ``secrets``: the same of the Secret.
    :param mounts: ``{files, secrets, scratch}``: the directory where each is seen; scratch alone can be written.
    :param scratch: what kind of ``emptyDir`` the scratch directory is.
    :param pod: further fields of the pod's spec.
    :param binary: ``{file name: base64}`` of what is not text, for the ConfigMap too.
    """
    labels = {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/component": component,
        "app.kubernetes.io/part-of": "streamsafe.kafka_dr",
    }
    meta = {"name": name, "namespace": namespace, "labels": labels}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": files, "binaryData": binary or {}},
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "Opaque",
            "metadata": meta,
            "data": {key: base64.b64encode(text.encode("utf-8")).decode("ascii") for key, text in secrets.items()},
        },
        _deployment(meta, container, mounts, scratch or {}, pod or {}),
    ]


def _deployment(
    meta: dict[str, Any],
    container: dict[str, Any],
    mounts: dict[str, str],
    scratch: dict[str, str],
    pod: dict[str, Any],
) -> dict[str, Any]:
    name = meta["name"]
    sources = {
        "files": {"configMap": {"name": name}},
        "secrets": {"secret": {"secretName": name}},
        "scratch": {"emptyDir": scratch},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta,
        "spec": {
            # Two at a time would be two members of one group, or two writers of one topic.
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
            "template": {
                "metadata": {"labels": meta["labels"]},
                "spec": {
                    "automountServiceAccountToken": False,
                    "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
                    **pod,
                    "containers": [_confined(container, {volume: mounts[volume] for volume in sources})],
                    "volumes": [{"name": volume, **source} for volume, source in sources.items()],
                },
            },
        },
    }


def _confined(container: dict[str, Any], mounts: dict[str, str]) -> dict[str, Any]:
    """The container with its volumes, of which it writes to ``scratch`` only, and without privileges."""
    return {
        **container,
        "volumeMounts": [
            {"name": volume, "mountPath": path, **({} if volume == "scratch" else {"readOnly": True})}
            for volume, path in mounts.items()
        ],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
