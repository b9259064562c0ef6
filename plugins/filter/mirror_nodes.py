# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the hosts that run a mirror."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _mirror_nodes
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"mirror_node": speaking(_mirror_nodes.mirror_node)}
