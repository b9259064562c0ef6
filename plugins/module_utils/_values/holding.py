# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings with which a broker is started so that it deletes no expired segment and compacts nothing."""

from __future__ import annotations

from collections.abc import Mapping

from .setting import setting

DELAY, CLEANER = "log.initial.task.delay.ms", "log.cleaner.enable"
HOLD = {DELAY: 31_536_000_000, CLEANER: False}
# From which delay on a broker counts as one that deletes nothing: a day.
HELD_MILLISECONDS = 86_400_000


def holds(settings: Mapping[str, object]) -> bool:
    """Whether a broker with these settings deletes nothing; their values may be text."""
    delay = setting(settings.get(DELAY)).strip()
    return (
        delay.isdecimal()
        and int(delay) >= HELD_MILLISECONDS
        and setting(settings.get(CLEANER)).strip().lower() == "false"
    )
