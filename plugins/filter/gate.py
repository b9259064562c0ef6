# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that looks at gates."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _gates
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


@speaking
def gate(gates, require=None, facts=None):
    """Which gates hold, which do not, and which of these were overridden."""
    return _gates.look(gates, require, facts or {})


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"gate": gate}
