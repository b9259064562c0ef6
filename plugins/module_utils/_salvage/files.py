# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as Parquet files: written, and read back."""

from __future__ import annotations

from typing import Any

try:
    import pyarrow as pa
    import pyarrow.parquet
except ImportError:
    pa = None

from .._digest import batch, chunks
from .._digest.shapes import Progress
from .._errors import KafkaDrError
from .._kafka.reader import columns, read, timestamp_type
from .._manifest.place import keep, locate, private, sha256
from .._proof.shapes import Task
from .._proof.sides import KafkaSide
from .._values.place import shown
from . import spans
from .writing import changed

# Bytes of keys and values that are held before they are written.
HELD = 8 << 20
ROWS = 20000


def schema() -> pa.Schema:
    """The columns of a file: one row for each record."""
    return pa.schema(
        [
            ("topic", pa.string()),
            ("partition", pa.int32()),
            ("offset", pa.int64()),
            ("timestamp", pa.int64()),
            ("timestamp_type", pa.string()),
            ("key", pa.binary()),
            ("value", pa.binary()),
            ("headers", pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))),
        ]
    )


class StorageError(KafkaDrError):
    """The place for the files does not take them."""

    kind = "storage"


def unwritable(place: str, error: object) -> StorageError:
    """The error for a place that does not take what is written to it."""
    return StorageError(
        f"{shown(place)} cannot be written",
        expected="a directory or URI with room, that this user may write to",
        found=str(error),
        remedy="Make room, or give another place. Nothing was changed",
    )


def write(source: KafkaSide, task: Task, progress: Progress) -> dict[str, Any]:
    """Write the records of the task's ranges to one file, and read it back.

    :param task: ``out``, ``file`` (its name there), ``partitions[(topic, partition, runs)]``.
    :returns: ``sha256``, ``records``, ``bytes``, ``partitions[(topic, partition, records, bytes)]``.
    :raises KafkaDrError: the file cannot be written, or does not hold what the source holds.
    """
    system, inside = locate(task["out"])
    path = f"{inside}/{task['file']}"
    try:
        with private(), pyarrow.parquet.ParquetWriter(path, schema(), filesystem=system, compression="zstd") as file:
            held = [
                _fill(file, source, (topic, number), pairs, progress) for topic, number, pairs in task["partitions"]
            ]
        keep(system, path)
        _refuse_another(task, held, _read_back(system, path, len(held)))
        digest = sha256(system, path)
    except (OSError, pa.ArrowException) as error:
        raise unwritable(task["out"], error) from error
    return {
        "sha256": digest,
        "records": sum(part.count for part in held),
        "bytes": sum(part.size for part in held),
        "partitions": [
            (topic, number, part.count, part.size)
            for (topic, number, dummy), part in zip(task["partitions"], held, strict=True)
        ],
    }


def _fill(
    file: Any, source: KafkaSide, place: tuple[str, int], pairs: list[list[int]], progress: Progress
) -> chunks.Chunks:
    """Write one partition's records; their chunks, as they were read."""
    runs = spans.as_runs(pairs)
    digester = batch.Digester()
    rows: list[dict[str, Any]] = []
    size = 0
    ranges = [(*place, low, high) for low, high in spans.reading(runs)]
    for dummy, messages in read(source.client, ranges, timeout=source.client.timeout, pace=source.pace):
        kept = [
            message
            for message, inside in zip(messages, spans.holds(runs, columns(messages)[0]).tolist(), strict=True)
            if inside
        ]
        before = digester.bytes
        digester.add(*columns(kept))
        rows.extend(map(_row, kept))
        size += digester.bytes - before
        source.pace.take(digester.bytes - before)
        progress(len(messages), digester.bytes - before)
        if size >= HELD or len(rows) >= ROWS:
            file.write_table(pa.Table.from_pylist(rows, schema()))
            rows, size = [], 0
    if rows:
        file.write_table(pa.Table.from_pylist(rows, schema()))
    if digester.count != spans.count(runs):
        raise changed(f"{place[0]}-{place[1]}", source.name, spans.count(runs), digester.count)
    return digester.chunks()


def _row(message: Any) -> dict[str, Any]:
    return {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": message.timestamp()[1],
        "timestamp_type": timestamp_type(message),
        "key": message.key(),
        "value": message.value(),
        "headers": [{"name": name, "value": value} for name, value in message.headers() or []],
    }


def _read_back(system: Any, path: str, partitions: int) -> list[chunks.Chunks]:
    """Chunks of each partition in the file, in their order there."""
    found: dict[tuple[str, int], batch.Digester] = {}
    with pyarrow.parquet.ParquetFile(path, filesystem=system) as file:
        for part in file.iter_batches(ROWS):
            for row in part.to_pylist():
                digester = found.setdefault((row["topic"], row["partition"]), batch.Digester())
                headers = [(header["name"], header["value"]) for header in row["headers"] or []]
                digester.add([row["offset"]], [row["timestamp"]], [row["key"]], [row["value"]], [headers])
    return [digester.chunks() for digester in found.values()]


def _refuse_another(task: Task, held: list[chunks.Chunks], found: list[chunks.Chunks]) -> None:
    if len(held) != len(found) or not all(map(chunks.equal, held, found)):
        raise StorageError(
            f"{shown(task['out'])}/{task['file']} does not hold what was written to it",
            expected=f"{sum(part.count for part in held)} records",
            found=f"{sum(part.count for part in found)} records with other digests",
            remedy="Look at the storage, and run this again",
        )
