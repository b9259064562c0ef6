# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for a condition, with a line of progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from .errors import LabError

Result = TypeVar("Result")


def until(what: str, condition: Callable[[], Result | None], seconds: float, every: float = 0.5) -> Result:
    """Poll a condition, and print a line every ten seconds.

    :param what: what is waited for, as it stands after "waiting for" in a message.
    :param every: seconds between two polls.
    :returns: the first true result of the condition.
    :raises LabError: it did not become true in time.
    """
    began = printed = time.monotonic()
    while True:
        result = condition()
        if result:
            return result
        now = time.monotonic()
        if now - began > seconds:
            raise LabError(f"Gave up after {seconds:.0f} s waiting for {what}")
        if now - printed > 10:
            printed = now
            print(f"  … waiting for {what} ({now - began:.0f} s)", flush=True)
        time.sleep(every)
