# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that checks a request for a failover."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import failover_request as _failover_request
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


def filters() -> dict[str, Any]:
    """The filters, by their names."""
    return {"failover_request": as_filter(_failover_request.failover_request)}
