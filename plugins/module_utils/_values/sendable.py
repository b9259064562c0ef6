# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that can be sent to a broker.

Where confluent-kafka takes a list of names, it does not look whether one could be encoded, and the process ends with a
signal.
"""

from __future__ import annotations

from collections.abc import Iterable

from .._errors import UsageError
from .askable import is_sendable
from .listing import named


def sendable(names: Iterable[str], what: str) -> list[str]:
    """The names as a list.

    :param what: what they name, such as ``topic``.
    :raises UsageError: one is no UTF-8, so that nothing in any cluster can have it, or librdkafka would cut it off.
    """
    given = list(names)
    wrong = [name for name in given if not is_sendable(name)]
    if wrong:
        raise UsageError(
            f"No {what} can have the name {named(map(ascii, wrong))}",
            expected="characters that UTF-8 encodes, without NUL",
            found="half a character, or NUL",
            remedy="Correct it where it comes from: a variable, or a record that somebody else wrote",
        )
    return given
