# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments as the ledger and reports write them: whole seconds in UTC (ISO 8601)."""

from __future__ import annotations

import calendar
import time

FORM = "%Y-%m-%dT%H:%M:%SZ"
# Seconds by which the clocks of two machines may differ. What lies further ahead says nothing of how long ago it was.
AHEAD_SECONDS = 30


def moment(seconds: float) -> str:
    """Seconds since the epoch as text."""
    return time.strftime(FORM, time.gmtime(seconds))


def seconds_of(text: str) -> int:
    """Text as seconds since the epoch.

    :raises ValueError: it is no such moment. :raises TypeError: it is no text.
    """
    return calendar.timegm(time.strptime(text, FORM))
