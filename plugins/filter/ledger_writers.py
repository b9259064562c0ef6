# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the ledger."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import manifests, writers
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


@speaking
def ledger_writers(region, ledger_topic, positions_topic, later=()):
    """Which principals may write to which of the collection's own topics in a region."""
    return writers.expected(region, ledger_topic, positions_topic, later)


@speaking
def manifest_digest(known, place):
    """The digest of the manifest at a place when it was made, empty where the ledger does not know it."""
    return manifests.digest_of(known, place)


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"ledger_writers": ledger_writers, "manifest_digest": manifest_digest}
