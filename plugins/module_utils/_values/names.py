# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that people give as a list, or as a text."""

from __future__ import annotations

from collections.abc import Iterable


def names_listed(value: str | Iterable[str] | None) -> list[str]:
    """Names as a list. A controller's survey gives them as a text, a name a line; names may hold commas."""
    if isinstance(value, str):
        return [name.strip() for name in value.splitlines() if name.strip()]
    return list(value or [])
