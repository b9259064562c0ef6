# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stretches of two lists of chunks the second pass reads, and which it tells by their counts."""

from __future__ import annotations

from .._digest.shapes import Block
from .shapes import Gap

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

# Records of one side that are held at once; a stretch beyond it is named by its counts only.
MOST = 4000000
# Records that are missing in a row and need not be read to be named.
LONG = 65536
MARGIN = 3


def choose(
    anchors: list[Block],
    left_starts: np.ndarray,
    right_starts: np.ndarray,
    most: int,
    undescribed: bool = False,
    whole_tail: bool = False,
) -> tuple[list[Gap], list[Gap]]:
    """``(read, skipped)``, each a list of (source low, high, target low, high) in chunks, in order.

    :param anchors: matched (source chunk, target chunk, count), ascending. :param left_starts, right_starts: ordinals
        of the chunks' first records.
    :param most: records that may be read. :param undescribed: the source is a manifest of chunks only, of which nothing
        can be read.
    :param whole_tail: read a long missing tail too; else only as much of it as the target can hold.
    """
    ends = len(left_starts) - 1, len(right_starts) - 1
    chosen, skipped = [], []
    at_left = at_right = read = 0
    for i, j, n in [*anchors, (*ends, 0)]:
        gap = (at_left, i, at_right, j)
        lost, extra = int(left_starts[i] - left_starts[at_left]), int(right_starts[j] - right_starts[at_right])
        at_left, at_right = i + n, j + n
        if not lost and not extra:
            continue
        cut = i
        if not whole_tail and extra and i == ends[0] and lost > 4 * extra + LONG:
            cut = min(i, int(np.searchsorted(left_starts, left_starts[gap[0]] + extra + 1)) + MARGIN)
        wanted = max(int(left_starts[cut] - left_starts[gap[0]]), extra)
        if undescribed or (not extra and lost > LONG) or read + wanted > most:
            skipped.append(gap)
            continue
        read += wanted
        chosen.append((gap[0], cut, *gap[2:]))
        if cut < i:
            skipped.append((cut, i, j, j))
    return chosen, skipped


def cut_tail(skipped: list[Gap], count: int) -> Gap | None:
    """The stretch of chunks that was cut off the source's tail, of ``count`` chunks in all; None where none was."""
    last = skipped[-1] if skipped else None
    return last if last and last[1] == count and last[2] == last[3] else None


def unmatched(ordinals: np.ndarray, blocks: list[Block]) -> np.ndarray:
    """Which records, by their places on the target, lie in none of the matched ``blocks`` (source ordinal, target
    ordinal, count), ascending.
    """
    if not blocks:
        return np.ones(len(ordinals), bool)
    place = np.array(blocks, np.int64)
    at = np.searchsorted(place[:, 1], ordinals, "right") - 1
    return (at < 0) | (ordinals >= place[at, 1] + place[at, 2])
