# SPDX-License-Identifier: GPL-3.0-or-later
"""All filters in one file, since Ansible looks through every file of this directory wherever a text names one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.filters import (
    failover_request,
    fence,
    gate,
    inventory,
    kafka_resources,
    ledger_writers,
    machines,
    mirror_connectors,
    mirror_deployment,
    mirror_from_mm1,
    mirror_lint,
    mirror_nodes,
    mirror_properties,
    mirror_resource,
    options,
    platforms,
    regions,
    results,
    service_acls,
    stages,
    systemd_units,
    truststore_pem,
    turning,
    watching,
)

SUBJECTS = (
    failover_request,
    fence,
    gate,
    inventory,
    kafka_resources,
    ledger_writers,
    machines,
    mirror_connectors,
    mirror_deployment,
    mirror_from_mm1,
    mirror_lint,
    mirror_nodes,
    mirror_properties,
    mirror_resource,
    options,
    platforms,
    regions,
    results,
    service_acls,
    stages,
    systemd_units,
    truststore_pem,
    turning,
    watching,
)


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {name: function for subject in SUBJECTS for name, function in subject.filters().items()}
