# SPDX-License-Identifier: GPL-3.0-or-later
"""What a round leaves for those who look at numbers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class TopicFigures:
    """Of one topic: records not proven, the age (seconds) of the oldest of them, or of what no round could have seen,
    and differences not accepted.
    """

    unproven_records: int = 0
    proven_age_seconds: float = 0
    differences: int = 0


@dataclass
class RoundFigures:
    """Of one mirror, after a round.

    :ivar at: when the round ended, in milliseconds; 0 before the first.
    :ivar proven_age_seconds: age of the oldest source record that is not proven, or of what no round could have seen.
    :ivar unproven_records: source records that are not proven, those that never will be among them.
    :ivar differences: faults that nobody accepted. :ivar stopped: partitions that are no longer watched.
    :ivar mirror_lag_records: source records that the target did not have when the round looked.
    :ivar witness_at: when the last known round of the position witness began, in milliseconds; None before any.
    :ivar scrubbed_at: when all that is proven had been read again, in milliseconds; None before that.
    :ivar rounds, records: since the start of this process: rounds, and records read on both sides.
    :ivar seconds: how long the round took. :ivar behind: whether the next round begins at once.
    """

    mirror: str = ""
    at: int = 0
    proven_age_seconds: float = 0
    unproven_records: int = 0
    differences: int = 0
    stopped: int = 0
    mirror_lag_records: int = 0
    witness_at: int | None = None
    scrubbed_at: int | None = None
    rounds: int = 0
    records: int = 0
    seconds: float = 0
    behind: bool = False
    topics: dict[str, TopicFigures] = field(default_factory=dict)
