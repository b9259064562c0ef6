# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Name what two sequences do not have in common.

Of what alignment left over, a digest left on both sides was moved (``reordered``); an extra on the target whose digest the source
holds is a duplicate (the target has more copies), one that the source holds beyond its bound is ``beyond``, one that it holds
uncommitted is ``aborted``; a lost and an extra record in the same place that agree in a field are one ``altered`` record; the rest is ``missing``
(head, tail or middle, by its place among the matched; ``lost`` where it lies at the tail and beyond what the mirror had copied) and ``foreign``.
"""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from . import align

COUNTS = ("missing_head", "missing_tail", "missing", "lost", "duplicated", "reordered", "altered", "foreign", "aborted", "beyond")
KNOWN, LATER, ABORTED = 1, 2, 4


class Found:
    """Counts and runs of differences; ``add`` takes arrays (or None) of offsets and timestamps."""

    def __init__(self):
        self.counts = dict.fromkeys(COUNTS, 0)
        self.excused_head = 0
        self.runs = []

    def add(self, kind, source=None, target=None, timestamp=None, fields=None):
        """Count records of one kind and keep them as runs."""
        length = len(source) if source is not None else len(target)
        if not length:
            return
        self.counts[kind] += length
        none = np.full(length, -1, np.int64)
        source = none if source is None else np.asarray(source, np.int64)
        target = none if target is None else np.asarray(target, np.int64)
        order = np.argsort(np.where(source >= 0, source, target), kind="stable")
        source, target = source[order], target[order]
        timestamp = np.asarray(timestamp, np.int64)[order]
        fields = np.full(length, "") if fields is None else np.asarray(fields)[order]
        fresh = np.concatenate([[True], fields[1:] != fields[:-1]])
        for side in (source, target):
            fresh[1:] |= np.where(side[:-1] < 0, False, side[1:] != side[:-1] + 1)
        starts = np.flatnonzero(fresh)
        counts = np.diff(np.append(starts, length))
        for at, count in zip(starts.tolist(), counts.tolist(), strict=True):
            self.add_run(kind, source[at], target[at], timestamp[at], count, fields[at] or None)

    def add_run(self, kind, source, target, timestamp, count, field=None):
        """One run of differences, not counted."""
        self.runs.append({
            "kind": kind, "source_offset": None if source is None or source < 0 else int(source),
            "target_offset": None if target is None or target < 0 else int(target),
            "timestamp": None if timestamp is None else int(timestamp), "field": None if field is None else str(field), "count": int(count),
        })

    def differences(self, limit):
        """The first ``limit`` runs, by offset."""
        place = [(run["source_offset"] if run["source_offset"] is not None else run["target_offset"], number) for number, run in enumerate(self.runs)]
        return [self.runs[number] for dummy, number in sorted(place)[:limit]]


def classify(
    source, target, source_ordinals, target_ordinals, blocks, timestamps=True, find=None, head_gone=False, source_started=0, mirrored_through=None,
):
    """Name the differences of one partition.

    :param source, target: Records of the stretches that differ; ``*_ordinals``: their places in the whole sequences.
    :param blocks: all matched (source ordinal, target ordinal, count), ascending.
    :param find: ``find(digests)`` says of extras what the source has: KNOWN within bounds, LATER beyond them, ABORTED (bits, as array).
    :param head_gone: whether deletion at the head of the copy is known of. :param source_started: the source's log start.
    :param mirrored_through: source offset below which everything had been copied; None where that is not known.
    :returns: Found.
    """
    found = Found()
    place = np.array(blocks, np.int64).reshape(-1, 3)
    source_left = _outside(source_ordinals, place[:, 0], place[:, 2])
    target_left = _outside(target_ordinals, place[:, 1], place[:, 2])
    lost, extra = source.take(source_left), target.take(target_left)
    lost_at, extra_at = source_ordinals[source_left], target_ordinals[target_left]

    i, j = align.occurrences(lost.digest(timestamps), extra.digest(timestamps))
    found.add("reordered", lost.offset[i], extra.offset[j], lost.timestamp[i])
    lost, lost_at = _without(lost, lost_at, i)
    extra, extra_at = _without(extra, extra_at, j)

    if len(extra):
        code = find(extra.digest(timestamps)) if find else np.zeros(len(extra), np.int8)
        at_tail = extra_at >= (place[-1, 1] + place[-1, 2] if len(place) else 0)
        duplicate = (code & KNOWN).astype(bool) & ~(at_tail & ((code & LATER) > 0))
        later = (code & LATER).astype(bool) & ~duplicate & at_tail
        aborted = (code & ABORTED).astype(bool) & ~duplicate & ~later
        found.add("duplicated", None, extra.offset[duplicate], extra.timestamp[duplicate])
        found.add("beyond", None, extra.offset[later], extra.timestamp[later])
        found.add("aborted", None, extra.offset[aborted], extra.timestamp[aborted])
        rest = np.flatnonzero(~(duplicate | later | aborted))
        extra, extra_at = extra.take(rest), extra_at[rest]

    i, j, names = altered(lost, extra, _slots(lost_at, place[:, 0]), _slots(extra_at, place[:, 1]))
    found.add("altered", lost.offset[i], extra.offset[j], lost.timestamp[i], names)
    pairs = np.stack([lost_at[i], extra_at[j]], axis=1) if len(i) else np.empty((0, 2), np.int64)
    lost, lost_at = _without(lost, lost_at, i)
    extra, extra_at = _without(extra, extra_at, j)

    if source_started > 0 and len(extra):
        first = place[0, 1] if len(place) else None
        older = (extra_at < first) if first is not None else np.zeros(len(extra), bool)
        if not len(source) and not len(place):
            older[:] = True
        found.add("beyond", None, extra.offset[older], extra.timestamp[older])
        extra = extra.take(~older)
    found.add("foreign", None, extra.offset, extra.timestamp)

    first, last = bounds(place, pairs)
    tail = lost_at > last if last is not None else np.ones(len(lost), bool)
    # A mirror copies in order: what lies before a record that was copied had been copied too, wherever the offset that is known of stands.
    never = tail & (lost.offset >= mirrored_through) if mirrored_through is not None else np.zeros(len(lost), bool)
    head = (lost_at < first if first is not None else np.full(len(lost), head_gone)) & ~never
    tail &= ~head & ~never
    for kind, where in (("missing_head", head), ("missing_tail", tail), ("lost", never), ("missing", ~head & ~tail & ~never)):
        found.add(kind, lost.offset[where], None, lost.timestamp[where])
    found.head_timestamps = lost.timestamp[head]
    return found


def bounds(place, pairs):
    """Ordinals of the first and the last source record that has a counterpart; (None, None) if none has."""
    starts = np.concatenate([place[:, 0], pairs[:, 0]])
    ends = np.concatenate([place[:, 0] + place[:, 2] - 1, pairs[:, 0]])
    return (int(starts.min()), int(ends.max())) if len(starts) else (None, None)


def altered(lost, extra, lost_slot, extra_slot):
    """Pair lost and extra records of the same place that agree in a field: (lost index, extra index, names of changed fields)."""
    pairs, names = [], []
    shared = np.intersect1d(lost_slot, extra_slot)
    edges = [np.searchsorted(slots, shared, side).tolist() for slots in (lost_slot, extra_slot) for side in ("left", "right")]
    for left_low, left_high, right_low, right_high in zip(*edges, strict=True):
        lefts, rights = range(left_low, left_high), range(right_low, right_high)
        if len(lefts) == len(rights):
            candidates = list(zip(lefts, rights, strict=True))
        else:
            candidates = _by_likeness(lost, extra, lefts, rights)
        for i, j in candidates:
            changed = changed_fields(lost, extra, i, j)
            if changed:
                pairs.append((i, j))
                names.append(changed)
    i = np.array([pair[0] for pair in pairs], np.int64)
    j = np.array([pair[1] for pair in pairs], np.int64)
    return i, j, np.array(names, dtype=object if not names else str)


def changed_fields(lost, extra, i, j):
    """Names of the fields that differ, or "" if too little agrees to call it the same record."""
    time = lost.timestamp[i] == extra.timestamp[j]
    if lost.content[i] == extra.content[j]:
        return "timestamp"
    if lost.key is None or extra.key is None:
        return "content" if time else ""
    same = {
        "key": lost.key[i] == extra.key[j], "value": lost.value[i] == extra.value[j], "headers": lost.headers[i] == extra.headers[j],
        "timestamp": time,
    }
    if not (same["value"] or (time and (same["key"] or same["headers"])) or (same["key"] and same["headers"])):
        return ""
    return ",".join(name for name, equal in same.items() if not equal)


def _by_likeness(lost, extra, lefts, rights):
    """Pairs of records of unequally long stretches, by what they share: content, then value and time, then key and time."""
    chosen, taken = [], set()
    if lost.key is None or extra.key is None:
        rules = [("content",)]
    else:
        rules = [("content",), ("key", "value"), ("value", "timestamp"), ("key", "timestamp")]
    left = set(lefts)
    for rule in rules:
        index = {}
        for j in rights:
            if j not in taken:
                index.setdefault(tuple(int(getattr(extra, name)[j]) for name in rule), []).append(j)
        for i in lefts:
            if i in left:
                match = index.get(tuple(int(getattr(lost, name)[i]) for name in rule))
                if match:
                    j = match.pop(0)
                    taken.add(j)
                    left.discard(i)
                    chosen.append((i, j))
    return chosen


def _outside(ordinals, starts, counts):
    if not len(starts):
        return np.ones(len(ordinals), bool)
    at = np.searchsorted(starts, ordinals, "right") - 1
    return (at < 0) | (ordinals >= starts[at] + counts[at])


def _slots(ordinals, starts):
    return np.searchsorted(starts, ordinals, "right")


def _without(records, ordinals, index):
    keep = np.ones(len(records), bool)
    keep[index] = False
    return records.take(keep), ordinals[keep]
