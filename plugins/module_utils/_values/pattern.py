# SPDX-License-Identifier: GPL-3.0-or-later
"""Regular expressions that people give, of whole names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .._errors import UsageError


def compiled(pattern: str, what: str) -> re.Pattern[str]:
    """The expression.

    :param what: what it matches, for the error.
    :raises UsageError: it is not valid.
    """
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(
            f"The pattern of {what} is not a regular expression",
            expected="one that matches whole names, such as orders\\..*",
            found=f"{pattern!r}: {error}",
        ) from error


def matching(names: Iterable[str], pattern: str, what: str) -> list[str]:
    """The names that the expression matches whole, sorted.

    :param what: what is matched, for the error.
    :raises UsageError: the expression is not valid.
    """
    expression = compiled(pattern, what)
    return sorted(name for name in names if expression.fullmatch(name))
