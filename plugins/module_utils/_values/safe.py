# SPDX-License-Identifier: GPL-3.0-or-later
"""Values on their way into places where a character of theirs could say something: file names, lines of files,
commands.
"""

from __future__ import annotations

import re

from .._errors import UsageError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
NAME_LENGTH = 200
CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
SHOWN = 120


def file_name(what: str, name: object) -> str:
    """``name``, which a file, a program or a unit can be called by without being anything else.

    :param what: the object that it names, as a person reads it.
    :raises UsageError: it holds anything but letters, digits, ``_``, ``.`` and ``-``, or begins with one of these
        three.
    """
    if isinstance(name, str) and len(name) <= NAME_LENGTH and NAME.match(name):
        return name
    raise UsageError(
        f"The name of {what} cannot be that of a file",
        expected="letters, digits, dot, dash and underscore, a letter or digit first",
        found=shown(name),
        remedy="Give it another name",
    )


def one_line(what: str, value: object) -> str:
    """The value as text, which is one line.

    :raises UsageError: it holds a line break or another control character, with which it would be more than a value in
        a file of lines.
    """
    text = str(value)
    if CONTROL.search(text):
        raise UsageError(
            f"{what} holds a line break or another control character",
            expected="one line",
            found=shown(text),
            remedy="Write it without",
        )
    return text


def shown(value: object) -> str:
    """A value that may hold anything, as it can stand in a message: short, and with what is no character of text
    escaped.
    """
    text = ascii(value) if CONTROL.search(str(value)) else f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
