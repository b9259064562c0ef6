# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the ledger."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import elsewhere, manifests, writers
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Any]:
        return {
            "ledger_writers": speaking(writers.expected),
            "ledgers_elsewhere": speaking(elsewhere.others),
            "manifest_digest": speaking(manifests.digest_of),
            "moved_elsewhere": speaking(elsewhere.against),
        }
