# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that makes services fit for unit files."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host import systemd
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


def filters() -> dict[str, Any]:
    """The filters, by their names."""
    return {"systemd_units": as_filter(systemd.units)}
