# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that can be sent to a broker.

JSON may hold half a character (a lone surrogate), which UTF-8 cannot encode. Where confluent-kafka takes a list of
names, it does not look whether one could be encoded, and the process ends with a signal.
"""

from __future__ import annotations

from collections.abc import Iterable

from .._errors import UsageError
from .listing import named


def sendable(names: Iterable[str], what: str) -> list[str]:
    """The names as a list.

    :param what: what they name, such as ``topic``.
    :raises UsageError: one is no UTF-8, so that nothing in any cluster can have it.
    """
    given = list(names)
    wrong = [name for name in given if not is_sendable(name)]
    if wrong:
        raise UsageError(
            f"No {what} can have the name {named(map(ascii, wrong))}",
            expected="characters that UTF-8 encodes",
            found="half a character",
            remedy="Correct it where it comes from: a variable, or a record that somebody else wrote",
        )
    return given


def is_sendable(name: str) -> bool:
    """Whether UTF-8 encodes the name."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
