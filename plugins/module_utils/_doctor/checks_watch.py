# SPDX-License-Identifier: GPL-3.0-or-later
"""Does the watch work, and what does it say of the copy?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._watch.health import troubles
from .finding import finding
from .observe import Observation


def standing_proof(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """A watch that is late, has found a difference, or no longer watches."""
    if not seen.watch_read:
        return
    for trouble in troubles(seen.watch, params["max_watch_age"], params["max_unproven_age"], seen.watch_unreadable):
        yield finding(
            trouble.kind,
            trouble.severity,
            f"watch of {seen.names.source}->{seen.names.target}",
            trouble.found,
            trouble.cause,
            trouble.remedy,
        )


CHECKS = [standing_proof]
