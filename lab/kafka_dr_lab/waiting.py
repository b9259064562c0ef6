# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits that speak."""

from __future__ import annotations

import time

from .errors import LabError


def until(what: str, condition, seconds: float, every: float = 0.5):
    """Poll a condition; speak every ten seconds.

    :returns: what the condition returned when it was true.
    :raises LabError: it did not come true in time.
    """
    began = spoken = time.monotonic()
    while True:
        found = condition()
        if found:
            return found
        now = time.monotonic()
        if now - began > seconds:
            raise LabError(f"Gave up after {seconds:.0f} s waiting for {what}")
        if now - spoken > 10:
            spoken = now
            print(f"  … waiting for {what} ({now - began:.0f} s)", flush=True)
        time.sleep(every)
