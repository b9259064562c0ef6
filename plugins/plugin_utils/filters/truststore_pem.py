# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from Java's stores to the PEM text of a client description."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import truststore
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


def filters() -> dict[str, Any]:
    """The filters, by their names."""
    return {"truststore_pem": as_filter(truststore.truststore_pem), "keystore_pem": as_filter(truststore.keystore_pem)}
