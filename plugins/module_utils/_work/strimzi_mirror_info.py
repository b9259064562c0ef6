# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``strimzi_mirror_info``."""

from __future__ import annotations

from typing import Any

from .._k8s.client import KubernetesClient
from .._k8s.strimzi import read_mirror


def strimzi_mirror_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Read the KafkaMirrorMaker2."""
    return read_mirror(KubernetesClient(params["connection"], params["timeout"]), params, params["until"])
