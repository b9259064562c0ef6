# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about mirrors that are turned round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import mirrors, turning
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "further_copy": as_filter(turning.further_copy),
    "mirror_renamed": as_filter(mirrors.renamed),
    "mirror_turned": as_filter(turning.turned_mirror),
    "mirror_turn_lacks": as_filter(turning.turn_lacks),
}
