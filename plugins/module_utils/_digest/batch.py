# SPDX-License-Identifier: GPL-3.0-or-later
"""Digest many records at once: columns in, arrays out.

Where no record of a batch has headers, a null key or a null value, the two hashes a record are called by ``map``
without a Python frame in between; that is most of what keeps digesting behind the fetch thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from .shapes import Headers

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


def contents(keys: list[bytes | None], values: list[bytes | None], headers: list[Headers | None]) -> np.ndarray:
    """Content digests (uint64) of lists of keys, values and header lists."""
    length = len(values)
    if any(headers):
        return np.fromiter(map(record.content, keys, values, headers), np.uint64, length)
    if None in values:
        return np.fromiter(map(record.content, keys, values), np.uint64, length)
    known: Iterable[Any] = values
    return np.fromiter(map(xxh64_intdigest, known, _key_states(keys)), np.uint64, length)


def _key_states(keys: list[bytes | None]) -> Iterable[int]:
    """What the digests of the values are seeded with."""
    if None not in keys:
        known: Iterable[Any] = keys
        return map(xxh64_intdigest, known, repeat(1))
    if keys.count(None) == len(keys):
        return repeat(record.NULL_KEY)
    return [record.NULL_KEY if key is None else xxh64_intdigest(key, 1) for key in keys]


def sizes(keys: list[bytes | None], values: list[bytes | None]) -> np.ndarray:
    """Bytes of key and value (int64)."""
    total = np.zeros(len(values), np.int64)
    for column in (keys, values):
        known: Iterable[Any] = [field or b"" for field in column] if None in column else column
        total += np.fromiter(map(len, known), np.int64, len(values))
    return total


class Digester:
    """Takes batches of one range in order and gives chunks (first pass) or records (second pass).

    :param timestamps: whether the timestamp is part of the digest.
    :param keep: ``"chunks"``; ``"content"`` keeps content digests and timestamps too (manifest); ``"keys"`` 128-bit
        keys as well; ``"fields"`` everything.
    :param sized: whether bytes are counted; without, records have the size 0.
    """

    HOLD = 1 << 15

    def __init__(self, timestamps: bool = True, keep: str = "chunks", sized: bool = True) -> None:
        self.timestamps, self.keep, self.sized = timestamps, keep, sized
        self.count, self.bytes = 0, 0
        self._pieces: list[chunks.Chunks] = []
        self._held: list[dict[str, np.ndarray]] = []
        self._holding = 0
        self._records: list[Records] = []

    def add(
        self,
        offsets: list[int],
        timestamps: list[int],
        keys: list[bytes | None],
        values: list[bytes | None],
        headers: list[Headers | None],
    ) -> None:
        """Lists of one batch."""
        length = len(offsets)
        if not length:
            return
        size = sizes(keys, values) if self.sized else np.zeros(length, np.int64)
        self.count += length
        self.bytes += int(size.sum())
        columns = {
            "offset": np.array(offsets, np.int64),
            "timestamp": np.array(timestamps, np.int64),
            "content": contents(keys, values, headers),
            "size": size,
        }
        if self.keep in ("keys", "fields"):
            wide = [record.key_digest(key) for key in keys]
            columns["key_high"] = np.array([high for high, dummy in wide], np.uint64)
            columns["key_low"] = np.array([low for dummy, low in wide], np.uint64)
            columns["tombstone"] = np.array([value is None for value in values], bool)
        if self.keep == "fields":
            split = np.array(list(map(record.fields, keys, values, headers)), np.uint64)
            columns["key"], columns["value"], columns["headers"] = split[:, 0], split[:, 1], split[:, 2]
        self._held.append(columns)
        self._holding += length
        if self._holding >= self.HOLD:
            self._flush()

    def _flush(self) -> None:
        if not self._held:
            return
        columns = {name: np.concatenate([part[name] for part in self._held]) for name in self._held[0]}
        self._held, self._holding = [], 0
        if self.keep == "chunks":
            self._pieces.append(cut_columns(columns, self.timestamps))
        else:
            self._records.append(Records(**columns))

    def chunks(self) -> chunks.Chunks:
        """Chunks of everything added."""
        self._flush()
        if self.keep == "chunks":
            return chunks.concatenate(self._pieces)
        records = self.records()
        return cut_records(records, self.timestamps)

    def records(self) -> Records:
        """Records of everything added, unless only chunks were kept."""
        self._flush()
        return Records.join(self._records)


def cut_columns(columns: dict[str, np.ndarray], timestamps: bool = True) -> chunks.Chunks:
    """Chunks of a dictionary of columns."""
    digests = record.digests(columns["content"], columns["timestamp"] if timestamps else None)
    return chunks.cut(digests, columns["offset"], columns["timestamp"], columns["size"])


def cut_records(records: Records, timestamps: bool = True) -> chunks.Chunks:
    """Chunks of Records."""
    if not len(records):
        return chunks.Chunks()
    return chunks.cut(records.digest(timestamps), records.offset, records.timestamp, records.size)
