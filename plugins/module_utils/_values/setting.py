# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of settings as Java programs and supervisord write them."""

from __future__ import annotations

from typing import Any


def setting(value: Any) -> str:
    """The value as text; a truth in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def alike(text: str | None, other: str | None) -> bool:
    """Whether two texts of settings say the same, as brokers read them: ``0.50`` and ``0.5``, ``a, b`` and ``a,b``."""
    return text == other or (text is not None and other is not None and _read(text) == _read(other))


def _read(text: str) -> float | tuple[str, ...]:
    try:
        # Whole numbers beyond 2^53 differ where a float does not.
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        words = tuple(word.strip() for word in text.split(","))
        return tuple(word.lower() if word.lower() in ("true", "false") else word for word in words)
