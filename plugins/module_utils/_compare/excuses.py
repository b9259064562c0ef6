# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Which records may be missing at the head of a copy: those that the source's own policy had expired.

What is known of the head of a copy is a dictionary: ``at`` (ms; the expiry is judged as of then), ``deleted`` (offsets that were deleted at the head of
the copy, or of the backup that it was made from; None where nothing is known), ``held`` (bool: it was deleted before a hold, and not from this copy),
``retention_ms`` and ``retention_bytes`` (of the source, None for no limit), ``end`` (where the copy's log ends, which may be beyond what is compared).
"""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

# More than Kafka's own bytes for one offset, be it a batch of its own or a control record.
OVERHEAD = 100


def head_gone(head):
    """Whether records at the head may have been there and been deleted."""
    return bool(head["deleted"]) or (head["held"] and head["deleted"] is not None)


def count(head, timestamps, missing, target_bytes, target_range):
    """How many of the records that are missing at the head are excused.

    :param timestamps: theirs, in ms. :param missing: their number.
    :param target_bytes: bytes of keys and values in ``target_range`` of the copy.
    """
    if not missing or not head_gone(head):
        return 0
    excused = 0
    if head["retention_ms"] is not None:
        # A record without a timestamp expires by the time of its file, which nobody knows any more.
        excused = int(((timestamps >= 0) & (timestamps < head["at"] - head["retention_ms"])).sum())
    return missing if excused < missing and _by_size(head, missing, target_bytes, target_range) else min(excused, missing)


def _by_size(head, missing, target_bytes, target_range):
    """Whether a limit by size explains them: no more than were deleted, and what is left may still fill the limit."""
    limit, span = head["retention_bytes"], target_range[1] - target_range[0]
    if limit is None or not head["deleted"] or missing > head["deleted"] or span <= 0:
        return False
    return (target_bytes / span + OVERHEAD) * (head["end"] - target_range[0]) >= limit
