# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from mirror descriptions to connectors of an existing Kafka Connect cluster."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import connectors
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


@as_filter
def mirror_connectors(
    mirror: dict[str, Any],
    clients: dict[str, dict[str, Any]],
    secret_reference: str,
    own_client: bool = True,
    own_offsets: bool = True,
) -> list[dict[str, Any]]:
    """The connectors of a mirror, as ``connect_connectors`` takes them."""
    return connectors.mirror_connectors(mirror, clients, secret_reference, own_client, own_offsets)


@as_filter
def mirror_connector_names(mirror: dict[str, Any]) -> list[dict[str, str]]:
    """``[{name}]`` of the same, in the same order."""
    return [{"name": name} for name in connectors.connector_names(mirror).values()]


def filters() -> dict[str, Any]:
    """The filters, by their names."""
    return {"mirror_connectors": mirror_connectors, "mirror_connector_names": mirror_connector_names}
