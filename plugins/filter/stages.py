# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about a stage's run in the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import about as _about
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import drift as _drift
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import returned as _returned
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "failback_alike": speaking(_returned.alike),
            "failback_bounds": speaking(_returned.bounds),
            "failback_drift": speaking(_drift.drift),
            "failback_holding": speaking(_returned.holding),
            "failback_plan": speaking(_returned.plan),
            "failback_rights": speaking(_returned.rights),
            "failback_unsaved": speaking(_returned.unsaved),
            "resumes": speaking(_about.resumes),
            "stage_about": speaking(_about.about),
        }
