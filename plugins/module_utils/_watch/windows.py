# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows: digests of source records that the target does not confirm yet, chained by hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import chunks
from .._digest.records import Records
from .._errors import NotProvableError
from .state import TOPIC, Confirmed, Partition, Window

# A record of so many stays far below what a broker takes: 16 bytes each, a third more as text.
RECORDS = 8192


def make(records: Records, low: int, high: int, previous: str) -> list[Window]:
    """Windows that tile ``[low, high)`` and hold the records in it.

    :param previous: the hash of the window before.
    """
    found = []
    for begin in range(0, len(records), RECORDS):
        part = records.take(slice(begin, begin + RECORDS))
        last = begin + RECORDS >= len(records)
        end = high if last else int(part.offset[-1]) + 1
        window = Window(
            low,
            end,
            len(part),
            np.ascontiguousarray(chunks.offset_runs(part.offset), "<i8").tobytes(),
            np.ascontiguousarray(part.content, "<u8").tobytes(),
            np.ascontiguousarray(part.timestamp, "<i8").tobytes(),
            previous,
            "",
        )
        previous = window.hash = seal(window)
        found.append(window)
        low = end
    return found


def seal(window: Window) -> str:
    """The hash of a window, over that of the one before."""
    digest = hashlib.sha256(f"{window.previous}|{window.low}|{window.high}|{window.count}|".encode())
    for data in (window.runs, window.content, window.timestamps):
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def records(place: Partition, part: Confirmed, windows: Sequence[Window]) -> Records:
    """The records that wait for confirmation.

    :raises NotProvableError: the windows do not follow one another from what is examined on, or are not those that were
        written.
    """
    at, chain = part.examined[0], None
    kept = []
    for window in windows:
        if window.high <= part.examined[0]:
            chain = window.hash
            continue
        if window.low > at or (chain is not None and window.previous != chain) or seal(window) != window.hash:
            raise _broken(place, window.low)
        kept.append(_unpacked(place, window))
        at, chain = window.high, window.hash
    if kept and chain != part.chain:
        raise _broken(place, at)
    joined = Records.join(kept)
    joined = joined.take(joined.offset >= part.examined[0])
    if len(joined) != part.waiting:
        raise _broken(place, part.examined[0])
    return joined


def _unpacked(place: Partition, window: Window) -> Records:
    runs = np.frombuffer(window.runs, "<i8").reshape(-1, 2)
    if (runs < 0).any() or int(runs[:, 1].sum()) != window.count:
        raise _broken(place, window.low)
    offsets = [np.arange(first, first + count) for first, count in runs.tolist()]
    found = Records(
        offset=np.concatenate(offsets) if offsets else np.empty(0, np.int64),
        content=np.frombuffer(window.content, "<u8"),
        timestamp=np.frombuffer(window.timestamps, "<i8"),
    )
    if not len(found) == len(found.content) == len(found.timestamp):
        raise _broken(place, window.low)
    return found


def _broken(place: Partition, offset: int) -> NotProvableError:
    return NotProvableError(
        f"The windows of {place[0]}-{place[1]} in '{TOPIC}' are not whole from offset {offset} on",
        expected="each window to follow the one before, up to what was read of the source",
        found="a gap, or another content than was written",
        remedy="Find out who may write there; begin the watch anew with --begin-anew",
    )
