# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a manifest's data files, as they are written."""

from __future__ import annotations

from typing import Any

from .._digest.records import Records

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet
except ImportError:
    pa = None

from .._digest import batch

# Rows and bytes that are written together: a reader of one partition reads about as much for it.
ROWS = 256
BYTES = 4 << 20
# What a reader chooses by; figures about the arrays would make the footer larger than the data of a quiet hour.
STATISTICS = ["topic", "partition", "first_offset", "last_offset"]


def schema() -> pa.Schema:
    """The columns; binary ones are little-endian arrays, see docs/proof.md."""
    numbers = [
        ("partition", pa.int32()),
        ("first_offset", pa.int64()),
        ("last_offset", pa.int64()),
        ("count", pa.int64()),
    ]
    arrays = [
        (name, pa.binary())
        for name in (
            "runs",
            "rows",
            "rows_without_timestamps",
            "content",
            "timestamps",
            "key_high",
            "key_low",
            "tombstone",
        )
    ]
    return pa.schema([("topic", pa.string()), ("topic_id", pa.string()), *numbers, *arrays])


def portion(topic: str, topic_id: str, partition: int, records: Records, detail: str) -> dict[str, Any]:
    """One row: records of one partition, at most ``sequence.LIMIT`` of them."""
    with_time, without = batch.cut_records(records, True), batch.cut_records(records, False)
    row = {
        "topic": topic,
        "topic_id": topic_id,
        "partition": partition,
        "first_offset": int(records.offset[0]),
        "last_offset": int(records.offset[-1]),
        "count": len(records),
        "runs": with_time.to_bytes()[1],
        "rows": with_time.to_bytes()[0],
        "rows_without_timestamps": without.to_bytes()[0],
    }
    if detail == "records":
        row["content"], row["timestamps"] = (
            records.content.astype("<u8").tobytes(),
            records.timestamp.astype("<i8").tobytes(),
        )
        if records.key_high is not None:
            row["key_high"], row["key_low"] = (
                records.key_high.astype("<u8").tobytes(),
                records.key_low.astype("<u8").tobytes(),
            )
            row["tombstone"] = np.asarray(records.tombstone, bool).tobytes()
    return row


class Writer:
    """A data file that is being written; rows are held until they are worth a row group."""

    def __init__(self, system: Any, path: str) -> None:
        settings = {"compression": "zstd", "use_dictionary": ["topic", "topic_id"], "write_statistics": STATISTICS}
        self.schema = schema()
        self.file = pyarrow.parquet.ParquetWriter(path, self.schema, filesystem=system, **settings)
        self.rows: list[dict[str, Any]] = []
        self.bytes = 0

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *dummy: object) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            self.file.close()

    def add(self, row: dict[str, Any]) -> None:
        """Write a row, now or with others."""
        self.rows.append(row)
        self.bytes += sum(len(value) for value in row.values() if isinstance(value, bytes))
        if len(self.rows) >= ROWS or self.bytes >= BYTES:
            self._flush()

    def _flush(self) -> None:
        if self.rows:
            self.file.write_table(pa.Table.from_pylist(self.rows, self.schema))
            self.rows, self.bytes = [], 0
