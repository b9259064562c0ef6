# SPDX-License-Identifier: GPL-3.0-or-later
"""Compacted topics: the claim is the last value of each key and the order of survivors, not the sequence.

Either side may have compacted away what the other still has. No difference is a superseded record on one side only, or
a key whose last record is a tombstone on one side and that the other does not have (delete.retention.ms).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest.records import Records
from .._digest.shapes import Block
from . import align
from .altered import changed_fields
from .found import Found

# From keys and digests to what of them the source has beyond its bound: (key occurs there, digest occurs there).
FindKeys: TypeAlias = Callable[["np.ndarray", "np.ndarray"], "tuple[np.ndarray, np.ndarray]"]


def compare(
    source: Records,
    target: Records,
    blocks: list[Block],
    timestamps: bool = True,
    find: FindKeys | None = None,
    head_gone: bool = False,
    source_started: int = 0,
    mirrored_through: int | None = None,
    ends_early: bool = False,
) -> Found:
    """Name the differences of one partition of a compacted topic; parameters as for :func:`.classify.classify`, all
    records read.

    :param ends_early: the source is a manifest, which cannot say what was written after it, and the target may have it.
    """
    comparison = _Comparison(source, target, blocks, timestamps, mirrored_through)
    comparison.add_reordered()
    if find:
        comparison.add_beyond(find)
    if ends_early:
        comparison.add_later(timestamps)
    if source_started > 0:
        comparison.add_older(source_started)
    comparison.add_missing(head_gone)
    comparison.add_altered()
    comparison.add_foreign()
    return comparison.found


class _Comparison:
    """The last records of keys: ``both`` sides' that are equal, keys that ``only`` one side has, and ``stale`` records
    of the source beside ``wrong`` ones of the target that have the same key. All are indices of records.
    """

    def __init__(
        self, source: Records, target: Records, blocks: list[Block], timestamps: bool, mirrored_through: int | None
    ) -> None:
        self.source, self.target, self.blocks, self.mirrored_through = source, target, blocks, mirrored_through
        self.found = Found()
        self.source_digests, self.target_digests = source.digest(timestamps), target.digest(timestamps)
        source_keys, target_keys = _keys(source, target)
        source_last, target_last = _last(source_keys), _last(target_keys)
        _shared, i, j = np.intersect1d(
            source_keys[source_last], target_keys[target_last], assume_unique=True, return_indices=True
        )
        i, j = source_last[i], target_last[j]
        same = self.source_digests[i] == self.target_digests[j]
        self.both_source, self.both_target = i[same], j[same]
        self.stale, self.wrong = i[~same], j[~same]
        self.only_source = np.setdiff1d(source_last, i)
        self.only_source = self.only_source[~source.tombstone[self.only_source]]
        self.only_target = np.setdiff1d(target_last, j)
        self.only_target = self.only_target[~target.tombstone[self.only_target]]
        self.first = blocks[0][0] if blocks else None
        self.final = int(max(self.both_source)) if len(self.both_source) else -1
        if blocks:
            self.final = max(self.final, blocks[-1][0] + blocks[-1][2] - 1)

    def add_reordered(self) -> None:
        """Survivors that both sides have, in another order."""
        kept = set(align.increasing(self.both_source, self.both_target)[0])
        moved = np.array([at for at, index in enumerate(self.both_source.tolist()) if index not in kept], np.int64)
        i, j = self.both_source[moved], self.both_target[moved]
        self.found.add("reordered", self.source.offset[i], self.target.offset[j], self.source.timestamp[i])

    def add_beyond(self, find: FindKeys) -> None:
        """What the source wrote beyond its bound is no difference."""
        count = len(self.only_target)
        asked = np.concatenate([self.only_target, self.wrong])
        if not len(asked):
            return
        key_later, digest_later = find(self.target.key_high[asked], self.target_digests[asked])
        alone = np.arange(len(asked)) < count
        self._set_aside(digest_later | (key_later & alone))

    def add_later(self, timestamps: bool) -> None:
        """What lies behind all that both have may have been written after the manifest was saved. Another value of a
        key was where it is younger: a copy that stops short ends with older ones, which the source compacted away.
        """
        final = int(max(self.both_target)) if len(self.both_target) else -1
        if self.blocks:
            final = max(final, self.blocks[-1][1] + self.blocks[-1][2] - 1)
        younger = (self.target.timestamp[self.wrong] > self.source.timestamp[self.stale]) & timestamps
        self._set_aside(np.concatenate([self.only_target > final, (self.wrong > final) & younger]))

    def _set_aside(self, later: np.ndarray) -> None:
        """Count as beyond the source's bounds what ``later`` says of ``only_target`` and then of ``wrong``."""
        count = len(self.only_target)
        self._add_target("beyond", np.concatenate([self.only_target, self.wrong])[later])
        self.stale = self.stale[~later[count:]]
        self.only_target, self.wrong = self.only_target[~later[:count]], self.wrong[~later[count:]]

    def add_older(self, source_started: int) -> None:
        """Of ``compact,delete``: what lies before all that both have is older than the source's log start, as far as
        there were offsets.
        """
        count = len(self.only_target)
        older = self.only_target < self.blocks[0][1] if self.blocks else np.full(count, not len(self.source))
        older &= np.cumsum(older) <= source_started
        self._add_target("beyond", self.only_target[older])
        self.found.older_timestamps = self.target.timestamp[self.only_target[older]]
        self.only_target = self.only_target[~older]

    def add_missing(self, head_gone: bool) -> None:
        """Last values that the target does not have, or of which it has an older one."""
        behind = np.isin(self.target_digests[self.wrong], self.source_digests)
        lost = np.concatenate([self.only_source, self.stale[behind]]).astype(np.int64)
        self.stale, self.wrong = self.stale[~behind], self.wrong[~behind]
        never = self._never(lost)
        if self.first is None or not head_gone:
            head = np.full(len(lost), self.final < 0 and head_gone)
        else:
            head = lost < self.first
        head &= ~never
        tail = (lost > self.final) & ~head & ~never
        self._add_source("missing_head", lost[head])
        self._add_source("missing_tail", lost[tail])
        self._add_source("missing", lost[~head & ~tail & ~never])
        self.found.head_timestamps = self.source.timestamp[lost[head]]
        # Of such a key the target holds an older value, which the source has compacted away.
        newer = self._never(self.stale)
        self._add_source("lost", np.concatenate([lost[never], self.stale[newer]]))
        self.stale, self.wrong = self.stale[~newer], self.wrong[~newer]

    def add_altered(self) -> None:
        """Keys whose last record differs."""
        names = [
            changed_fields(self.source, self.target, i, j) or "value"
            for i, j in zip(self.stale.tolist(), self.wrong.tolist(), strict=True)
        ]
        self.found.add(
            "altered",
            self.source.offset[self.stale],
            self.target.offset[self.wrong],
            self.source.timestamp[self.stale],
            np.array(names, dtype=object if not names else str),
        )

    def add_foreign(self) -> None:
        """Keys that the source does not have."""
        self._add_target("foreign", self.only_target)

    def _add_source(self, kind: str, index: np.ndarray) -> None:
        self.found.add(kind, self.source.offset[index], None, self.source.timestamp[index])

    def _add_target(self, kind: str, index: np.ndarray) -> None:
        self.found.add(kind, None, self.target.offset[index], self.target.timestamp[index])

    def _never(self, index: np.ndarray) -> np.ndarray:
        """Which of the source's records had not been copied: beyond all that both have, and beyond what the mirror had
        reached.
        """
        if self.mirrored_through is None:
            return np.zeros(len(index), bool)
        return (index > self.final) & (self.source.offset[index] >= self.mirrored_through)


def _keys(source: Records, target: Records) -> tuple[np.ndarray, np.ndarray]:
    """Small integers for 128-bit keys, equal across both sides exactly where the keys are."""
    kind = [("high", "<u8"), ("low", "<u8")]
    both = np.empty(len(source) + len(target), kind)
    both["high"] = np.concatenate([source.key_high, target.key_high]) if len(both) else 0
    both["low"] = np.concatenate([source.key_low, target.key_low]) if len(both) else 0
    dummy, inverse = np.unique(both, return_inverse=True)
    inverse = inverse.reshape(-1)
    return inverse[: len(source)], inverse[len(source) :]


def _last(keys: np.ndarray) -> np.ndarray:
    """Index of each key's last record, ascending."""
    if not len(keys):
        return np.empty(0, np.int64)
    dummy, at = np.unique(keys[::-1], return_index=True)
    return np.sort(len(keys) - 1 - at)
