# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records may be missing at the head of a copy: those that the source's own policy had expired."""

from __future__ import annotations

from dataclasses import dataclass

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.shapes import Span

# More than Kafka's own bytes for one offset, be it a batch of its own or a control record.
OVERHEAD = 100


@dataclass(frozen=True)
class Head:
    """What is known of the head of a copy.

    :param at: milliseconds since the epoch; expiry is judged as of then.
    :param deleted: offsets that were deleted at the head of the copy, or of the backup that it was made from; None
        where nothing is known.
    :param held: the deletion happened before a hold, and not in this copy.
    :param retention_ms, retention_bytes: the source's limits; None for no limit.
    :param end: where the copy's log ends, which may be beyond what is compared.
    :param size: bytes of the copy's log on its brokers' disks; None where they are not known.
    :param reckoned: whether, where they are not known, they are reckoned from the records.
    """

    at: int
    deleted: int | None
    held: bool
    retention_ms: int | None
    retention_bytes: int | None
    end: int
    size: int | None = None
    reckoned: bool = True


def head_gone(head: Head) -> bool:
    """Whether records at the head may have been there and been deleted."""
    return bool(head.deleted) or (head.held and head.deleted is not None)


def count(head: Head, timestamps: np.ndarray, missing: int, target_bytes: int, target_range: Span) -> int:
    """How many of the records that are missing at the head are excused.

    :param timestamps: theirs, in milliseconds. :param missing: their number.
    :param target_bytes: bytes of keys and values in ``target_range`` of the copy.
    """
    if not missing or not head_gone(head):
        return 0
    excused = 0
    if head.retention_ms is not None:
        # A record without a timestamp expires by the time of its file, which nobody knows any more.
        excused = int(((timestamps >= 0) & (timestamps < head.at - head.retention_ms)).sum())
    if not head.held:
        # Each of them took an offset of the copy; what the copy never had, its policy did not delete.
        excused = min(excused, head.deleted or 0)
    if excused < missing and _by_size(head, missing, target_bytes, target_range):
        return missing
    return min(excused, missing)


def too_young(head: Head, timestamps: np.ndarray) -> int:
    """How many of the records that the copy has from before the source's log start the source's time limit would not
    have deleted yet: its size, its owner, or nobody ever did.

    :param timestamps: theirs, in milliseconds.
    """
    if head.retention_ms is None:
        return len(timestamps)
    return int(((timestamps < 0) | (timestamps >= head.at - head.retention_ms)).sum())


def _by_size(head: Head, missing: int, target_bytes: int, target_range: Span) -> bool:
    """Whether a limit by size explains them: no more than were deleted, and what is left still fills the limit, or may,
    reckoned from records that are not compressed, where nobody tells the log's size.
    """
    limit, span = head.retention_bytes, target_range[1] - target_range[0]
    if limit is None or not head.deleted or missing > head.deleted or span <= 0:
        return False
    if head.size is not None:
        return head.size >= limit
    if not head.reckoned:
        return False
    return (target_bytes / span + OVERHEAD) * (head.end - target_range[0]) >= limit
