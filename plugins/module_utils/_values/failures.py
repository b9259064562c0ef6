# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a task failed, in the words of what failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def failure_told(result: Mapping[str, Any], otherwise: str = "") -> str:
    """The message of a failed task. Of a loop it is that of the first item that failed: its own says no more than that
    one did.

    :param result: ``ansible_failed_result``. :param otherwise: what stands for a message that is not there.
    """
    items = [item.get("msg") for item in result.get("results") or [] if item.get("failed")]
    return str((items[0] if items else None) or result.get("msg") or otherwise)
