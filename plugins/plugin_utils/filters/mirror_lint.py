# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that names the traps in a mirror's configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import SEVERITIES, lint
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


@as_filter
def mirror_lint(subject: Any, severity: str = "info") -> Any:
    """Findings of at least this severity, the worst first."""
    if severity not in SEVERITIES:
        raise AnsibleFilterError(f"severity must be one of {', '.join(SEVERITIES)}, not {severity!r}")
    return [finding for finding in lint(subject) if SEVERITIES.index(finding["severity"]) <= SEVERITIES.index(severity)]


FILTERS: dict[str, Callable[..., Any]] = {"mirror_lint": mirror_lint}
