# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``supervisor_programs``."""

from __future__ import annotations

from typing import Any

from .._host.supervisor import ensure_programs


def supervisor_programs(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Ensure the programs."""
    return ensure_programs(params, check_mode)
