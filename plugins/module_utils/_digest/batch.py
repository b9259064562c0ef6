# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Digest many records at once: columns in, arrays out.

Where no record of a batch has headers, a null key or a null value, the two hashes a record are called by ``map`` without a Python frame
in between; that is most of what keeps digesting behind the fetch thread.
"""

from __future__ import annotations

from itertools import repeat

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]
try:
    from xxhash import xxh64_intdigest
except ImportError:
    pass

from . import chunks, record
from .records import Records


def contents(keys, values, headers):
    """Content digests (uint64) of lists of keys, values and header lists."""
    length = len(values)
    if not any(headers):
        if None in keys:
            states = repeat(record.NULL_KEY) if keys.count(None) == length else [record.NULL_KEY if key is None else xxh64_intdigest(key, 1) for key in keys]
        else:
            states = map(xxh64_intdigest, keys, repeat(1))
        if None not in values:
            return np.fromiter(map(xxh64_intdigest, values, states), np.uint64, length)
        return np.fromiter(map(record.content, keys, values), np.uint64, length)
    return np.fromiter(map(record.content, keys, values, headers), np.uint64, length)


def sizes(keys, values):
    """Bytes of key and value (int64)."""
    total = np.zeros(len(values), np.int64)
    for column in (keys, values):
        if None in column:
            column = [b"" if one is None else one for one in column]
        total += np.fromiter(map(len, column), np.int64, len(values))
    return total


class Digester:
    """Takes batches of one range in order and gives chunks (first pass) or records (second pass).

    :param timestamps: whether the timestamp is part of the digest.
    :param keep: ``"chunks"``; ``"content"`` keeps content digests and timestamps too (manifest); ``"keys"`` 128-bit keys as well;
        ``"fields"`` everything.
    """

    HOLD = 1 << 15

    def __init__(self, timestamps=True, keep="chunks"):
        self.timestamps, self.keep = timestamps, keep
        self.count, self.bytes = 0, 0
        self._pieces, self._held, self._holding, self._records = [], [], 0, []

    def add(self, offsets, timestamps, keys, values, headers):
        """Lists of one batch."""
        length = len(offsets)
        if not length:
            return
        size = sizes(keys, values)
        self.count += length
        self.bytes += int(size.sum())
        columns = {
            "offset": np.array(offsets, np.int64), "timestamp": np.array(timestamps, np.int64), "content": contents(keys, values, headers), "size": size,
        }
        if self.keep in ("keys", "fields"):
            wide = [record.key_digest(key) for key in keys]
            columns["key_high"] = np.array([one[0] for one in wide], np.uint64)
            columns["key_low"] = np.array([one[1] for one in wide], np.uint64)
            columns["tombstone"] = np.array([value is None for value in values], bool)
        if self.keep == "fields":
            split = np.array(list(map(record.fields, keys, values, headers)), np.uint64)
            columns["key"], columns["value"], columns["headers"] = split[:, 0], split[:, 1], split[:, 2]
        self._held.append(columns)
        self._holding += length
        if self._holding >= self.HOLD:
            self._flush()

    def _flush(self):
        if not self._held:
            return
        columns = {name: np.concatenate([part[name] for part in self._held]) for name in self._held[0]}
        self._held, self._holding = [], 0
        if self.keep == "chunks":
            self._pieces.append(cut_columns(columns, self.timestamps))
        else:
            self._records.append(Records(**columns))

    def chunks(self):
        """Chunks of everything added."""
        self._flush()
        if self.keep == "chunks":
            return chunks.concatenate(self._pieces)
        records = self.records()
        return cut_records(records, self.timestamps)

    def records(self):
        """Records of everything added, unless only chunks were kept."""
        self._flush()
        return Records.join(self._records)


def cut_columns(columns, timestamps=True):
    """Chunks of a dictionary of columns."""
    digests = record.digests(columns["content"], columns["timestamp"] if timestamps else None)
    return chunks.cut(digests, columns["offset"], columns["timestamp"], columns["size"])


def cut_records(records, timestamps=True):
    """Chunks of Records."""
    if not len(records):
        return chunks.Chunks()
    return chunks.cut(records.digest(timestamps), records.offset, records.timestamp, records.size)
