# SPDX-License-Identifier: GPL-3.0-or-later
"""One finding of the lint, and the small questions that rules ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .flows import Flow

Finding = dict[str, Any]


def finding(rule: str, severity: str, where: str, found: object, reason: str, fix: str, flow: str = "") -> Finding:
    """A finding as :func:`..lint.lint` returns it."""
    return {
        "rule": rule,
        "severity": severity,
        "flow": flow,
        "where": where,
        "found": found,
        "reason": reason,
        "fix": fix,
    }


def number(text: object) -> int | None:
    """A setting as a number; None where it is none (a reference, or nonsense)."""
    try:
        return int(str(text))
    except ValueError:
        return None


def exactly_once(flow: Flow) -> bool:
    """True where the worker was asked for exactly-once in a way that it hears."""
    return flow.worker.get("exactly.once.source.support", "").lower() == "enabled"


def duration(seconds: float) -> str:
    """Seconds in the unit a person would use."""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= size:
            return "%.3g %s" % (seconds / size, unit)
    return f"{int(seconds)} s"
