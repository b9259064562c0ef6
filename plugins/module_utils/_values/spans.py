# SPDX-License-Identifier: GPL-3.0-or-later
"""Many whole numbers as a person writes them: ``4-30003,30007``."""

from __future__ import annotations

from collections.abc import Iterable

from .._errors import UsageError

# What nobody means, and memory does not hold.
MOST = 1_000_000


def as_text(numbers: Iterable[int]) -> str:
    """Numbers in ascending order, three and more that follow each other as a span."""
    spans: list[list[int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(
        f"{first}-{last}" if last - first > 1 else ",".join(map(str, range(first, last + 1))) for first, last in spans
    )


def as_numbers(words: Iterable[object], what: str) -> list[int]:
    """The numbers of ``["4-30003", "30007"]``, ascending.

    :param what: what they are, for errors.
    :raises UsageError: a word is no number and no span, or they are more than :data:`MOST`.
    """
    found: set[int] = set()
    for word in (str(word).strip() for word in words):
        first, dash, last = word.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) < int(first)):
            raise UsageError(
                f"{what} cannot be read", expected="numbers and spans, as in 4-30003,30007", found=word[:80]
            )
        if len(found) + int(last or first) - int(first) >= MOST:
            raise UsageError(f"{what} are too many", expected=f"at most {MOST}", found=word[:80])
        found.update(range(int(first), int(last or first) + 1))
    return sorted(found)
