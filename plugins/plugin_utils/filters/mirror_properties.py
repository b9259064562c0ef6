# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from mirror descriptions to MirrorMaker 2's files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import properties
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


@as_filter
def mirror_properties(
    mirrors: list[dict[str, Any]],
    clients: dict[str, dict[str, Any]],
    secrets_file: str,
    rest_port: int = 0,
    rest_host: str = "127.0.0.1",
) -> str:
    """Text of the properties file of a dedicated MirrorMaker 2."""
    return properties.render_properties(
        properties.mirror_properties(mirrors, clients, secrets_file, rest_port, rest_host)
    )


@as_filter
def mirror_secrets(secrets: dict[str, dict[str, Any]]) -> str:
    """Text of the secrets file that such a properties file refers to."""
    return properties.render_properties(properties.mirror_secrets(secrets))


FILTERS: dict[str, Callable[..., Any]] = {"mirror_properties": mirror_properties, "mirror_secrets": mirror_secrets}
