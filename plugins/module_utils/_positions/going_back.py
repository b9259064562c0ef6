# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a mirror went back and copied again, as its pairs show it, and whether it came past what it had copied already.

A mirror that is not exactly-once and is restarted copies again from an earlier record. If it is lost before it comes
past what it had copied already, the only copies of the latter lie *before* the new ones, and no pair of the new ones
bounds anything. Behind pair i at most d[i+1] - d[i] - 1 records can have been copied before it went back; so it is past
them once it has copied as many behind the first pair that is not before u[i] again. If it goes back once more before
that, what is copied from there on counts anew.
"""

from __future__ import annotations

from .shapes import Pair


def seen(pairs: list[Pair], end: int, weight: int) -> int | None:
    """Index of the pair after which the mirror went back, for all to see, and did not come past what it had; None where
    it did each time.

    :param pairs: ``[(upstream, downstream)]`` in the order written. :param end: target offset up to which copies are
        known to go.
    :param weight: offsets that a record takes at most.
    """
    first, since, owed = None, 0, 0
    for index in range(len(pairs) - 1):
        upstream, downstream = pairs[index]
        if pairs[index + 1][0] > upstream:
            continue
        past = _past(pairs, index, upstream)
        if first is not None and downstream - since < owed:
            owed -= max(0, downstream - since)
        else:
            first, since, owed = index, 0, 0
        if past is None:
            return first
        # From where it went back to, it comes to this pair's record with as many records as there are offsets between,
        # at most.
        again = min(past[1], pairs[index + 1][1] + weight * (upstream - pairs[index + 1][0]))
        owed, since = max(owed, weight * (pairs[index + 1][1] - downstream - 1)), max(since, again)
    return first if first is not None and end - 1 - since < owed else None


def unseen(pairs: list[Pair], end: int, start: int, weight: int) -> int | None:
    """Index of the first pair (-1: none before all of them) after which it may have gone back, and is not shown to have
    come past what it had.
    """
    for index in range(-1, len(pairs) - 1):
        upstream, downstream = pairs[index] if index >= 0 else (-1, start - 1)
        room = pairs[index + 1][1] - downstream - 1
        rises = pairs[index + 1][0] > upstream
        if rises and room <= 0:
            continue
        past = pairs[index + 1] if rises else _past(pairs, index, upstream)
        if past is None or end - 1 - past[1] < weight * room:
            return index
    return None


def _past(pairs: list[Pair], index: int, upstream: int) -> Pair | None:
    return next((pair for pair in pairs[index + 1 :] if pair[0] >= upstream), None)
