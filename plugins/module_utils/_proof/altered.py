# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lost and which extra records are one record with another field."""

from __future__ import annotations

from dataclasses import dataclass

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.records import Records


@dataclass(frozen=True)
class Unmatched:
    """Records of one side that have no counterpart, with their ordinals in the whole sequence."""

    records: Records
    ordinals: np.ndarray

    def take(self, which: np.ndarray) -> Unmatched:
        """Those at ``which`` (indices or mask)."""
        return Unmatched(self.records.take(which), self.ordinals[which])

    def without(self, index: np.ndarray) -> Unmatched:
        """All but those at ``index``."""
        keep = np.ones(len(self.records), bool)
        keep[index] = False
        return self.take(keep)


def altered(lost: Unmatched, extra: Unmatched, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pair lost and extra records of the same place that agree in a field: (lost index, extra index, names of changed
    fields).
    """
    lost_slot = np.searchsorted(place[:, 0], lost.ordinals, "right")
    extra_slot = np.searchsorted(place[:, 1], extra.ordinals, "right")
    pairs, names = [], []
    shared = np.intersect1d(lost_slot, extra_slot)
    edges = [
        np.searchsorted(slots, shared, side).tolist() for slots in (lost_slot, extra_slot) for side in ("left", "right")
    ]
    for left_low, left_high, right_low, right_high in zip(*edges, strict=True):
        lefts, rights = range(left_low, left_high), range(right_low, right_high)
        if len(lefts) == len(rights):
            candidates = list(zip(lefts, rights, strict=True))
        else:
            candidates = _by_likeness(lost.records, extra.records, lefts, rights)
        for i, j in candidates:
            changed = changed_fields(lost.records, extra.records, i, j)
            if changed:
                pairs.append((i, j))
                names.append(changed)
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1], np.array(names, dtype=object if not names else str)


def changed_fields(lost: Records, extra: Records, i: int, j: int) -> str:
    """Names of the fields that differ, or "" if too little agrees to call it the same record."""
    time = lost.timestamp[i] == extra.timestamp[j]
    if lost.content[i] == extra.content[j]:
        return "timestamp"
    if lost.key is None or extra.key is None:
        return "content" if time else ""
    same = {
        "key": lost.key[i] == extra.key[j],
        "value": lost.value[i] == extra.value[j],
        "headers": lost.headers[i] == extra.headers[j],
        "timestamp": time,
    }
    if not (same["value"] or (time and (same["key"] or same["headers"])) or (same["key"] and same["headers"])):
        return ""
    return ",".join(name for name, equal in same.items() if not equal)


def _by_likeness(lost: Records, extra: Records, lefts: range, rights: range) -> list[tuple[int, int]]:
    """Pairs of records of unequally long stretches, by what they share: content, then value and time, then key and
    time.
    """
    chosen, taken = [], set()
    if lost.key is None or extra.key is None:
        rules: list[tuple[str, ...]] = [("content",)]
    else:
        rules = [("content",), ("key", "value"), ("value", "timestamp"), ("key", "timestamp")]
    left = set(lefts)
    for rule in rules:
        index: dict[tuple[int, ...], list[int]] = {}
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
