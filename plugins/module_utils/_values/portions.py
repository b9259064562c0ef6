# SPDX-License-Identifier: GPL-3.0-or-later
"""Long lists in as many requests as it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def portions(items: list[T], most: int) -> Iterator[list[T]]:
    """At most ``most`` of the items at a time, in their order."""
    return (items[begin : begin + most] for begin in range(0, len(items), most))
