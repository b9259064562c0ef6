# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The options by which modules are told of one mirror; documented in the fragment ``mirror_clients``."""

from __future__ import annotations

from ._module import CLIENTS_SPEC

MIRROR_SPEC = {
    **CLIENTS_SPEC,
    # Left out where the source is lost.
    "source_client": {"type": "dict"},
    "source_alias": {"type": "str", "required": True},
    "target_alias": {"type": "str", "required": True},
    "policy": {"type": "str", "choices": ["identity", "default"], "default": "identity"},
    "separator": {"type": "str", "default": "."},
    "offsets_topic": {"type": "str"},
    "connector": {"type": "str"},
    "positions_topic": {"type": "str", "default": "__kafka_dr_positions"},
}
