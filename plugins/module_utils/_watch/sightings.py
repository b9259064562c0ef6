# SPDX-License-Identifier: GPL-3.0-or-later
"""Since when a log is known to hold its offsets. A record's own timestamp is its writer's, and may be any."""

from __future__ import annotations

# Looks that are told apart; of more, the later ones count as seen with those before them.
KEPT = 64


class Sightings:
    """Looks at the end of one log, those that may still be asked for."""

    def __init__(self) -> None:
        self._looks: list[tuple[int, int]] = []

    def add(self, end: int, moment: int) -> None:
        """The log was seen to end at an offset (exclusive) at a moment, in milliseconds."""
        if self._looks and end <= self._looks[-1][0]:
            return
        self._looks.append((end, moment))
        if len(self._looks) > KEPT:
            (dummy, earlier), (later, dummy2) = self._looks[-3:-1]
            self._looks[-3:-1] = [(later, earlier)]

    def first(self, offset: int) -> int | None:
        """When a record at an offset, or one behind it, was first seen to be there; None where none was."""
        return next((moment for end, moment in self._looks if end > offset), None)

    def forget(self, below: int) -> None:
        """Forget what is only known of offsets below one."""
        while len(self._looks) > 1 and self._looks[0][0] <= below:
            del self._looks[0]
