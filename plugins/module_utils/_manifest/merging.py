# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge data files of a manifest into one, and look up what files hold; where the data is read."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

try:
    import pyarrow.compute
    import pyarrow.parquet
except ImportError:
    pyarrow = None

from .._digest import chunks, sequence
from .._digest.shapes import Progress
from .._errors import NotProvableError
from .._values.place import shown
from . import portions
from .generations import Merge, Span
from .place import Place, locate, private, sha256

# Arrays with one value for each record.
ARRAYS = ("content", "timestamps", "key_high", "key_low", "tombstone")
Row = dict[str, Any]
Part = tuple[str, int]


def merge(task: dict[str, Any], progress: Progress) -> tuple[str, str, list[tuple[str, int, Span]]]:
    """``(file, digest, [(topic, partition, span)])`` of one file made of others; what was merged is not touched.

    :param task: ``out, run, generation, merges, digests{file: digest}``.
    :raises NotProvableError: a file is not the one that was written, or holds something else than manifest.json says.
    """
    merges: list[Merge] = task["merges"]
    system, inside = locate(task["out"])
    rows = _rows(task, system, inside, progress)
    name = f"data/{task['run']}-g{task['generation']}-{task['id']:05d}-{uuid.uuid4().hex[:8]}.parquet"
    held = []
    with private():
        system.create_dir(f"{inside}/data", recursive=True)
        with portions.Writer(system, f"{inside}/{name}") as writer:
            for wanted in merges:
                kept = [
                    row for row in rows.pop((wanted.topic, wanted.partition), []) if row["last_offset"] >= wanted.low
                ]
                for row in _joined(kept) if wanted.detail == "records" else kept:
                    writer.add(row)
                if kept:
                    span = (kept[0]["first_offset"], kept[-1]["last_offset"] + 1)
                    held.append((wanted.topic, wanted.partition, span))
    return name, sha256(system, f"{inside}/{name}"), held


def spans(task: dict[str, Any], dummy: Progress) -> list[tuple[str, str, str, int, Span]]:
    """``[(file, topic, topic id, partition, span)]`` of files whose spans manifest.json does not have.

    :param task: ``out, digests{file: digest}``. :raises NotProvableError: as of :func:`merge`.
    """
    system, inside = locate(task["out"])
    found = []
    for name, digest in task["digests"].items():
        _check(task["out"], system, inside, name, digest)
        columns = ["topic", "topic_id", "partition", "first_offset", "last_offset"]
        table = pyarrow.parquet.read_table(f"{inside}/{name}", filesystem=system, columns=columns)
        grouped = table.group_by(columns[:3]).aggregate([("first_offset", "min"), ("last_offset", "max")])
        found += [
            (
                name,
                row["topic"],
                row["topic_id"],
                row["partition"],
                (row["first_offset_min"], row["last_offset_max"] + 1),
            )
            for row in grouped.to_pylist()
        ]
    return found


def _check(out: str, system: Any, inside: str, name: str, digest: str | None) -> None:
    found = sha256(system, f"{inside}/{name}")
    if digest is not None and found != digest:
        raise NotProvableError(
            f"{name} of the manifest {shown(out)} is not the one that was written",
            expected=digest,
            found=found,
            remedy="Find out who changed it; give a copy of the manifest that was made, or save to another place",
        )


def _rows(task: dict[str, Any], system: Any, inside: str, progress: Progress) -> dict[Part, list[Row]]:
    """``{(topic, partition): rows}`` in the order of their offsets, each file read once."""
    merges: list[Merge] = task["merges"]
    found: dict[Part, list[Row]] = {}
    wanted: dict[str, dict[Part, tuple[Merge, Span]]] = {}
    for part_merge in merges:
        for name, span in part_merge.files.items():
            wanted.setdefault(name, {})[(part_merge.topic, part_merge.partition)] = (part_merge, span)
    for name, parts in wanted.items():
        _check(task["out"], system, inside, name, task["digests"].get(name))
        held: dict[Part, list[Row]] = {}
        for row in _read((system, f"{inside}/{name}"), parts):
            held.setdefault((row["topic"], row["partition"]), []).append(row)
            progress(row["count"], 0)
        for part, (dummy, span) in parts.items():
            rows = sorted(held.get(part, []), key=lambda row: row["first_offset"])
            if not rows or (rows[0]["first_offset"], rows[-1]["last_offset"] + 1) != tuple(span):
                raise NotProvableError(
                    f"{name} of the manifest {shown(task['out'])} does not hold what the manifest says",
                    expected=f"offsets {span[0]} to {span[1] - 1} of topic {part[0]} partition {part[1]}",
                    found=f"{rows[0]['first_offset']} to {rows[-1]['last_offset']}" if rows else "none",
                    remedy="Save to another place",
                )
            found.setdefault(part, []).extend(rows)
    return {part: sorted(rows, key=lambda row: row["first_offset"]) for part, rows in found.items()}


def _read(file: Place, parts: dict[Part, tuple[Merge, Span]]) -> Iterator[Row]:
    """The rows that are wanted of a file."""
    topics = sorted({topic for topic, dummy in parts})
    numbers = sorted({number for dummy, number in parts})
    table = pyarrow.parquet.read_table(
        file[1], filesystem=file[0], filters=[("topic", "in", topics), ("partition", "in", numbers)]
    )
    names = zip(table["topic"].to_pylist(), table["partition"].to_pylist(), table["topic_id"].to_pylist(), strict=True)
    index = [
        at
        for at, (topic, number, topic_id) in enumerate(names)
        if (topic, number) in parts and parts[(topic, number)][0].topic_id == topic_id
    ]
    yield from table.take(index).to_pylist()


def _joined(rows: list[Row]) -> Iterator[Row]:
    """The same records in as few rows as there may be."""
    group: list[Row] = []
    for row in rows:
        count = sum(joined["count"] for joined in group) + row["count"]
        if group and (count > sequence.LIMIT or _kinds(row) != _kinds(group[0])):
            yield _joint(group)
            group = []
        group.append(row)
    if group:
        yield _joint(group)


def _kinds(row: Row) -> tuple[bool, ...]:
    return tuple(row[name] is not None for name in ARRAYS)


def _joint(group: list[Row]) -> Row:
    """One row of several."""
    if len(group) == 1:
        return group[0]
    parts = [chunks.Chunks.from_bytes(row["rows"], row["runs"]) for row in group]
    bare = [chunks.Chunks.from_bytes(row["rows_without_timestamps"], row["runs"]) for row in group]
    whole, runs = chunks.concatenate(parts).to_bytes()
    return {
        **group[0],
        "last_offset": group[-1]["last_offset"],
        "count": sum(row["count"] for row in group),
        "runs": runs,
        "rows": whole,
        "rows_without_timestamps": chunks.concatenate(bare).to_bytes()[0],
        **{name: b"".join(row[name] for row in group) for name in ARRAYS if group[0][name] is not None},
    }
