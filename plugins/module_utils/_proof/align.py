# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of two sequences belong together: patience alignment by elements that occur once in both.

If one sequence is the other with elements left out, the answer is exact (greedy embedding between anchors that any
embedding must hit). Otherwise it is a common subsequence, longest among the anchors; what is left over on both sides is
for the caller to read as moved.
"""

from __future__ import annotations

from bisect import bisect_left

from .._digest.shapes import Block

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]


def blocks(left: np.ndarray, right: np.ndarray) -> list[Block]:
    """Matched runs ``[(left index, right index, count)]``, ascending in both, of two arrays of uint64."""
    found = []
    todo = [(0, len(left), 0, len(right))]
    while todo:
        left_low, left_high, right_low, right_high = todo.pop()
        head = _common(left[left_low:left_high], right[right_low:right_high])
        if head:
            found.append((left_low, right_low, head))
            left_low, right_low = left_low + head, right_low + head
        tail = _common(left[left_low:left_high][::-1], right[right_low:right_high][::-1])
        if tail:
            left_high, right_high = left_high - tail, right_high - tail
            found.append((left_high, right_high, tail))
        if left_low == left_high or right_low == right_high:
            continue
        left_slice, right_slice = left[left_low:left_high], right[right_low:right_high]
        anchors = _anchors(left_slice, right_slice)
        if anchors is None:
            found.extend((left_low + i, right_low + j, 1) for i, j in _without_anchors(left_slice, right_slice))
            continue
        at_left, at_right = 0, 0
        for i, j in zip(*anchors, strict=True):
            if i > at_left or j > at_right:
                todo.append((left_low + at_left, left_low + i, right_low + at_right, right_low + j))
            found.append((left_low + i, right_low + j, 1))
            at_left, at_right = i + 1, j + 1
        todo.append((left_low + at_left, left_high, right_low + at_right, right_high))
    return _join(found)


def _common(left: np.ndarray, right: np.ndarray) -> int:
    """Length of the common prefix."""
    shortest = min(len(left), len(right))
    at, step = 0, 64
    while at < shortest:
        end = min(at + step, shortest)
        different = left[at:end] != right[at:end]
        if different.any():
            return at + int(different.argmax())
        at, step = end, step * 4
    return shortest


def _anchors(left: np.ndarray, right: np.ndarray) -> tuple[list[int], list[int]] | None:
    """Indices (left, right) of elements that occur once in both, thinned to the longest increasing run; None if there
    are none.
    """
    left_values, left_index, left_counts = np.unique(left, return_index=True, return_counts=True)
    right_values, right_index, right_counts = np.unique(right, return_index=True, return_counts=True)
    left_single, right_single = left_counts == 1, right_counts == 1
    dummy, i, j = np.intersect1d(
        left_values[left_single], right_values[right_single], assume_unique=True, return_indices=True
    )
    if not len(i):
        return None
    return increasing(left_index[left_single][i], right_index[right_single][j])


def increasing(left: np.ndarray, right: np.ndarray) -> tuple[list[int], list[int]]:
    """Of pairs, those of a longest subset increasing in both: (left, right) as lists, ordered."""
    order = np.argsort(left, kind="stable")
    left, right = left[order], right[order]
    if (np.diff(right) > 0).all():
        return left.tolist(), right.tolist()
    ends: list[int] = []
    ends_at: list[int] = []
    before = [0] * len(right)
    for number, value in enumerate(right.tolist()):
        at = bisect_left(ends, value)
        before[number] = ends_at[at - 1] if at else -1
        if at == len(ends):
            ends.append(value)
            ends_at.append(number)
        else:
            ends[at], ends_at[at] = value, number
    chain, at = [], ends_at[-1] if ends_at else -1
    while at >= 0:
        chain.append(at)
        at = before[at]
    chain.reverse()
    return left[chain].tolist(), right[chain].tolist()


def _without_anchors(left: np.ndarray, right: np.ndarray) -> list[tuple[int, int]]:
    """Pairs where every common element repeats: exact if one side embeds in the other, else k-th with k-th occurrence,
    thinned.
    """
    shared = np.intersect1d(left, right)
    if not len(shared):
        return []
    left_list, right_list = left.tolist(), right.tolist()
    short, long = (right_list, left_list) if len(right_list) <= len(left_list) else (left_list, right_list)
    embedding, at = [], 0
    for number, value in enumerate(short):
        while at < len(long) and long[at] != value:
            at += 1
        if at == len(long):
            break
        embedding.append((at, number) if short is right_list else (number, at))
        at += 1
    if len(embedding) == len(short):
        return embedding
    i, j = occurrences(left, right)
    return list(zip(*increasing(i, j), strict=True))


def occurrences(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices (left, right) that pair the k-th occurrence of each value with the k-th of the other side."""
    left_order, left_rank = _ranked(left)
    right_order, right_rank = _ranked(right)
    kind = [("value", "<u8"), ("rank", "<i8")]
    left_ranked, right_ranked = np.empty(len(left), kind), np.empty(len(right), kind)
    left_ranked["value"], left_ranked["rank"] = left[left_order], left_rank
    right_ranked["value"], right_ranked["rank"] = right[right_order], right_rank
    dummy, i, j = np.intersect1d(left_ranked, right_ranked, assume_unique=True, return_indices=True)
    return left_order[i], right_order[j]


def _ranked(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = (
        np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else np.empty(0, np.int64)
    )
    rank = np.arange(len(ordered)) - np.repeat(starts, np.diff(np.append(starts, len(ordered))))
    return order, rank


def _join(found: list[Block]) -> list[Block]:
    joined: list[list[int]] = []
    for left, right, count in sorted(found):
        if joined and joined[-1][0] + joined[-1][2] == left and joined[-1][1] + joined[-1][2] == right:
            joined[-1][2] += count
        else:
            joined.append([left, right, count])
    return [(int(left), int(right), int(count)) for left, right, count in joined]
