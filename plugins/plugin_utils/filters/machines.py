# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the machines that a stage needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import applications as _applications
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import machines as _machines
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values import failures as _failures
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "application_machines": as_filter(_applications.application_machines),
    "applications_unreached": as_filter(_applications.applications_unreached),
    "failure_told": as_filter(_failures.failure_told),
    "machines_needed": as_filter(_machines.machines_needed),
    "mirror_behind": as_filter(_machines.mirror_behind),
    "mirror_forgotten": as_filter(_machines.mirror_forgotten),
    "mirror_machines": as_filter(_machines.mirror_machines),
    "told_silent": as_filter(_machines.told_silent),
}
