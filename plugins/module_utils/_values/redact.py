# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and structures without their secrets: values of secret keys, private keys, passwords inside of texts."""

from __future__ import annotations

import re
from typing import Any

HIDDEN = "(hidden)"
_KEYS = re.compile(
    r"passw|passphrase|pwd|secret|token|credential|private|jaas|api[._-]?key|^ssl\.key|keystore|basic\.auth", re.I
)
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S)
# Nothing that may begin at any letter of a word stands before what is sought: texts of others are long, and would take
# its square.
# What was cut off before its closing quote is hidden too, and JSON within JSON, whose quotes have backslashes.
_WORDS = re.compile(
    r"(?i)((?:password|passwd|passphrase|pwd|secret|token|jaas\.config|api[._-]?key|keystore\.key|ssl\.key(?:\.pem)?)(?:\\*[\"'])?\s*[=:]\s*)"
    r"(\\+\"[^\"]*(?:\"|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\\?\Z)|'[^']*(?:'|\Z)|[^\s,;}\"']+)"
)
_URL = re.compile(r"(\w://[^\s/:@]+:)[^\s/@]+(@)")
_BEARER = re.compile(r"(?i)(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}")


def redact(value: Any, key: str = "", hide: bool = False) -> Any:
    """The same structure without secrets.

    :param value: anything that JSON can hold.
    :param key: the key it stands under; texts anywhere under a secret key are hidden. Numbers are not: topics are keys
        too, and counted.
    """
    hide = hide or bool(_KEYS.search(key))
    if isinstance(value, dict):
        return {text(str(name)): redact(entry, str(name), hide) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact(entry, key, hide) for entry in value]
    if isinstance(value, str):
        return HIDDEN if hide and value else text(value)
    return value


def text(message: str) -> str:
    """A text without the secrets that have the form of one."""
    message = _PEM.sub(HIDDEN, message)
    message = _WORDS.sub(lambda found: found.group(1) + HIDDEN, message)
    message = _URL.sub(lambda found: found.group(1) + HIDDEN + found.group(2), message)
    return _BEARER.sub(lambda found: found.group(1) + HIDDEN, message)
