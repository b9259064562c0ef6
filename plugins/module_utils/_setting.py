# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Values of settings as Java programs and supervisord write them."""

from __future__ import annotations


def setting(value):
    """The value as text; a truth in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)
