# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch of a mirror as a Deployment beside it. Pure."""

from __future__ import annotations

from typing import Any

from .mirror_resource import merged
from .one_pod import one_pod

PROGRAMS, SETTINGS, RUN = "/opt/kafka-dr", "/etc/kafka-dr", "/run/kafka-dr"
# A mounted Secret is readable by its group where the pod has an fsGroup, and the watch takes no client file that others
# can read.
COMMAND = (
    f"umask 077 && for name in source target; do cat {SETTINGS}/$name.json > {RUN}/$name.json; done && "
    f"export TMPDIR={RUN} && "
    f"exec python3 {PROGRAMS}/watch.zip {SETTINGS}/watch.json"
)


def watch_manifests(
    name: str, namespace: str, image: str, files: dict[str, str], program: dict[str, str], fields: dict[str, Any]
) -> list[dict[str, Any]]:
    """ConfigMap, Secret and Deployment.

    :param image: an image with Python 3.11 and the packages of ``requirements-watch.txt``.
    :param files: the watch's own files by name, clients with their secrets among them; they go into the Secret.
    :param program: the program's files by name, ``*.zip`` in base64.
    :param fields: merged over the Deployment.
    """
    container = {
        "name": "watch",
        "image": image,
        "command": ["sh", "-c", COMMAND],
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "2Gi"}},
    }
    config, secret, deployment = one_pod(
        name,
        namespace,
        "watch",
        container,
        {file: text for file, text in program.items() if not file.endswith(".zip")},
        files,
        {"files": PROGRAMS, "secrets": SETTINGS, "scratch": RUN},
        scratch={"medium": "Memory"},
        pod={"terminationGracePeriodSeconds": 60},
        binary={file: data for file, data in program.items() if file.endswith(".zip")},
    )
    return [config, secret, merged(deployment, fields)]
