# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that checks a request for a failover."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import failover_request as _failover_request
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {"failover_request": as_filter(_failover_request.failover_request)}
