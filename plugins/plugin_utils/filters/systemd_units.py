# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that makes services fit for unit files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host import systemd
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {"systemd_units": as_filter(systemd.units)}
