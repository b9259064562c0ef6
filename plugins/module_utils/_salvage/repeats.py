# SPDX-License-Identifier: GPL-3.0-or-later
"""What salvages of other regions have replayed already.

Two regions that were copied from the same one may both hold a record that the active region never got.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import batch, record
from .._errors import RefusedError
from .._kafka.reader import columns, read
from .._proof.sides import KafkaSide
from . import spans
from .actions import REPLAY
from .writing import HEADER

if TYPE_CHECKING:
    from .planning import Look


def digests(rows: Sequence[tuple[Any, ...]]) -> Any:
    """Digests (uint64) of records, each ``(offset, timestamp, key, value, headers)``."""
    if not rows:
        return np.empty(0, np.uint64)
    dummy, stamps, keys, values, headers = map(list, zip(*rows, strict=True))
    return record.digests(batch.contents(keys, values, headers), np.array(stamps, np.int64))


def replayed(target: KafkaSide, look: Look) -> Any:
    """Digests of what salvages of other regions have replayed to the copy, as the records were before.

    :raises RefusedError: the copy does not keep records' times, so two of them could not be told apart.
    """
    runs = spans.as_runs(look.others)
    if look.work.action != REPLAY or not len(runs):
        return np.empty(0, np.uint64)
    if not look.timestamps:
        raise RefusedError(
            f"Another region's salvage has replayed records to '{look.copy}', which {look.work.name} may hold too",
            expected="records that keep their times, so that they are known again",
            found="message.timestamp.type LogAppendTime",
            remedy=f"Give {look.work.topic} the action export",
        )
    found = [np.empty(0, np.uint64)]
    ranges = [(look.copy, look.work.partition, low, high) for low, high in spans.reading(runs)]
    for dummy, messages in read(target.client, ranges, timeout=target.client.timeout, pace=target.pace):
        rows = list(zip(*columns(messages), strict=True))
        inside = spans.holds(runs, [row[0] for row in rows]).tolist()
        found.append(digests([(*row[:4], _own(row[4])) for row, taken in zip(rows, inside, strict=True) if taken]))
    return np.concatenate(found)


def _own(headers: Any) -> Any:
    """Headers without the one that a replay puts behind them."""
    return headers[:-1] or None if headers and headers[-1][0] == HEADER else headers


def among(wanted: Any, others: Any) -> Any:
    """Which records are among others (array of bool). Of several alike, the first ones, as many as there are."""
    taken = np.zeros(len(wanted), bool)
    if not len(wanted) or not len(others):
        return taken
    values, counts = np.unique(others, return_counts=True)
    order = np.argsort(wanted, kind="stable")
    ordered = wanted[order]
    # The how manieth of its kind each one is.
    rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered, "left")
    at = np.minimum(np.searchsorted(values, ordered), len(values) - 1)
    taken[order] = (values[at] == ordered) & (rank < counts[at])
    return taken
