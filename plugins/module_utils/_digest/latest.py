# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Compacted topics: the claim is the last value of each key and the order of survivors, not the sequence.

Either side may have compacted away what the other still has. Fine are: a superseded record on one side only; a key whose last
record is a tombstone on one side and that the other does not have (delete.retention.ms).
"""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from . import align, classify


def compare(source, target, blocks, timestamps=True, find=None, head_gone=False, mirrored_through=None):
    """Name the differences of one partition of a compacted topic; parameters as for ``classify.classify``, all records read.

    ``find(keys, digests)`` tells of the source beyond its bound: arrays of bool (key occurs there, digest occurs there).
    """
    found = classify.Found()
    found.head_timestamps = np.empty(0, np.int64)
    keys_source, keys_target = _keys(source, target)
    last_source, last_target = _last(keys_source), _last(keys_target)
    _shared, i, j = np.intersect1d(keys_source[last_source], keys_target[last_target], assume_unique=True, return_indices=True)
    i, j = last_source[i], last_target[j]
    digest_source, digest_target = source.digest(timestamps), target.digest(timestamps)
    same = digest_source[i] == digest_target[j]

    ordered = align.increasing(i[same], j[same])
    kept = set(ordered[0])
    moved = np.array([number for number, at in enumerate(i[same].tolist()) if at not in kept], np.int64)
    found.add("reordered", source.offset[i[same][moved]], target.offset[j[same][moved]], source.timestamp[i[same][moved]])
    final = int(max(i[same])) if same.any() else -1
    if blocks:
        final = max(final, blocks[-1][0] + blocks[-1][2] - 1)
    first = blocks[0][0] if blocks else None

    only_source = np.setdiff1d(last_source, i)
    only_source = only_source[~source.tombstone[only_source]]
    only_target = np.setdiff1d(last_target, j)
    only_target = only_target[~target.tombstone[only_target]]
    stale_source, wrong_target = i[~same], j[~same]

    if find and (len(only_target) or len(wrong_target)):
        asked = np.concatenate([only_target, wrong_target])
        key_later, digest_later = find(target.key_high[asked], digest_target[asked])
        later = digest_later | (key_later & np.concatenate([np.ones(len(only_target), bool), np.zeros(len(wrong_target), bool)]))
        found.add("beyond", None, target.offset[asked[later]], target.timestamp[asked[later]])
        stale_source = stale_source[~later[len(only_target):]]
        only_target, wrong_target = only_target[~later[: len(only_target)]], wrong_target[~later[len(only_target):]]

    behind = np.isin(digest_target[wrong_target], digest_source)
    lost = np.concatenate([only_source, stale_source[behind]]).astype(np.int64)
    never = _never(lost, source, final, mirrored_through)
    head = ((lost < first) if first is not None and head_gone else np.full(len(lost), final < 0 and head_gone)) & ~never
    tail = (lost > final) & ~head & ~never
    found.add("missing_head", source.offset[lost[head]], None, source.timestamp[lost[head]])
    found.add("missing_tail", source.offset[lost[tail]], None, source.timestamp[lost[tail]])
    middle = ~head & ~tail & ~never
    found.add("missing", source.offset[lost[middle]], None, source.timestamp[lost[middle]])
    found.head_timestamps = source.timestamp[lost[head]]
    left, right = stale_source[~behind], wrong_target[~behind]
    # Of such a key the target holds an older value, which the source has compacted away.
    newer = _never(left, source, final, mirrored_through)
    never = np.concatenate([lost[never], left[newer]])
    found.add("lost", source.offset[never], None, source.timestamp[never])
    left, right = left[~newer], right[~newer]
    names = [classify.changed_fields(source, target, a, b) or "value" for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    found.add("altered", source.offset[left], target.offset[right], source.timestamp[left], np.array(names, dtype=object if not names else str))
    found.add("foreign", None, target.offset[only_target], target.timestamp[only_target])
    return found


def _never(at, source, final, mirrored_through):
    """Which of the source's records had not been copied: beyond all that both have, and beyond what the mirror had reached."""
    if mirrored_through is None:
        return np.zeros(len(at), bool)
    return (at > final) & (source.offset[at] >= mirrored_through)


def _keys(source, target):
    """Small integers for 128-bit keys, equal across both sides exactly where the keys are."""
    kind = [("high", "<u8"), ("low", "<u8")]
    both = np.empty(len(source) + len(target), kind)
    both["high"] = np.concatenate([source.key_high, target.key_high]) if len(both) else 0
    both["low"] = np.concatenate([source.key_low, target.key_low]) if len(both) else 0
    dummy, inverse = np.unique(both, return_inverse=True)
    inverse = inverse.reshape(-1)
    return inverse[: len(source)], inverse[len(source):]


def _last(keys):
    """Index of each key's last record, ascending."""
    if not len(keys):
        return np.empty(0, np.int64)
    dummy, at = np.unique(keys[::-1], return_index=True)
    return np.sort(len(keys) - 1 - at)
