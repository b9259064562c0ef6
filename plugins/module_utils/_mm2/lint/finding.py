# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""One finding of the lint, and the small questions that rules ask."""

from __future__ import annotations


def finding(rule, severity, where, found, reason, fix, flow=""):
    """A finding as :func:`..lint.lint` returns it."""
    return {"rule": rule, "severity": severity, "flow": flow, "where": where, "found": found, "reason": reason, "fix": fix}


def number(text):
    """A setting as a number; None where it is none (a reference, or nonsense)."""
    try:
        return int(str(text))
    except ValueError:
        return None


def exactly_once(flow):
    """True where the worker was asked for exactly-once in a way that it hears."""
    return flow.worker.get("exactly.once.source.support", "").lower() == "enabled"


def duration(seconds):
    """Seconds in the unit a person would use."""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= size:
            return "%.3g %s" % (seconds / size, unit)
    return "%d s" % seconds
