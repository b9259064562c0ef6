# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters that give the options which the modules of an action group share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import options as _options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import positions as _positions
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "client_options": as_filter(_options.client_options),
    "connect_options": as_filter(_options.connect_options),
    "mirror_options": as_filter(_options.mirror_options),
    "mirror_positions_topic": as_filter(_positions.positions_topic),
    "positions_topics": as_filter(_positions.positions_topics),
}
