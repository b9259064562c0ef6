# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of connectors as they may be shown: no secret, but whether it changed."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from .._errors import UsageError
from .._values.setting import setting

# As Connect itself masks values of type PASSWORD.
HIDDEN = "[hidden]"
# Connect gives every setting back as it was put, so what may be secret is told by its name.
SENSITIVE = re.compile(
    r"password|passwd|passphrase|secret|credential|jaas|token(?!\.endpoint)|api[._-]?key|access[._-]?key|private[._-]?key"
    r"|keystore\.key|\.key\.pem|userinfo|user\.info",
    re.IGNORECASE,
)
# KIP-297: a value that is nothing but a reference.
REFERENCE = re.compile(r"\$\{[^{}]+:[^{}]+\}")
URL_PASSWORD = re.compile(r"(://[^/\s:@]+:)[^/\s@]+@")


def texts(config: dict[str, Any] | None, of: str) -> dict[str, str]:
    """A configuration with every value as Connect stores it, a text; settings with None are left out.

    :raises UsageError: a value is a list or a dictionary. The value itself is not part of the message.
    """
    as_texts = {}
    for key, value in (config or {}).items():
        if isinstance(value, (dict, list)):
            raise UsageError(
                f"Setting {key} of {of} is no single value",
                expected="a text, number or boolean",
                found=type(value).__name__,
                remedy="Write a list as one text with commas",
            )
        if value is not None:
            as_texts[str(key)] = setting(value)
    return as_texts


def is_secret(key: str, value: str, secret_keys: Collection[str]) -> bool:
    """Whether a setting may not be shown."""
    if REFERENCE.fullmatch(value):
        return False
    return key in secret_keys or bool(SENSITIVE.search(key))


def shown(config: dict[str, str], secret_keys: Collection[str] = ()) -> dict[str, str]:
    """A configuration as it may be shown."""
    return {
        key: HIDDEN if is_secret(key, value, secret_keys) else URL_PASSWORD.sub(f"\\1{HIDDEN}@", value)
        for key, value in sorted(config.items())
    }


def shown_pair(
    before: dict[str, str], after: dict[str, str], secret_keys: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Both sides of a difference; a secret that differs is seen to differ, and nothing more."""
    left, right = shown(before, secret_keys), shown(after, secret_keys)
    for key in left:
        if key in right and before[key] != after[key] and left[key] == right[key]:
            right[key] = f"{right[key]}, another"
    return left, right
