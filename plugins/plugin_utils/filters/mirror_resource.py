# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters between mirror descriptions and KafkaMirrorMaker2 resources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import (
    mirror_resource,
    mirror_state,
    mirror_versions,
)
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


def mirror_api_version(
    served: list[str], existing: dict[str, Any] | None = None, group: str = mirror_versions.STRIMZI_GROUP
) -> str:
    """Group and version to write a KafkaMirrorMaker2 with."""
    return f"{group}/{mirror_versions.writing_version(served, existing)}"


FILTERS: dict[str, Callable[..., Any]] = {
    "mirror_resource": as_filter(mirror_resource.mirror_resource),
    "mirror_api_version": as_filter(mirror_api_version),
    "mirror_state_patch": as_filter(mirror_state.state_patch),
    "mirror_status": as_filter(mirror_state.mirror_status),
    "mirror_stopped": as_filter(mirror_state.stopped),
}
