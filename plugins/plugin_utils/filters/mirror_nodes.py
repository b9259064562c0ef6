# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the hosts that run a mirror."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import nodes as _nodes
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {"mirror_node": as_filter(_nodes.mirror_node)}
