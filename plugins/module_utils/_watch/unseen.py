# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics that the last rounds could not look at: what was proven of them stays proven, and no more than that.

A region may die broker by broker, and its topics then lose their leaders before it is lost. What the source got, or the
mirror copied, after the watch had looked at such a topic last, is as unknown as what comes after its last round.
"""

from __future__ import annotations

from .reasons import GONE, UNSEEN
from .state import Confirmed, WatchState


def held_to(state: WatchState) -> set[str]:
    """Topics of which the state says what is proven: those that are watched, and those that could merely not be looked
    at since. Of one that the source deleted, nothing may be left open: nobody can tell any more what became of it.
    """
    open_ones = {
        topic
        for (topic, dummy), part in state.partitions.items()
        if (reason := state.not_watched.get(topic)) is not None
        and (reason not in UNSEEN or (part.stopped is None and _open(part, reason)))
    }
    return {topic for topic, dummy in state.partitions} - open_ones


def _open(part: Confirmed, reason: str) -> bool:
    # A former version did not keep when it was looked at; zero stands for never.
    return not part.looked_at or (reason == GONE and not whole(part))


def whole(part: Confirmed) -> bool:
    """Whether all that was read is proven, and all that the source was seen to hold was read, also of transactions that
    were open there.
    """
    known = max(part.source_end, part.source_high)
    return not part.waiting and part.through == part.examined and part.read >= known
