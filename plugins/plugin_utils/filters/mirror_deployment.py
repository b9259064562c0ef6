# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about a mirror that runs as a Deployment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import mirror_deployment
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "mirror_place": as_filter(mirror_deployment.mirror_place),
    "mirror_manifests": as_filter(mirror_deployment.mirror_manifests),
}
