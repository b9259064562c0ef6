# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions near the end: what the target holds from the answer on is, record for record, what the source holds from
the position on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .answer import Answer

if TYPE_CHECKING:
    from .evidence import Evidence
    from .scan import Scan


class Suffix(NamedTuple):
    """The last records of both sides. ``low``: from where on the source was read; ``source`` and ``target``: offsets of
    what was copied and of its copies; ``equal``: how many of the last records are equal.
    """

    low: int
    source: np.ndarray
    target: np.ndarray
    equal: int


def by_suffix(evidence: Evidence, position: int) -> Answer | None:
    """The answer where everything behind it is equal on both sides."""
    suffix = evidence.suffix
    if suffix is None or position < suffix.low:
        return None  # what expired at the source may still be on the target
    after = len(suffix.source) - int(np.searchsorted(suffix.source, position))
    if after > suffix.equal:
        return None
    if after == 0:
        why = f"the last {suffix.equal} records before the end are equal on both sides"
        return Answer(evidence.target_end, "exact_at_end", 0, why)
    offset = int(suffix.target[len(suffix.target) - after])
    why = f"{after} records from the answer to the end, and {suffix.equal - after} before it, are equal on both sides"
    return Answer(offset, "exact_verified", 0, why)


def suffix_of(evidence: Evidence) -> Suffix | None:
    """The last records of both sides; None where it cannot be said which of the source's were copied."""
    if evidence.source is None or evidence.through is None or evidence.through > evidence.source[1]:
        return None
    end = evidence.source[1]
    scan = next((scan for scan in evidence.source_scans if scan.high >= end), None)
    copy = next((scan for scan in evidence.target_scans if scan.high >= evidence.target_end), None)
    if scan is None or copy is None:
        return None
    offsets, digests = scan.offsets, scan.digests
    if len(offsets) and offsets[-1] >= evidence.through:
        if not evidence.exactly_once or evidence.copied_again:
            return None  # how much of the source was copied is known only roughly
        offsets, digests = scan.between(scan.low, evidence.through)
        beyond = scan.between(evidence.through, scan.high)[1]
        if len(copy.digests) and (beyond == copy.digests[-1]).any():
            # A record like the last copy lies beyond what Connect says was copied: nothing tells them apart.
            return None
    if not evidence.sealed and not _ends_belong_together(evidence, scan.low, offsets, copy):
        return None
    equal = _common_suffix(digests, copy.digests)
    if equal == 0 and (len(offsets) or len(copy.offsets)):
        return None
    return Suffix(scan.low, offsets, copy.offsets, equal)


def _ends_belong_together(evidence: Evidence, low: int, offsets: np.ndarray, copy: Scan) -> bool:
    """Whether the last records of both sides are each other's, by their number behind the newest pair. Otherwise others
    wrote there, or compaction took some.
    """
    if evidence.newest is None or evidence.newest[0] < low:
        return False
    upstream, downstream = evidence.newest
    behind, copied = int(np.sum(offsets > upstream)), int(np.sum(copy.offsets > downstream))
    return copied == behind or (copied < behind and copy.low > downstream)


def _common_suffix(left: np.ndarray, right: np.ndarray) -> int:
    count = min(len(left), len(right))
    if not count:
        return 0
    differing = np.flatnonzero(left[len(left) - count :] != right[len(right) - count :])
    return count - 1 - int(differing[-1]) if len(differing) else count
