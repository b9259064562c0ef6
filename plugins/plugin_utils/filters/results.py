# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters over what people give and what modules found: calls and lines that would otherwise be loops in Jinja."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor import lines as _lines
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor import unread as _unread
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import witness_config as _witness_config
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import probing as _probing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import proving as _proving
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values import names as _names
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values import place as _place
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "doctor_failures": as_filter(_lines.doctor_failures),
    "doctor_lines": as_filter(_lines.doctor_lines),
    "manifest_place": as_filter(_proving.manifest_place),
    "place_shown": as_filter(_place.shown),
    "names_listed": as_filter(_names.names_listed),
    "probe_positions": as_filter(_probing.probe_positions),
    "probe_wrong": as_filter(_probing.probe_wrong),
    "proof_arguments": as_filter(_proving.proof_arguments),
    "proof_counts": as_filter(_proving.proof_counts),
    "proof_covered": as_filter(_proving.proof_covered),
    "proof_lost": as_filter(_proving.proof_lost),
    "proof_partitions": as_filter(_proving.proof_partitions),
    "proof_recorded": as_filter(_proving.proof_recorded),
    "unread_logs": as_filter(_unread.unread_logs),
    "witness_config": as_filter(_witness_config.witness_config),
}
