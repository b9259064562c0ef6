# SPDX-License-Identifier: GPL-3.0-or-later
"""One finding of the examination."""

from __future__ import annotations

SEVERITIES = ("error", "warning", "info")


def finding(check: str, severity: str, subject: str, found: str, cause: str, remedy: str) -> dict[str, str]:
    """``check`` names the kind, ``object`` what it is about, ``found`` what was seen; then cause and remedy."""
    return {"check": check, "severity": severity, "object": subject, "found": found, "cause": cause, "remedy": remedy}
