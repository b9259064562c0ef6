# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""One finding of the examination."""

from __future__ import annotations

SEVERITIES = ("error", "warning", "info")


def finding(check, severity, subject, found, cause, remedy):
    """``check`` names the kind, ``object`` what it is about, ``found`` what was seen; then cause and remedy."""
    return {"check": check, "severity": severity, "object": subject, "found": found, "cause": cause, "remedy": remedy}


def named(items, most=5):
    """The first few, and how many more."""
    items = [str(one) for one in items]
    return ", ".join(items[:most]) + (" and %d more" % (len(items) - most) if len(items) > most else "")
