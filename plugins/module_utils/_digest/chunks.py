# SPDX-License-Identifier: GPL-3.0-or-later
"""Content-defined chunks of a partition, and its offsets as runs.

A chunk ends after a record whose digest has MASK bits zero, unless the next record has the same digest: a function of
the digests alone, so that every split of a partition cuts alike, and a run of equal records is one chunk however long.
Pieces of a chunk (the ends of a split, of a buffer) have the same form as chunks and merge by :func:`concatenate`.
"""

from __future__ import annotations

from .shapes import Block

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from . import sequence

MASK = 0xFFF
# Bytes are told, not compared: equal digests imply them, and a manifest may not know them for a part of a portion.
IDENTITY = ("count", "sum", "sequence")
COLUMNS = [
    ("first_offset", "<i8"),
    ("last_offset", "<i8"),
    ("count", "<i8"),
    ("bytes", "<i8"),
    ("sum", "<u8"),
    ("sequence", "<u8"),
    ("first_digest", "<u8"),
    ("last_digest", "<u8"),
    ("min_timestamp", "<i8"),
    ("max_timestamp", "<i8"),
]


class Chunks:
    """A run of records of one partition: ``rows`` (structured array of COLUMNS) and ``runs`` (int64 pairs: first
    offset, count).
    """

    __slots__ = ("rows", "runs")

    def __init__(self, rows: np.ndarray | None = None, runs: np.ndarray | None = None) -> None:
        self.rows = np.empty(0, COLUMNS) if rows is None else rows
        self.runs = np.empty((0, 2), np.int64) if runs is None else runs

    @property
    def count(self) -> int:
        """Records."""
        return int(self.rows["count"].sum())

    @property
    def size(self) -> int:
        """Bytes of keys and values."""
        return int(self.rows["bytes"].sum())

    def to_bytes(self) -> tuple[bytes, bytes]:
        """``(rows, runs)`` as little-endian bytes, for travel and files."""
        return self.rows.tobytes(), np.ascontiguousarray(self.runs, "<i8").tobytes()

    @classmethod
    def from_bytes(cls, rows: bytes, runs: bytes) -> Chunks:
        """What :meth:`to_bytes` made."""
        return cls(np.frombuffer(rows, COLUMNS), np.frombuffer(runs, "<i8").reshape(-1, 2))

    def starts(self) -> np.ndarray:
        """Ordinal of each chunk's first record, and the total at the end."""
        return np.concatenate([[0], np.cumsum(self.rows["count"])]).astype(np.int64)


def cut(digests: np.ndarray, offsets: np.ndarray, timestamps: np.ndarray, sizes: np.ndarray) -> Chunks:
    """Chunks of consecutive records of one partition; arrays of one length: uint64, int64, int64 (ms), int64
    (bytes).
    """
    pieces = []
    for at in range(0, len(digests), sequence.LIMIT):
        part = slice(at, at + sequence.LIMIT)
        pieces.append(_cut(digests[part], offsets[part], timestamps[part], sizes[part]))
    return concatenate(pieces)


def _cut(digests: np.ndarray, offsets: np.ndarray, timestamps: np.ndarray, sizes: np.ndarray) -> Chunks:
    ends = np.flatnonzero(((digests[:-1] & np.uint64(MASK)) == 0) & (digests[:-1] != digests[1:])) + 1
    starts = np.concatenate([[0], ends]).astype(np.int64)
    last = np.append(ends, len(digests)) - 1
    rows = np.empty(len(starts), COLUMNS)
    rows["first_offset"], rows["last_offset"] = offsets[starts], offsets[last]
    rows["count"] = last + 1 - starts
    rows["bytes"] = np.add.reduceat(sizes, starts)
    rows["sum"] = np.add.reduceat(digests, starts)
    rows["sequence"] = sequence.segments(digests, starts)
    rows["first_digest"], rows["last_digest"] = digests[starts], digests[last]
    rows["min_timestamp"], rows["max_timestamp"] = (
        np.minimum.reduceat(timestamps, starts),
        np.maximum.reduceat(timestamps, starts),
    )
    return Chunks(rows, offset_runs(offsets))


def offset_runs(offsets: np.ndarray) -> np.ndarray:
    """Ascending offsets as pairs (first offset, count) of consecutive ones."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(offsets) != 1) + 1]).astype(np.int64)
    return np.stack([offsets[starts], np.diff(np.append(starts, len(offsets)))], axis=1).astype(np.int64)


def join_runs(runs: np.ndarray) -> np.ndarray:
    """Pairs one after the other, those that touch made one."""
    if len(runs) < 2:
        return runs
    fresh = np.concatenate([[True], runs[1:, 0] != runs[:-1, 0] + runs[:-1, 1]])
    starts = np.flatnonzero(fresh)
    return np.stack([runs[starts, 0], np.add.reduceat(runs[:, 1], starts)], axis=1)


def concatenate(parts: list[Chunks]) -> Chunks:
    """Chunks of consecutive parts of one partition, pieces merged."""
    parts = [part for part in parts if len(part.rows)]
    if not parts:
        return Chunks()
    if len(parts) == 1:
        return parts[0]
    rows = np.concatenate([part.rows for part in parts])
    runs = join_runs(np.concatenate([part.runs for part in parts]))
    ends = ((rows["last_digest"][:-1] & np.uint64(MASK)) == 0) & (rows["last_digest"][:-1] != rows["first_digest"][1:])
    if ends.all():
        return Chunks(rows, runs)
    starts = np.concatenate([[0], np.flatnonzero(ends) + 1]).astype(np.int64)
    last = np.append(starts[1:], len(rows)) - 1
    merged = rows[starts].copy()
    for name in ("count", "bytes", "sum"):
        merged[name] = np.add.reduceat(rows[name], starts)
    merged["last_offset"], merged["last_digest"] = rows["last_offset"][last], rows["last_digest"][last]
    merged["min_timestamp"] = np.minimum.reduceat(rows["min_timestamp"], starts)
    merged["max_timestamp"] = np.maximum.reduceat(rows["max_timestamp"], starts)
    for number in np.flatnonzero(last > starts):
        total = rows["sequence"][starts[number]]
        for piece in range(starts[number] + 1, last[number] + 1):
            total = sequence.join(total, rows["sequence"][piece], rows["count"][piece])
        merged["sequence"][number] = total
    return Chunks(merged, runs)


def equal(left: Chunks, right: Chunks) -> bool:
    """Whether two partitions hold the same records in the same order (miss probability: see ``sequence`` and
    ``record``).
    """
    return len(left.rows) == len(right.rows) and all(
        np.array_equal(left.rows[name], right.rows[name]) for name in IDENTITY
    )


def identities(left: Chunks, right: Chunks) -> tuple[np.ndarray, np.ndarray]:
    """Small integers, one a chunk, equal exactly where count, sum and sequence hash are: what alignment compares."""
    both = np.stack(
        [np.concatenate([left.rows[name], right.rows[name]]).astype(np.uint64) for name in IDENTITY], axis=1
    )
    dummy, inverse = np.unique(both, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1).astype(np.uint64)
    return inverse[: len(left.rows)], inverse[len(left.rows) :]


def ordinals_to_offsets(runs: np.ndarray, ordinals: np.ndarray) -> np.ndarray:
    """Offsets of records by their place in the sequence, from the runs of offsets."""
    starts = np.concatenate([[0], np.cumsum(runs[:, 1])])
    at = np.searchsorted(starts, ordinals, "right") - 1
    return runs[at, 0] + (ordinals - starts[at])


def place(runs: np.ndarray, offset: int) -> int:
    """The place in the sequence of the first record at or beyond an offset."""
    return int(np.clip(offset - runs[:, 0], 0, runs[:, 1]).sum())


def offset_map(blocks: list[Block], source_runs: np.ndarray, target_runs: np.ndarray) -> np.ndarray:
    """The exact map of offsets: rows (source_offset, target_offset, count), ascending, records only.

    :param blocks: matched (source ordinal, target ordinal, count), ascending in both.
    """
    parts = []
    source_ends, target_ends = np.cumsum(source_runs[:, 1]), np.cumsum(target_runs[:, 1])
    for source, target, count in blocks:
        breaks = [np.array([0, count])]
        for ends, at in ((source_ends, source), (target_ends, target)):
            breaks.append(ends[np.searchsorted(ends, at, "right") : np.searchsorted(ends, at + count, "left")] - at)
        marks = np.unique(np.concatenate(breaks))
        begins = marks[:-1]
        parts.append(
            np.stack(
                [
                    ordinals_to_offsets(source_runs, source + begins),
                    ordinals_to_offsets(target_runs, target + begins),
                    np.diff(marks),
                ],
                axis=1,
            )
        )
    if not parts:
        return np.empty((0, 3), np.int64)
    rows = np.concatenate(parts)
    fresh = np.concatenate(
        [[True], (rows[1:, 0] != rows[:-1, 0] + rows[:-1, 2]) | (rows[1:, 1] != rows[:-1, 1] + rows[:-1, 2])]
    )
    starts = np.flatnonzero(fresh)
    return np.stack([rows[starts, 0], rows[starts, 1], np.add.reduceat(rows[:, 2], starts)], axis=1)
