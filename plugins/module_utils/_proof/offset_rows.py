# SPDX-License-Identifier: GPL-3.0-or-later
"""The offset map of a partition as a report holds it: an array, which tells its rows one by one.

With exactly-once a map has a row for each transaction of the mirror. As dictionaries, half a million rows take 300 MB
more than the 12 MB of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

AT_ONCE = 10000
Row = dict[str, int]


class OffsetRows(Sequence[Row]):
    """``[{source_offset, target_offset, count}]``, ascending.

    :param rows: int64 array of (source offset, target offset, count), or a list of such rows.
    """

    def __init__(self, rows: Any) -> None:
        self.rows = np.asarray(rows, np.int64).reshape(-1, 3)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        for at in range(0, len(self.rows), AT_ONCE):
            yield from map(_row, self.rows[at : at + AT_ONCE].tolist())

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        found = self.rows[index].tolist()
        return [_row(row) for row in found] if isinstance(index, slice) else _row(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (OffsetRows, list)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _row(row: list[int]) -> Row:
    return {"source_offset": row[0], "target_offset": row[1], "count": row[2]}
