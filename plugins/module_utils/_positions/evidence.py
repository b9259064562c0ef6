# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything known about one partition and its copy, from which a position is translated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .outline import Outline
from .scan import Scan, covering, differing_from
from .suffix import Suffix, suffix_of


class Evidence(Outline):
    """An outline with the records that were read. Pairs after which the mirror may have begun to copy again, unseen,
    do not count.

    :param target_scans, source_scans: see :func:`.spans.spans_to_read`; the source's may be its manifest's.
    """

    def __init__(self, outline: Outline, target_scans: Sequence[Scan] = (), source_scans: Sequence[Scan] = ()) -> None:
        vars(self).update(vars(outline))
        self.target_scans, self.source_scans = target_scans, source_scans
        self._differing: tuple[Scan, int] | None = None
        self._drop_refuted()
        if self._contradicted():
            self.through = None
        if self._headless():
            self._cut(-1)
        elif self.doubtful_from is not None and (
            self.doubtful_from + 1 < self.target_start or not self.all_differ(self.doubtful_from)
        ):
            open_at = self.first_open(hidden=True)
            if open_at is not None:
                self._cut(open_at)
        crowded = self._first_crowded()
        if crowded is not None:
            self._cut(crowded)

    def _drop_refuted(self) -> None:
        """Leave out pairs whose two records were both read, and differ: one side lost its end since, and holds others
        in their place. A proof that rests on one goes too.
        """
        if not self.pairs:
            return
        upstream, downstream = np.array(self.pairs, dtype=np.int64).T
        theirs, seen = _digests_at(self.source_scans, upstream)
        copies, copied = _digests_at(self.target_scans, downstream)
        refuted = seen & copied & (theirs != copies)
        if refuted.any():
            self.proof = None
            self._use([pair for pair, out in zip(self.pairs, refuted.tolist(), strict=True) if not out])

    @cached_property
    def suffix(self) -> Suffix | None:
        """The last records of both sides, which are equal; None where that cannot be said."""
        return suffix_of(self)

    def _headless(self) -> bool:
        """Whether nobody says which source records the target's first ones are copies of, though earlier ones expired,
        and more may have been copied twice.

        If the mirror went back by more records than the target still holds, no two of those are equal, and the first
        are the later ones.
        """
        if self.exactly_once or self.target_start == 0 or self.target_start >= self.target_end:
            return False
        return not self.pairs or self.pairs[0][1] > self.target_start

    def _contradicted(self) -> bool:
        """Whether what was read shows that Connect's offset is not that of the target's last record, or leaves open
        whether it is.
        """
        if not self.exactly_once or not self.through:
            return False
        if self.source is not None and self.through > self.source[1]:
            return True
        if not self.sealed:
            return False
        copies = next((scan for scan in self.target_scans if scan.high >= self.target_end), None)
        if copies is None or not len(copies.offsets):
            return False
        last = copies.digests[-1]
        later = any((scan.between(self.through, scan.high)[1] == last).any() for scan in self.source_scans)
        scan = self.source_scan(self.through - 1, self.through)
        return later or (scan is not None and bool((scan.between(self.through - 1, self.through)[1] != last).any()))

    def _first_crowded(self) -> int | None:
        """Index of the first pair behind which more records were seen on the target than source offsets lie before the
        next pair.

        So the mirror copied some of them again in between, though its pairs only ever rise: its offsets were set back,
        transactions or not.
        """
        if len(self.pairs) < 2:
            return None
        upstream, downstream = np.array(self.pairs, dtype=np.int64).T
        found = []
        for scan in self.target_scans:
            whole = (downstream[:-1] + 1 >= scan.low) & (downstream[1:] < scan.high) & (upstream[1:] > upstream[:-1])
            counts = np.searchsorted(scan.offsets, downstream[1:] + 1) - np.searchsorted(
                scan.offsets, downstream[:-1] + 1
            )
            found.extend(np.flatnonzero(whole & (counts > upstream[1:] - upstream[:-1]))[:1].tolist())
        return min(found, default=None)

    def all_differ(self, low: int) -> bool:
        """Whether it was seen that no two records of the target from ``low`` to its end are equal.

        Compaction takes the first of two copies of a record, which hides that there were two. It leaves a gap, and so
        do control records.
        """
        low = max(low, self.target_start)
        if low >= self.target_end:
            return True
        scan = self.target_scan(low, self.target_end)
        if scan is None:
            return False
        if not self.exactly_once and len(scan.between(low, self.target_end)[0]) < self.target_end - low:
            return False
        if self._differing is None or self._differing[0] is not scan:
            self._differing = (scan, differing_from(scan))
        return low >= self._differing[1]

    def nothing_twice(self, low: int) -> bool:
        """Whether no record at or after ``low`` can be a second copy: copied in transactions, or all digests up to the
        end differ.
        """
        if self.stale or self.copied_again:
            return False
        return self.exactly_once or self.all_differ(low)

    def target_scan(self, low: int, high: int) -> Scan | None:
        """The scan of the target that covers ``[low, high)``, or None."""
        return covering(self.target_scans, low, high)

    def source_scan(self, low: int, high: int) -> Scan | None:
        """The scan of the source (or of its manifest) that covers ``[low, high)``, or None."""
        return covering(self.source_scans, low, high)


def _digests_at(scans: Sequence[Scan], offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Digests of the records at these offsets, and which of them were read."""
    digests, found = np.zeros(len(offsets), dtype=np.uint64), np.zeros(len(offsets), dtype=bool)
    for scan in scans:
        if len(scan.offsets):
            places = np.minimum(np.searchsorted(scan.offsets, offsets), len(scan.offsets) - 1)
            here = scan.offsets[places] == offsets
            digests[here], found = scan.digests[places][here], found | here
    return digests, found
