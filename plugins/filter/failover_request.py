# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that checks a request for a failover."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _failover_request
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


@speaking
def failover_request(seen, hosts):
    """The facts of a request, with nothing but names of the inventory, a known state and numbers."""
    return _failover_request.failover_request(seen, hosts)


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"failover_request": failover_request}
