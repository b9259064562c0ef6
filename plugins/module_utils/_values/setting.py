# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of settings as Java programs and supervisord write them."""

from __future__ import annotations

from typing import Any


def setting(value: Any) -> str:
    """The value as text; a truth in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)
