# SPDX-License-Identifier: GPL-3.0-or-later
"""A limit on how fast records are read."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Keeps the mean rate at or below so many bytes a second; without rate, does nothing."""

    def __init__(
        self,
        bytes_per_second: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.rate, self.clock, self.sleep = bytes_per_second, clock, sleep
        self.began = clock()
        self.taken = 0

    def take(self, count: int) -> None:
        """Account for bytes just read and sleep off what is too fast."""
        if self.rate:
            self.taken += count
            ahead = self.taken / self.rate - (self.clock() - self.began)
            if ahead > 0:
                self.sleep(ahead)
