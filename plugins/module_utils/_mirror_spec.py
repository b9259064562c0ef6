# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The options by which modules are told of one mirror; documented in the fragment ``mirror_clients``."""

from __future__ import annotations

MIRROR_SPEC = {
    "source_client": {"type": "dict"},
    "source_client_secrets": {"type": "dict", "default": {}, "no_log": True},
    "target_client": {"type": "dict", "required": True},
    "target_client_secrets": {"type": "dict", "default": {}, "no_log": True},
    "source_alias": {"type": "str", "required": True},
    "target_alias": {"type": "str", "required": True},
    "policy": {"type": "str", "choices": ["identity", "default"], "default": "identity"},
    "separator": {"type": "str", "default": "."},
    "offsets_topic": {"type": "str"},
    "connector": {"type": "str"},
    "positions_topic": {"type": "str", "default": "__kafka_dr_positions"},
    "timeout": {"type": "int", "default": 30},
}
