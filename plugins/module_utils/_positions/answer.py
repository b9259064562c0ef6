# SPDX-License-Identifier: GPL-3.0-or-later
"""What a translation answers."""

from __future__ import annotations

from typing import NamedTuple

EXACT = ("exact_verified", "exact_counted", "exact_at_end")
CONFIDENCES = EXACT + ("interpolated", "lower_bound", "unknown")


class Answer(NamedTuple):
    """``offset`` on the target, None where unknown; at most ``reprocess_at_most`` records before the position are read
    again; ``evidence`` says why.
    """

    offset: int | None
    confidence: str
    reprocess_at_most: int | None
    evidence: str
