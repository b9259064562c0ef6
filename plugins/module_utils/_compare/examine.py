# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The second pass: of a partition whose chunks differ, read what differs again and name every difference."""

from __future__ import annotations

import time

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import align, chunks, classify, latest
from .._digest.records import Records
from .._errors import NotProvableError
from . import excuses

# Records of one side that are held at once; beyond it, a stretch is told by its counts only.
MOST = 4000000
MARGIN = 3


def examine(source, target, task):
    """Name the differences of one partition.

    :param source, target: sides.
    :param task: ``topic``, ``target_topic``, ``partition``, ``mode``, ``timestamps``, ``source_chunks``/``target_chunks`` (pairs of bytes),
        ``source_range``/``target_range``, ``source_started`` (log start), ``head`` (what excuses a missing head, see :mod:`.excuses`),
        ``mirrored_through`` (source offset below which everything had been copied, None where that is not known), ``limit`` of differences,
        ``target_bounded`` (both ends were given: what a manifest does not know below the target's is foreign, and not merely later than the manifest).
    :returns: ``counts``, ``excused_head``, ``differences``, ``offset_map`` (list of rows), ``reasons``, ``unnamed`` (bool: not all was named).
    """
    return _Examination(source, target, task).run()


class _Examination:
    def __init__(self, source, target, task):
        self.source, self.target, self.task = source, target, task
        self.left = chunks.Chunks.from_bytes(*task["source_chunks"])
        self.right = chunks.Chunks.from_bytes(*task["target_chunks"])
        self.timestamps = task["timestamps"]
        self.reasons, self.unnamed = [], False
        self.known = []

    def run(self):
        compact = "compact" in self.task["mode"]
        found, blocks = self._latest() if compact else self._sequence()
        excused = excuses.count(self.task["head"], found.head_timestamps, found.counts["missing_head"], self.right.bytes, self.task["target_range"])
        rows = chunks.offset_map(blocks, self.left.runs, self.right.runs)
        return {
            "counts": found.counts, "excused_head": excused, "differences": found.differences(self.task["limit"]), "offset_map": rows.tolist(),
            "reasons": self.reasons, "unnamed": self.unnamed, "difference_runs": len(found.runs),
        }

    # -- delete policy ------------------------------------------------------------------------------------------

    def _sequence(self):
        left_ids, right_ids = chunks.identities(self.left, self.right)
        starts = self.left.starts(), self.right.starts()
        anchors = align.blocks(left_ids, right_ids)
        found, blocks = self._between(anchors, left_ids, right_ids, *starts)
        outer = [one for one in anchors if one[:2] == (0, 0) or (one[0] + one[2], one[1] + one[2]) == (len(left_ids), len(right_ids))]
        if found.counts["reordered"] and len(outer) < len(anchors) and not self.unnamed and _span(outer, *starts) <= MOST:
            # A chunk that is matched may stand for a twin of its records, and then what was only lost or doubled reads as moved. Chunks at both ends
            # never do, and between them records tell it exactly.
            self.reasons, self.unnamed = [], False
            again, blocks_again = self._between(outer, left_ids, right_ids, *starts)
            if not self.unnamed and again.counts["reordered"] < found.counts["reordered"]:
                return again, blocks_again
            self.reasons, self.unnamed = [], False
        if _holes(found) and not self.unnamed:
            sure = self._below(anchors)
            if len(sure) < len(anchors) and _span(sure, *starts) <= MOST:
                # The same with the end of what was copied: matched to a twin that was written later, it makes a hole of what had not been copied.
                again, blocks_again = self._between(sure, left_ids, right_ids, *starts)
                if not self.unnamed and not _holes(again):
                    return again, blocks_again
                self.reasons, self.unnamed = [], False
        return found, blocks

    def _below(self, anchors):
        """Matched chunks that begin below what is known to have been copied; all of them where that is not known."""
        if self.task["mirrored_through"] is None:
            return anchors
        edge = int(np.searchsorted(self.left.rows["first_offset"], self.task["mirrored_through"]))
        return [(i, j, min(n, edge - i)) for i, j, n in anchors if i < edge]

    def _between(self, anchors, left_ids, right_ids, left_starts, right_starts):
        """Read what lies between matched chunks and classify it: (Found, all matched blocks of records)."""
        blocks = [
            (int(left_starts[i]), int(right_starts[j]), int(left_starts[i + n] - left_starts[i])) for i, j, n in anchors
        ]
        gaps, skipped = self._gaps(anchors, left_starts, right_starts)
        self._remember(left_ids, right_ids, anchors)
        lost, lost_at = self._read(self.source, self.task["topic"], self.left, [gap[:2] for gap in gaps], left_starts, self.task["source_range"])
        extra, extra_at = self._read(self.target, self.task["target_topic"], self.right, [gap[2:] for gap in gaps], right_starts, self.task["target_range"])
        for one, one_at, other, other_at in zip(lost, lost_at, extra, extra_at, strict=True):
            inner = align.blocks(one.digest(self.timestamps), other.digest(self.timestamps))
            blocks.extend((one_at + i, other_at + j, n) for i, j, n in inner)
        blocks.sort()
        found = classify.classify(
            Records.join(lost), Records.join(extra), _ordinals(lost, lost_at), _ordinals(extra, extra_at), blocks, self.timestamps,
            self._find, excuses.head_gone(self.task["head"]), self.task["source_started"], self.task["mirrored_through"],
        )
        self._add_skipped(found, skipped, blocks, left_starts, right_starts)
        return found, blocks

    def _gaps(self, anchors, left_starts, right_starts):
        """Stretches of chunks to read (source low, high, target low, high), and those that are told without reading."""
        gaps, skipped = [], []
        at_left = at_right = 0
        read = 0
        for i, j, n in anchors + [(len(self.left.rows), len(self.right.rows), 0)]:
            if i > at_left or j > at_right:
                gap = (at_left, i, at_right, j)
                last = i == len(self.left.rows)
                lost = int(left_starts[i] - left_starts[at_left])
                extra = int(right_starts[j] - right_starts[at_right])
                if self.source.live is False and not self.source.detailed:
                    skipped.append(gap)
                elif last and lost > 4 * extra + 65536:
                    cut = int(np.searchsorted(left_starts, left_starts[at_left] + extra + 1)) + MARGIN
                    cut = min(cut, i) if extra else at_left
                    if extra:
                        gaps.append((at_left, cut, at_right, j))
                    if cut < i:
                        skipped.append((cut, i, j, j))
                elif not extra and lost > 65536:
                    skipped.append((at_left, i, j, j))
                elif read + max(lost, extra) > MOST:
                    skipped.append(gap)
                else:
                    read += max(lost, extra)
                    gaps.append(gap)
            at_left, at_right = i + n, j + n
        return gaps, skipped

    def _remember(self, left_ids, right_ids, anchors):
        """Source chunks that may explain extras: equal to a target chunk that was not matched, with their neighbours, and those before a gap."""
        matched = np.zeros(len(right_ids), bool)
        near = []
        for i, j, n in anchors:
            matched[j: j + n] = True
            near.extend(range(i + n - 2, i + n))
        again = np.flatnonzero(np.isin(left_ids, right_ids[~matched]))
        wanted = set(near)
        for at in again.tolist():
            wanted.update(range(at - 1, at + 2))
        wanted = sorted(at for at in wanted if 0 <= at < len(left_ids))
        self.hints, total = [], 0
        for at in wanted:
            total += int(self.left.rows["count"][at])
            if total > 1000000:
                break
            low, high = int(self.left.rows["first_offset"][at]), int(self.left.rows["last_offset"][at]) + 1
            if self.hints and self.hints[-1][1] == low:
                self.hints[-1] = (self.hints[-1][0], high)
            else:
                self.hints.append((low, high))

    def _read(self, side, topic, listed, stretches, starts, bounds):
        """Records of stretches of chunks with the ordinals they begin at; what was read must be what was digested."""
        ranges = [
            (int(listed.rows["first_offset"][low]), int(listed.rows["last_offset"][high - 1]) + 1) if high > low else (0, 0) for low, high in stretches
        ]
        parts = side.records(topic, self.task["partition"], ranges) if ranges else []
        for part, (low, high) in zip(parts, stretches, strict=True):
            if len(part) != starts[high] - starts[low]:
                raise NotProvableError(
                    "Topic %s partition %s on %s changed while it was compared" % (topic, self.task["partition"], side.name),
                    expected="%d records" % (starts[high] - starts[low]), found=len(part),
                )
        if side is self.source:
            self.known = [part.digest(self.timestamps) for part in parts]
        return parts, [int(starts[low]) for low, dummy in stretches]

    def _add_skipped(self, found, skipped, blocks, left_starts, right_starts):
        first = blocks[0][0] if blocks else None
        last = blocks[-1][0] + blocks[-1][2] if blocks else None
        for low, high, target_low, target_high in skipped:
            lost, extra = int(left_starts[high] - left_starts[low]), int(right_starts[target_high] - right_starts[target_low])
            stamps = self.left.rows["min_timestamp"][low:high]
            if extra:
                self.unnamed = True
                self.reasons.append("%d records of the source and %d of the target differ and are counted, not named" % (lost, extra))
                found.counts["altered"] += min(lost, extra)
                found.add_run("altered", self.left.rows["first_offset"][low], self.right.rows["first_offset"][target_low], stamps[0], min(lost, extra))
                if extra > lost:
                    found.counts["foreign"] += extra - lost
            if lost > extra:
                self._add_missing(found, int(left_starts[low]) + extra, int(left_starts[high]), first, last)

    def _add_missing(self, found, begin, end, first, last):
        """Records of the source by their places, not on the target and not read; ``first``, ``last``: places of the first, and after the last, matched."""
        through, cut = self.task["mirrored_through"], end
        if through is not None and (last is None or begin >= last):
            cut = min(max(begin, chunks.place(self.left.runs, through)), end)
        if last is not None and begin >= last:
            kind = "missing_tail"
        elif first is not None and end > first:
            kind = "missing"
        else:
            kind = "missing_tail" if first is None and not excuses.head_gone(self.task["head"]) else "missing_head"
        edges = self.left.starts()
        for name, low, high in ((kind, begin, cut), ("lost", cut, end)):
            if high <= low:
                continue
            found.counts[name] += high - low
            held = np.clip(edges[1:], low, high) - np.clip(edges[:-1], low, high)
            if name == "missing_head":
                # In a chunk that was not read, every record counts as its youngest.
                found.head_timestamps = np.concatenate([found.head_timestamps, np.repeat(self.left.rows["max_timestamp"], held)])
            stamp = self.left.rows["min_timestamp"][int(np.flatnonzero(held)[0])]
            found.add_run(name, int(chunks.ordinals_to_offsets(self.left.runs, np.array([low]))[0]), None, stamp, high - low)

    # -- compact policy -----------------------------------------------------------------------------------------

    def _latest(self):
        if self.left.count + self.right.count > 4 * MOST:
            raise NotProvableError("Topic %s partition %s is too large to compare by key" % (self.task["topic"], self.task["partition"]),
                                   expected="at most %d records" % (4 * MOST), found=self.left.count + self.right.count)
        one, = self.source.records(self.task["topic"], self.task["partition"], [self.task["source_range"]])
        other, = self.target.records(self.task["target_topic"], self.task["partition"], [self.task["target_range"]])
        if len(one) and one.key_high is None:
            raise NotProvableError("The manifest holds no keys of topic %s" % self.task["topic"], remedy="Save it with --detail records")
        for records, listed, side in ((one, self.left, self.source), (other, self.right, self.target)):
            if len(records) != listed.count:
                # The cleaner may work between the passes: go on with what is there now, since survivors are the claim.
                self.reasons.append("%s compacted between the passes" % side.name)
                listed.runs = chunks.offset_runs(records.offset) if len(records) else np.empty((0, 2), np.int64)
        blocks = align.blocks(one.digest(self.timestamps), other.digest(self.timestamps))
        if not len(one) or not len(other):
            kinds = {name: np.empty(0, np.uint64) for name in ("key_high", "key_low")}
            for records in (one, other):
                if not len(records):
                    records.key_high, records.key_low, records.tombstone = kinds["key_high"], kinds["key_low"], np.empty(0, bool)
        return latest.compare(one, other, blocks, self.timestamps, self._find_key, excuses.head_gone(self.task["head"]), self.task["mirrored_through"]), blocks

    def _find_key(self, keys, digests):
        key_there, digest_there = np.zeros(len(keys), bool), np.zeros(len(digests), bool)
        for records in self._later():
            key_there |= np.isin(keys, records.key_high)
            digest_there |= np.isin(digests, records.digest(self.timestamps))
        return key_there, digest_there

    # -- looking extras up in the source ------------------------------------------------------------------------

    def _later(self):
        """Records of the source beyond the bound, as portions."""
        topic, partition, high = self.task["topic"], self.task["partition"], self.task["source_range"][1]
        if not self.source.live:
            return
        end = self.source.ends([(topic, partition)]).get((topic, partition), high)
        if end > high:
            yield from self.source.scan(topic, partition, high, end)

    def _find(self, digests):
        """What the source has of these digests, as bits: in bounds, beyond them, uncommitted."""
        topic, partition = self.task["topic"], self.task["partition"]
        low, high = self.task["source_range"]
        code = np.zeros(len(digests), np.int8)
        for records in self._later():
            code |= np.where(np.isin(digests, records.digest(self.timestamps)), classify.LATER, 0).astype(np.int8)
        for known in self.known:
            code |= np.where(np.isin(digests, known), classify.KNOWN, 0).astype(np.int8)
        if not (code == 0).any():
            return code
        if self.source.live is False and not self.source.detailed:
            return code
        for part in self.source.records(topic, partition, self.hints, keep="content") if self.hints else []:
            code |= np.where(np.isin(digests, part.digest(self.timestamps)), classify.KNOWN, 0).astype(np.int8)
        for bit, isolation in ((classify.KNOWN, "read_committed"), (classify.ABORTED, "read_uncommitted")):
            if not (code == 0).any() or (bit == classify.ABORTED and not self.source.live):
                break
            for records in self.source.scan(topic, partition, low, high, isolation):
                code |= np.where((code == 0) & np.isin(digests, records.digest(self.timestamps)), bit, 0).astype(np.int8)
        if not self.source.live and not self.task["target_bounded"]:
            # A manifest cannot say what the source wrote after it: at the tail, what it does not know is beyond it.
            code[code == 0] = classify.LATER
        return code


def _holes(found):
    return found.counts["missing"] + found.counts["missing_head"]


def _span(outer, left_starts, right_starts):
    """Records of the longer side between what is matched at both ends."""
    return max(int(starts[-1]) - sum(int(starts[one[side] + one[2]] - starts[one[side]]) for one in outer)
               for side, starts in ((0, left_starts), (1, right_starts)))


def now_ms():
    """Wall-clock milliseconds."""
    return int(time.time() * 1000)


def _ordinals(parts, starts):
    if not parts:
        return np.empty(0, np.int64)
    return np.concatenate([np.arange(start, start + len(part)) for part, start in zip(parts, starts, strict=True)]).astype(np.int64)
