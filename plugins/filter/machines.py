# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the machines that a stage needs."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import applications as _applications
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import machines as _machines
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Any]:
        return {
            "application_machines": speaking(_applications.application_machines),
            "applications_unreached": speaking(_applications.applications_unreached),
            "machines_needed": speaking(_machines.machines_needed),
            "mirror_machines": speaking(_machines.mirror_machines),
            "told_silent": speaking(_machines.told_silent),
        }
