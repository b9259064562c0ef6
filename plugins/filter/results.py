# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters over what people give and what modules found: calls and lines that would otherwise be loops in Jinja."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor import lines as _lines
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import witness_config as _witness_config
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import probing as _probing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import proving as _proving
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values import names as _names
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "doctor_failures": speaking(_lines.doctor_failures),
            "doctor_lines": speaking(_lines.doctor_lines),
            "manifest_place": speaking(_proving.manifest_place),
            "names_listed": speaking(_names.names_listed),
            "probe_positions": speaking(_probing.probe_positions),
            "probe_wrong": speaking(_probing.probe_wrong),
            "proof_arguments": speaking(_proving.proof_arguments),
            "proof_counts": speaking(_proving.proof_counts),
            "proof_recorded": speaking(_proving.proof_recorded),
            "witness_config": speaking(_witness_config.witness_config),
        }
