# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the ledger."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import elsewhere, epochs, manifests, writers
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Any]:
        return {
            "ledger_heard": speaking(epochs.heard),
            "ledger_move_told": speaking(epochs.told),
            "ledger_stories": speaking(epochs.stories),
            "ledger_truth": speaking(epochs.truth),
            "ledger_writers": speaking(writers.expected),
            "ledgers_elsewhere": speaking(elsewhere.others),
            "manifest_digest": speaking(manifests.digest_of),
            "moved_elsewhere": speaking(elsewhere.against),
        }
