# SPDX-License-Identifier: GPL-3.0-or-later
"""Long lists in messages."""

from __future__ import annotations

from collections.abc import Iterable


def named(items: Iterable[object], most: int = 5, separator: str = ", ", more: str = " and ") -> str:
    """The first ``most`` items as text, and how many more there are: ``a, b and 3 more``.

    :param more: what stands between the last item named and the count.
    """
    texts = [str(item) for item in items]
    return separator.join(texts[:most]) + (f"{more}{len(texts) - most} more" if len(texts) > most else "")
