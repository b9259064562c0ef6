# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof as a Kubernetes Job, where it is to run near the brokers instead of beside Ansible. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from .._errors import UsageError

SETTINGS, RUN = "/etc/kafka-dr", "/run/kafka-dr"
PROGRAM = "/opt/kafka-dr/spark/main.py"
# The program takes no client file that others can read, and a mounted Secret may be one. Its exit code is the Job's.
COMMAND = (
    f'umask 077 && for one in {SETTINGS}/*.json; do cat "$one" > "{RUN}/$(basename "$one")"; done && exec python3 "$@"'
)
SIDES = ("source", "target")


def proof_job(
    clients: dict[str, dict[str, Any]],
    name: str,
    namespace: str,
    image: str,
    topics: str,
    words: Sequence[str] = (),
    program: str = PROGRAM,
    resources: dict[str, Any] | None = None,
    claim: str | None = None,
) -> list[dict[str, Any]]:
    """Secret and Job.

    :param clients: ``{"source": client, "target": client}`` in librdkafka keys, secrets included; they go into the
        Secret.
    :param image: an image with Python, Java, PySpark, confluent-kafka, and the collection's ``spark`` and ``plugins``.
    :param topics: regular expression for whole topic names.
    :param words: further words for ``main.py compare``.
    :param program: path of ``main.py`` in the image.
    :param claim: name of a PersistentVolumeClaim that the report is left on; without it, the report goes with the pod
        and the verdict is in its log.
    :raises UsageError: a side has no client.
    """
    absent = [side for side in SIDES if not (clients.get(side) or {}).get("bootstrap.servers")]
    if absent:
        raise UsageError(
            f"The proof '{name}' has no client for its {' and '.join(absent)}",
            expected="librdkafka keys with bootstrap.servers",
        )
    labels = {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/component": "proof",
        "app.kubernetes.io/part-of": "streamsafe.kafka_dr",
    }
    meta = {"name": name, "namespace": namespace, "labels": labels}
    report = f"{'/report' if claim else RUN}/{name}.json"
    pod = _pod(name, image, [program, *_compare(topics, report), *map(str, words)], resources, claim)
    return [_secret(meta, clients), _job(meta, pod)]


def _compare(topics: str, report: str) -> list[str]:
    sides = ["--source-config", f"{RUN}/source.json", "--target-config", f"{RUN}/target.json"]
    return ["compare", *sides, "--topics", topics, "--report", report]


def _secret(meta: dict[str, Any], clients: dict[str, dict[str, Any]]) -> dict[str, Any]:
    data = {
        f"{side}.json": base64.b64encode(json.dumps(clients[side], sort_keys=True).encode("utf-8")).decode("ascii")
        for side in SIDES
    }
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": meta, "data": data}


def _job(meta: dict[str, Any], pod: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            # A difference is an answer: it is not tried again.
            "backoffLimit": 0,
            "template": {"metadata": {"labels": meta["labels"]}, "spec": pod},
        },
    }


def _pod(
    name: str, image: str, arguments: list[str], resources: dict[str, Any] | None, claim: str | None
) -> dict[str, Any]:
    mounts = [
        {"name": "settings", "mountPath": SETTINGS, "readOnly": True},
        {"name": "run", "mountPath": RUN},
        {"name": "work", "mountPath": "/tmp"},
    ]
    volumes = [
        {"name": "settings", "secret": {"secretName": name}},
        {"name": "run", "emptyDir": {"medium": "Memory"}},
        {"name": "work", "emptyDir": {}},
    ]
    if claim:
        mounts.append({"name": "report", "mountPath": "/report"})
        volumes.append({"name": "report", "persistentVolumeClaim": {"claimName": claim}})
    container = {
        "name": "proof",
        "image": image,
        "command": ["sh", "-c", COMMAND, "sh", *arguments],
        "volumeMounts": mounts,
        "resources": resources or {"requests": {"cpu": "2", "memory": "2Gi"}, "limits": {"memory": "4Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    return {
        "automountServiceAccountToken": False,
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": volumes,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
    }
