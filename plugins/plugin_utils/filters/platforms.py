# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters that say what a region's platform means, so that no stage has to name one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import platforms as _platforms
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "definition_hosts": as_filter(_platforms.definition_hosts),
    "mirror_platform": as_filter(_platforms.mirror_platform),
    "mirror_source_connector": as_filter(_platforms.source_connector),
    "platform": as_filter(_platforms.platform),
}
