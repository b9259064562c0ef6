# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from Java's stores to the PEM text of a client description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import truststore
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "truststore_pem": as_filter(truststore.truststore_pem),
    "keystore_pem": as_filter(truststore.keystore_pem),
}
