# SPDX-License-Identifier: GPL-3.0-or-later
"""Where something is kept: a directory, or a URI of an object store."""

from __future__ import annotations

import os
import re

_URI = re.compile(r"[a-z0-9+]+://")
# What stands before the host: a key and its secret.
_CREDENTIALS = re.compile(r"([a-z0-9+]+://)[^/?#]*@")


def is_uri(place: str) -> bool:
    """Whether this is a URI, and no directory."""
    return _URI.match(place) is not None


def has_credentials(place: str) -> bool:
    """Whether this is a URI with a key and its secret before the host."""
    return _CREDENTIALS.match(place) is not None


def shown(place: str) -> str:
    """The place as messages name it, without credentials."""
    return _CREDENTIALS.sub(r"\1***@", place)


def normal(place: str) -> str:
    """One text for a place, however it is written: a URI without a slash at the end of its path and with its options in
    order, a directory with no link in it. Empty for none.
    """
    if not place:
        return ""
    if not is_uri(place):
        return os.path.realpath(os.path.expanduser(place))
    path, mark, options = place.partition("?")
    return path.rstrip("/") + mark + "&".join(sorted(options.split("&")))


def below(place: str, name: str) -> str:
    """The place of this name in another one; the options of a URI stay at its end."""
    if not is_uri(place):
        return os.path.join(place, name)
    path, mark, options = place.partition("?")
    return f"{path.rstrip('/')}/{name}{mark}{options}"
