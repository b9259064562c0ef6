# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from mirror descriptions to connectors of an existing Kafka Connect cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import connectors
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


@as_filter
def mirror_connector_names(mirror: dict[str, Any]) -> list[dict[str, str]]:
    """``[{name}]`` of a mirror's connectors, in the order of ``mirror_connectors``."""
    return [{"name": name} for name in connectors.connector_names(mirror).values()]


FILTERS: dict[str, Callable[..., Any]] = {
    "mirror_connectors": as_filter(connectors.mirror_connectors),
    "mirror_connector_names": mirror_connector_names,
}
