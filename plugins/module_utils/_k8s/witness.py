# SPDX-License-Identifier: GPL-3.0-or-later
"""The position witness as a Deployment beside the mirror. Pure."""

from __future__ import annotations

import json
from typing import Any

from .one_pod import one_pod

PROGRAMS, SETTINGS, RUN = "/opt/kafka-dr", "/etc/kafka-dr", "/run/kafka-dr"
# A mounted Secret is readable by its group where the pod has an fsGroup; the witness takes nothing that others can
# read.
COMMAND = (
    f"umask 077 && cat {SETTINGS}/witness.json > {RUN}/witness.json && exec python3 "
    f"{PROGRAMS}/position_witness.py --config {RUN}/witness.json"
)


def witness_manifests(
    name: str, namespace: str, image: str, config: dict[str, Any], programs: dict[str, str]
) -> list[dict[str, Any]]:
    """ConfigMap, Secret and Deployment.

    :param image: an image with Python 3.11 and confluent-kafka.
    :param config: the witness's configuration, secrets included; it goes into the Secret.
    :param programs: ``{file name: text}``.
    """
    container = {
        "name": "witness",
        "image": image,
        "command": ["sh", "-c", COMMAND],
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
    }
    return one_pod(
        name,
        namespace,
        "position-witness",
        container,
        programs,
        {"witness.json": json.dumps(config, indent=1, sort_keys=True)},
        {"files": PROGRAMS, "secrets": SETTINGS, "scratch": RUN},
        scratch={"medium": "Memory"},
    )
