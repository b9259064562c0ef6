# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that looks at gates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import gates as _gates
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


@as_filter
def gate(
    gates: list[dict[str, Any]], require: list[dict[str, Any]] | None = None, facts: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Which gates hold, which do not, and which of these were overridden."""
    return _gates.look(gates, require, facts or {})


FILTERS: dict[str, Callable[..., Any]] = {"gate": gate}
