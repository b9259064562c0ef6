# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Moments as the ledger and reports write them: whole seconds in UTC (ISO 8601)."""

from __future__ import annotations

import calendar
import time

FORM = "%Y-%m-%dT%H:%M:%SZ"


def said(seconds):
    """Seconds since the epoch as text."""
    return time.strftime(FORM, time.gmtime(seconds))


def seconds_of(text):
    """Text as seconds since the epoch.

    :raises ValueError: it is no such moment. :raises TypeError: it is no text.
    """
    return calendar.timegm(time.strptime(text, FORM))
