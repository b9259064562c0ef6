# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's one family of errors: object, expected, found, way out."""

from __future__ import annotations

from typing import Any


class KafkaDrError(Exception):
    """Base of everything raised on purpose below a module.

    :param message: one sentence naming the object and what is wrong with it.
    :param expected: what should have been so.
    :param found: what was so.
    :param remedy: what the reader can do now.
    :param facts: further values, returned beside the message. Never secrets.
    """

    kind = "error"

    def __init__(
        self, message: str, expected: object = None, found: object = None, remedy: str | None = None, **facts: Any
    ) -> None:
        self.message = message
        self.expected = expected
        self.found = found
        self.remedy = remedy
        self.facts = facts
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """The whole error as a person reads it."""
        text = self.message.rstrip(".")
        if self.expected is not None:
            text += f": expected {self.expected}"
            if self.found is not None:
                text += f", found {self.found}"
        elif self.found is not None:
            text += f": found {self.found}"
        text = text.rstrip(".") + "."
        if self.remedy:
            text += " " + self.remedy.rstrip(".") + "."
        return text

    def to_result(self) -> dict[str, Any]:
        """Keys for a module's failure beside ``msg``."""
        result = {"error": self.kind}
        for key in ("expected", "found", "remedy"):
            value = getattr(self, key)
            if value is not None:
                result[key] = value
        result.update(self.facts)
        return result


class UsageError(KafkaDrError):
    """The input itself is wrong; nothing was tried."""

    kind = "usage"


class UnreachableError(KafkaDrError):
    """No broker or server answered."""

    kind = "unreachable"


class AuthenticationError(KafkaDrError):
    """Somebody answered and did not accept us, or we did not accept them."""

    kind = "authentication"


class AuthorizationError(KafkaDrError):
    """Accepted, but not allowed to do this."""

    kind = "authorization"


class TimedOutError(KafkaDrError):
    """It began and did not end in the time given."""

    kind = "timeout"


class RefusedError(KafkaDrError):
    """A precondition does not hold, so the step was not taken."""

    kind = "refused"


class FormatError(KafkaDrError):
    """Bytes that are not what they claim to be; ``position`` says where."""

    kind = "format"


class NotProvableError(KafkaDrError):
    """The question could not be answered; neither yes nor no was shown."""

    kind = "not_provable"
