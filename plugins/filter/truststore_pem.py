# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from Java's stores to the PEM text of a client description."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import truststore
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Any]:
        return {
            "truststore_pem": speaking(truststore.truststore_pem),
            "keystore_pem": speaking(truststore.keystore_pem),
        }
