# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a state is whole: a record of it that is lost is no record that says nothing."""

from __future__ import annotations

from collections import Counter

from .._errors import NotProvableError
from .state import TOPIC, WatchState

ANEW = "Find out who may write to this topic or delete from it, then begin the watch anew with --begin-anew"


def believed(state: WatchState | None) -> WatchState | None:
    """A state of which nothing is missing; None where no round of the mirror has ended.

    :raises NotProvableError: records of it are missing.
    """
    if state is None:
        return None
    lacking = _lacking(state)
    if lacking is not None:
        raise NotProvableError(
            f"The state of the mirror '{state.mirror}' in '{TOPIC}' is not whole",
            expected=lacking[0],
            found=lacking[1],
            remedy=ANEW,
        )
    return state if state.round else None


def _lacking(state: WatchState) -> tuple[str, str] | None:
    """What it has to have, and what it has; None where nothing is missing."""
    if not state.round and (state.partitions or state.windows or state.differences):
        return "the record that ends a round", "only those of partitions"
    if state.kept is not None and len(state.partitions) != state.kept:
        return f"records of {state.kept} partitions", str(len(state.partitions))
    parts = state.partitions
    numbers = [((found.topic, found.partition), found.number) for found in state.differences]
    held = Counter(place for place, number in numbers if place in parts and number < parts[place].differences)
    for place, part in sorted(parts.items()):
        if held[place] != part.differences:
            return f"{part.differences} differences of {place[0]}-{place[1]}", str(held[place])
    return None
