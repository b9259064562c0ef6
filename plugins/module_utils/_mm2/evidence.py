# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What is known about one partition and its copy, from which a position is translated.

A *pair* (upstream, downstream) says that the source record at ``upstream`` was acknowledged by the target at ``downstream``. MirrorMaker 2
writes them as offset syncs, a proof's offset map holds them as runs. The order in which pairs were written matters: it shows where a topic
was re-created and where a mirror copied something twice.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, pairwise
from typing import NamedTuple

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

# Reading across a gap of so many offsets is cheaper than asking twice.
JOIN = 5000


class Scan(NamedTuple):
    """Every committed record in ``[low, high)`` of a log: offsets (int64, rising) and digests (uint64)."""

    low: int
    high: int
    offsets: object
    digests: object

    def between(self, low, high):
        """``(offsets, digests)`` within ``[low, high)``."""
        begin, end = np.searchsorted(self.offsets, [low, high])
        return self.offsets[begin:end], self.digests[begin:end]


class Evidence:
    """Everything known about one partition.

    :param pairs: ``[(upstream, downstream)]`` in the order in which they were written.
    :param target: ``(start, end)`` of the copy: log start and last stable offset, or where the mirror's writing ended.
    :param source: ``(start, end)`` of the source the same way, None where it is lost.
    :param through: mirrored through: the offset after the last source record copied, as Connect says; None if unknown.
    :param exactly_once: the mirror was seen to copy in transactions: nothing is copied twice, and ``through`` is atomic with the copies.
    :param checkpoints: ``[(upstream, downstream)]`` of MM2's own answers, used as lower bounds where nothing else speaks.
    :param proof: :class:`ProofMap` or None.
    :param sealed: the target's end is known to be where the mirror's writing ended; otherwise the last records may be others'.

    ``stale`` says that the source is not the one that the pairs speak of; ``copied_again`` that the mirror copied something again and did not
    come past what it had. With either nothing counts as exact, and what is left bounds from below.
    """

    def __init__(self, pairs, target, source=None, through=None, exactly_once=False, checkpoints=(), proof=None, sealed=False):
        self.sealed = sealed
        self.target_start, self.target_end = target
        self.source = source
        self.through = through
        self.exactly_once = exactly_once
        self.checkpoints = [one for one in checkpoints if one[1] <= self.target_end]
        self.proof = proof
        self.former = None  # a FormerTopic, where the times of the pairs are known
        self.target_scans, self.source_scans = [], []
        self._differing_scan, self._differing_low = None, None
        self.suffix = None
        self.stale = False
        self.copied_again = False
        self.pairs = self._living(pairs)
        self._use(self.pairs)
        back = self._first_open(hidden=False)
        if back is not None:
            self._cut(back)
        self.doubtful_from = None if exactly_once else self._open_place(self._first_open(hidden=True))

    def settle(self):
        """To be called once the scans are there: pairs after which the mirror may have begun to copy again, unseen, are let go of."""
        if self.doubtful_from is not None and not self.all_differ(self.doubtful_from):
            self._cut(self._first_open(hidden=True))
        crowded = self._first_crowded()
        if crowded is not None:
            self._cut(crowded)
        return self

    def _first_crowded(self):
        """Index of the first pair behind which more records were seen on the target than source offsets lie before the next pair.

        So the mirror copied some of them again in between, though its pairs only ever rise: its offsets were set back, transactions or not.
        """
        if len(self.pairs) < 2:
            return None
        upstream, downstream = np.array(self.pairs, dtype=np.int64).T
        found = []
        for scan in self.target_scans:
            whole = (downstream[:-1] + 1 >= scan.low) & (downstream[1:] < scan.high) & (upstream[1:] > upstream[:-1])
            counts = np.searchsorted(scan.offsets, downstream[1:] + 1) - np.searchsorted(scan.offsets, downstream[:-1] + 1)
            found.extend(np.flatnonzero(whole & (counts > upstream[1:] - upstream[:-1]))[:1].tolist())
        return min(found, default=None)

    def all_differ(self, low):
        """Whether it was seen that no two records of the target from ``low`` to its end are equal."""
        low = max(low, self.target_start)
        if low >= self.target_end:
            return True
        scan = self.target_scan(low, self.target_end)
        if scan is None:
            return False
        if self._differing_scan is not scan:
            self._differing_scan, self._differing_low = scan, _differing_from(scan)
        return low >= self._differing_low

    def _use(self, pairs):
        self.pairs = pairs
        self.segments_before, self.segment = self._last_segment(pairs)
        by_source = sorted(pairs)
        self._upstreams = [upstream for upstream, dummy in by_source]
        self._highest = list(accumulate((downstream for dummy, downstream in by_source), max))
        self._at = dict(by_source)

    def _cut(self, index):
        """Keep the pairs up to ``index`` (-1: none). Whatever was copied later, the copies of what follows them lie behind them."""
        self.copied_again = True
        self._use(self.pairs[:index + 1])

    def _first_open(self, hidden):
        """Index of the first pair after which the mirror went back, or (``hidden``) may have, and is not shown to have caught up with itself.

        A mirror that is not exactly-once and is restarted copies again from an earlier record. If it is lost before it comes past what it had
        copied already, the only copies of the latter lie *before* the new ones, and no pair of the new ones bounds anything. Behind pair i at
        most d[i+1] - d[i] - 1 records can have been copied before it went back; so it is past them once it has copied as many behind the first
        pair that is not before u[i] again.
        """
        pairs = self.pairs
        for index in range(-1 if hidden else 0, len(pairs) - 1):
            upstream, downstream = pairs[index] if index >= 0 else (-1, self.target_start - 1)
            room = pairs[index + 1][1] - downstream - 1
            rises = pairs[index + 1][0] > upstream
            if rises and (room <= 0 or not hidden):
                continue
            past = pairs[index + 1] if rises else next((pair for pair in pairs[index + 1:] if pair[0] >= upstream), None)
            # With transactions up to every second offset is a control record.
            if past is None or self.target_end - 1 - past[1] < (2 * room if self.exactly_once else room):
                return index
        return None

    def _open_place(self, index):
        if index is None:
            return None
        return self.pairs[index][1] if index >= 0 else self.target_start

    def _living(self, pairs):
        """The pairs of the present target topic: one that goes back on the target began a new one, one beyond its end belongs to a lost one."""
        living = []
        for upstream, downstream in pairs:
            if living and downstream <= living[-1][1]:
                if (upstream, downstream) == living[-1]:
                    continue
                living = []
            living.append((upstream, downstream))
        beyond = [index for index, pair in enumerate(living) if pair[1] >= self.target_end]
        living = living[beyond[-1] + 1:] if beyond else living
        if self.source is not None and any(upstream >= self.source[1] for upstream, dummy in living):
            self.stale = True  # the source's topic was re-created: pairs still bound from below, but nothing counts as exact
        return living

    @staticmethod
    def _last_segment(pairs):
        """Since the source offsets went back last (a restart that copied again, or a re-created source): where it begins, and its pairs."""
        begin = 0
        for index in range(1, len(pairs)):
            if pairs[index][0] <= pairs[index - 1][0]:
                begin = index
        return begin, pairs[begin:]

    def around(self, position):
        """The last pair at or before, and the first pair at or after ``position``, in the last segment; None where there is none."""
        index = bisect_left(self.segment, (position, -1))
        if index < len(self.segment) and self.segment[index][0] == position:
            return self.segment[index], self.segment[index]
        return (self.segment[index - 1] if index else None), (self.segment[index] if index < len(self.segment) else None)

    def at_least(self, position):
        """A target offset that is never above the truth: whatever pair lies before the position, its copy does too."""
        lowest = self.target_start
        index = bisect_left(self._upstreams, position)
        if index:
            lowest = max(lowest, self._highest[index - 1] + 1)
        lowest = max(lowest, self._at.get(position, 0))
        if not self.pairs and self.exactly_once and not self.copied_again:
            lowest = max([lowest] + [downstream for upstream, downstream in self.checkpoints if upstream <= position])
        return min(lowest, self.target_end)

    def target_scan(self, low, high):
        """The scan of the target that covers ``[low, high)``, or None."""
        return _covering(self.target_scans, low, high)

    def source_scan(self, low, high):
        """The scan of the source (or of its manifest) that covers ``[low, high)``, or None."""
        return _covering(self.source_scans, low, high)


def _covering(scans, low, high):
    return next((scan for scan in scans if scan.low <= low and scan.high >= high), None)


def _differing_from(scan):
    """The lowest offset of the scan from which on no digest comes twice."""
    digests = scan.digests
    order = np.argsort(digests, kind="stable")
    twins = np.flatnonzero(digests[order][1:] == digests[order][:-1])
    return int(scan.offsets[order[twins].max()]) + 1 if len(twins) else scan.low


class ProofMap:
    """The offset map of a proof: runs of source records and where their copies are.

    :param runs: ``[(source_offset, target_offset, count)]``, rising on both sides.
    :param source_range: ``[low, high)`` that was compared.
    :param target_range: ``[low, high)`` that was compared.
    :param one_to_one: nothing was found duplicated, reordered or foreign.
    """

    def __init__(self, runs, source_range, target_range, one_to_one=True):
        self.runs, self.source_range, self.target_range, self.one_to_one = runs, source_range, target_range, one_to_one
        self._starts = [run[0] for run in runs]

    def copy_at(self, position):
        """The target offset of the copy of the first copied record at or after ``position``, None beyond the map."""
        if not self.source_range[0] <= position < self.source_range[1]:
            return None
        index = bisect_left(self._starts, position + 1) - 1
        if index >= 0:
            begin, target, count = self.runs[index]
            if position < begin + count:
                return target + position - begin
        return self.runs[index + 1][1] if index + 1 < len(self.runs) else None

    def pairs(self):
        """First and last record of each run as pairs."""
        for source, target, count in self.runs:
            yield source, target
            if count > 1:
                yield source + count - 1, target + count - 1


def merge_pairs(syncs, proof):
    """Offset syncs in the order written, with the pairs of a proof sorted in; without those if the two do not agree on one rising map."""
    if proof is None or not proof.runs:
        return list(syncs)
    proven = list(proof.pairs())
    rising = sorted(set(proven) | {pair for pair in syncs if pair[0] >= proof.source_range[0]})
    if all(later[0] > earlier[0] and later[1] > earlier[1] for earlier, later in pairwise(rising)):
        return rising
    return list(syncs)


def spans_to_read(evidence, positions, limit):
    """What has to be read for exact answers: ``(target spans, source spans)``, each ``[(low, high)]``, joined where near.

    Where the source lives, the records from the lowest position to the end are compared, on both sides; where that is longer than ``limit``
    offsets, or the source is lost, only what lies between the pairs around each position.

    :param limit: offsets; what lies wider apart is not read, and its answer stays a lower bound.
    """
    target, source = [], []
    if not positions:
        return target, source
    first = min(positions)
    low = evidence.at_least(first)
    earlier = evidence.around(first)[0]
    if earlier is not None:
        low = max(min(low, earlier[1]), evidence.target_start)
    if evidence.target_end - low <= limit and (evidence.source is not None or not evidence.exactly_once):
        target.append((low, evidence.target_end))
        if evidence.source is not None:
            begin = max(evidence.source[0], min(first, earlier[0] if earlier is not None else evidence.source[0]))
            if evidence.source[1] - begin <= limit * 2:
                source.append((begin, evidence.source[1]))
    if evidence.doubtful_from is not None and evidence.target_end - evidence.doubtful_from <= limit:
        target.append((evidence.doubtful_from, evidence.target_end))
    for position in set(positions):
        earlier, later = evidence.around(position)
        if evidence.proof is not None and evidence.proof.one_to_one and evidence.proof.copy_at(position) is not None:
            continue
        if earlier is not None and earlier is later:
            continue
        low = max(earlier[1], evidence.target_start) if earlier is not None else evidence.at_least(position)
        high = later[1] + 1 if later is not None else evidence.target_end
        if high - low > limit:
            if earlier is not None or later is None:
                continue
            low = max(low, high - limit)
        target.append((low, high))
        begin = earlier[0] if earlier is not None else position
        end = later[0] + 1 if later is not None else (evidence.through or 0)
        if begin < end and end - begin <= limit:
            source.append((begin, end))
    return _joined(target, evidence.target_start, evidence.target_end), _joined(source, *(evidence.source or (0, None)))


def _joined(spans, lowest, highest):
    joined = []
    for low, high in sorted(spans):
        low, high = max(low, lowest), high if highest is None else min(high, highest)
        if low >= high:
            continue
        if joined and low <= joined[-1][1] + JOIN:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return joined
