# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stretches of two lists of chunks the second pass reads, and which it tells by their counts."""

from __future__ import annotations

from .._digest.shapes import Block, Span
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
    whole: bool = False,
) -> tuple[list[Gap], list[Gap]]:
    """``(read, skipped)``, each a list of (source low, high, target low, high) in chunks, in order.

    :param anchors: matched (source chunk, target chunk, count), ascending. :param left_starts, right_starts: ordinals
        of the chunks' first records.
    :param most: records that may be read. :param undescribed: the source is a manifest of chunks only, of which nothing
        can be read.
    :param whole: read a long missing head or tail too; else only as much of it as the target can hold.
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
        begin, cut = gap[:2]
        if not whole and extra and lost > 4 * extra + LONG:
            begin, cut = _near(gap, left_starts, extra)
        wanted = max(int(left_starts[cut] - left_starts[begin]), extra)
        if undescribed or (not extra and lost > LONG) or read + wanted > most:
            skipped.append(gap)
            continue
        read += wanted
        if begin > gap[0]:
            skipped.append((gap[0], begin, gap[2], gap[2]))
        chosen.append((begin, cut, *gap[2:]))
        if cut < i:
            skipped.append((cut, i, j, j))
    return chosen, skipped


def _near(gap: Gap, left_starts: np.ndarray, extra: int) -> Span:
    """The chunks of the source in a gap at its tail or head that ``extra`` records of the target may be copies of."""
    low, high = gap[:2]
    if high == len(left_starts) - 1:
        return low, min(high, int(np.searchsorted(left_starts, left_starts[low] + extra + 1)) + MARGIN)
    if low == gap[2] == 0:
        low = max(0, int(np.searchsorted(left_starts, left_starts[high] - extra - 1, "right")) - 1 - MARGIN)
    return low, high


def cut_off(skipped: list[Gap], count: int) -> list[Gap]:
    """The stretches of chunks that were cut off the source's head and tail, of ``count`` chunks in all."""
    return [gap for gap in skipped if gap[2] == gap[3] and (gap[0] == 0 or gap[1] == count)]


def unmatched(ordinals: np.ndarray, blocks: list[Block]) -> np.ndarray:
    """Which records, by their places on the target, lie in none of the matched ``blocks`` (source ordinal, target
    ordinal, count), ascending.
    """
    if not blocks:
        return np.ones(len(ordinals), bool)
    place = np.array(blocks, np.int64)
    at = np.searchsorted(place[:, 1], ordinals, "right") - 1
    return (at < 0) | (ordinals >= place[at, 1] + place[at, 2])
