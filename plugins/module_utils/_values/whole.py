# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole numbers in what others may have written: JSON has true, 1.0 and numbers of any size too."""

from __future__ import annotations

from typing import Any


def is_whole(value: Any, most: int, least: int = 0) -> bool:
    """Whether a value is a whole number from ``least`` to ``most``."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
