# SPDX-License-Identifier: GPL-3.0-or-later
"""The time by which a watch judges what a broker may have deleted: never later than that broker's own clock.

A broker deletes by its clock. A watch whose machine is days ahead would take for expired what was deleted days too
early.
"""

from __future__ import annotations

import time


def _wall_ms() -> int:
    return int(time.time() * 1000)


class BrokerClock:
    """This machine's clock, held back by what a broker said last (``LogAppendTime`` of a record that it took)."""

    def __init__(self) -> None:
        self._told: tuple[int, float] | None = None

    @property
    def known(self) -> bool:
        """Whether a broker has told its time."""
        return self._told is not None

    def told(self, stamped_ms: int) -> None:
        """Take the time of a broker, of just now. :param stamped_ms: milliseconds since the epoch."""
        self._told = stamped_ms, time.monotonic()

    def now_ms(self) -> int:
        """Milliseconds since the epoch. What passed since a broker told its time is this machine's to measure."""
        wall = _wall_ms()
        if self._told is None:
            return wall
        stamped, at = self._told
        return min(wall, stamped + int((time.monotonic() - at) * 1000))
