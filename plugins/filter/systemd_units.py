# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that makes services fit for unit files."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host import systemd
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


@speaking
def systemd_units(services):
    """The services with checked names and values."""
    return systemd.units(services)


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"systemd_units": systemd_units}
