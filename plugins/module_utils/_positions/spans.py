# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stretches of source and target have to be read, so that positions are translated exactly."""

from __future__ import annotations

from collections.abc import Collection

from .outline import Outline
from .shapes import Span

# Reading across a gap of so many offsets is cheaper than asking twice.
JOIN = 5000


def spans_to_read(outline: Outline, positions: Collection[int], limit: int) -> tuple[list[Span], list[Span]]:
    """What has to be read for exact answers: spans of the target, and of the source; joined where near.

    Where the source is alive, the records from the lowest position to the end are compared, on both sides. Where that
    is longer than ``limit`` offsets, or the source is lost, only what lies between the pairs around each position.

    :param limit: offsets; what lies wider apart is not read, and its answer stays a lower bound.
    """
    if not positions:
        return [], []
    target, source = _to_the_end(outline, min(positions), limit)
    if outline.doubtful_from is not None and outline.target_end - outline.doubtful_from <= limit:
        target.append((outline.doubtful_from, outline.target_end))
    for position in set(positions):
        copies, records = _around(outline, position, limit)
        target += copies
        source += records
    return _joined(target, outline.target_start, outline.target_end), _joined(source, *(outline.source or (0, None)))


def _to_the_end(outline: Outline, first: int, limit: int) -> tuple[list[Span], list[Span]]:
    """From the lowest position to the end of both sides."""
    low, earlier = outline.at_least(first), outline.around(first)[0]
    if earlier is not None:
        low = max(min(low, earlier[1]), outline.target_start)
    if outline.target_end - low > limit or (outline.source is None and outline.exactly_once):
        return [], []
    target = [(low, outline.target_end)]
    if outline.source is None:
        return target, []
    begin = max(outline.source[0], min(first, earlier[0] if earlier is not None else outline.source[0]))
    return target, [(begin, outline.source[1])] if outline.source[1] - begin <= limit * 2 else []


def _around(outline: Outline, position: int, limit: int) -> tuple[list[Span], list[Span]]:
    """Between the pairs around a position."""
    earlier, later = outline.around(position)
    if outline.proof is not None and outline.proof.one_to_one and outline.proof.copy_at(position) is not None:
        return [], []
    if earlier is not None and earlier is later:
        # Whether it is still so, a source that answers shows.
        return ([(earlier[1], earlier[1] + 1)], [(earlier[0], earlier[0] + 1)]) if outline.source else ([], [])
    low = max(earlier[1], outline.target_start) if earlier is not None else outline.at_least(position)
    high = later[1] + 1 if later is not None else outline.target_end
    if high - low > limit:
        if earlier is not None or later is None:
            return [], []
        low = max(low, high - limit)
    begin = earlier[0] if earlier is not None else position
    end = later[0] + 1 if later is not None else (outline.through or 0)
    return [(low, high)], [(begin, end)] if begin < end and end - begin <= limit else []


def _joined(spans: list[Span], lowest: int, highest: int | None) -> list[Span]:
    joined: list[Span] = []
    for low, high in sorted(spans):
        low, high = max(low, lowest), high if highest is None else min(high, highest)
        if low >= high:
            continue
        if joined and low <= joined[-1][1] + JOIN:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return joined
