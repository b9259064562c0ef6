# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that can be sent to a broker.

JSON may hold half a character (a lone surrogate), which UTF-8 cannot encode. Where confluent-kafka takes a list of
names, it does not look whether one could be encoded, and the process ends with a signal.

For librdkafka a text ends at its first NUL. Kafka lets groups have it in their names, so that a question or a commit
that is about one group reaches another one.
"""

from __future__ import annotations

from collections.abc import Iterable

from .._errors import UsageError
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


def is_sendable(text: str) -> bool:
    """Whether librdkafka sends the text as it is."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def is_askable(group: str) -> bool:
    """Whether confluent-kafka asks about a group of this name, and about no other. Brokers let consumers commit for the
    group with the empty name; it refuses that name.
    """
    return bool(group) and is_sendable(group)
