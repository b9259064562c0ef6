# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest as a side: what a cluster held, as digests, readable without Spark and without the cluster.

``DIR/manifest.json`` names everything that counts; ``DIR/data/*.parquet`` hold portions of at most 65,536 records of
one partition, in offset order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .._digest.shapes import Isolation, OffsetRange, Partition, Progress, SideSpec, Span, TopicSurvey
from .._values.pattern import matching

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet
except ImportError:
    pa = None

from .._digest import batch, chunks
from .._digest.records import Records
from .._errors import NotProvableError
from .._values.place import shown
from .content import require
from .place import locate, sha256

RECORD_COLUMNS = {"content": "<u8", "timestamps": "<i8", "key_high": "<u8", "key_low": "<u8", "tombstone": "?"}


class ManifestSide:
    """A manifest as the source of a comparison, and of offset translation: ``content`` is manifest.json, ``cluster_id``
    that of the cluster it was made of.
    """

    live = False

    def __init__(self, spec: SideSpec) -> None:
        self.spec = spec
        self.name = spec["name"]
        self.path = spec["path"]
        self.content = require(self.path, spec.get("digest") or "")
        self.sound: set[str] = set()
        self.cluster_id = self.content["cluster_id"]
        self.system, self.inside = locate(self.path)

    def detailed(self, topic: str) -> bool:
        """Whether it holds a topic's records, and not only its chunks."""
        known = self.content["topics"].get(topic)
        return known is not None and known["detail"] == "records"

    def topics(self, pattern: str) -> list[str]:
        """Names that match."""
        return matching(self.content["topics"], pattern, "topics")

    def deleted(self, topic: str) -> bool:
        """Whether its cluster did not have a topic any more when the manifest was saved last."""
        return "deleted_by" in self.content["topics"][topic]

    def survey(self, topics: list[str]) -> dict[str, TopicSurvey]:
        """Ids, configurations, partitions and bounds, as they were when it was saved."""
        found: dict[str, TopicSurvey] = {}
        for name in topics:
            topic = self.content["topics"].get(name)
            if topic:
                bounds = {int(number): (part["low"], part["high"]) for number, part in topic["partitions"].items()}
                found[name] = {
                    "topic_id": topic["topic_id"],
                    "config": topic["config"],
                    "partitions": sorted(bounds),
                    "bounds": bounds,
                }
        return found

    def ends(self, partitions: Iterable[Partition], isolation: Isolation = "read_committed") -> dict[Partition, int]:
        """Where the manifest ends."""
        return {
            (topic, number): self.content["topics"][topic]["partitions"][str(number)]["high"]
            for topic, number in partitions
        }

    def starts(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Where the manifest begins."""
        return {
            (topic, number): self.content["topics"][topic]["partitions"][str(number)]["low"]
            for topic, number in partitions
        }

    def portions(
        self, topic: str, partition: int, low: int, high: int, columns: list[str] | None = None
    ) -> list[dict[str, Any]]:
        """Rows of the data files that overlap [low, high), ascending, as dictionaries."""
        known = self.content["topics"][topic]
        wanted = [
            ("topic", "=", topic),
            ("partition", "=", partition),
            ("topic_id", "=", known["topic_id"]),
            ("first_offset", "<", high),
            ("last_offset", ">=", low),
        ]
        rows = []
        for file in _files_within(known["partitions"][str(partition)], low, high):
            try:
                self._check(file)
                table = pyarrow.parquet.read_table(
                    f"{self.inside}/{file}", filesystem=self.system, filters=wanted, columns=columns
                )
            except (OSError, pa.ArrowException) as error:
                raise NotProvableError(
                    f"{file} of the manifest {shown(self.path)} cannot be read", found=str(error)
                ) from error
            rows.extend(table.to_pylist())
        return sorted(rows, key=lambda row: row["first_offset"])

    def _check(self, file: str) -> None:
        """Whether a data file is the one that was written; a manifest of before there were digests does not say.
        :raises NotProvableError: it is not.
        """
        digests = self.content.get("digests")
        if digests is None or file in self.sound:
            return
        found = sha256(self.system, f"{self.inside}/{file}")
        if found != digests.get(file):
            raise NotProvableError(
                f"{file} of the manifest {shown(self.path)} is not the one that was written",
                expected=digests.get(file, "no such file"),
                found=found,
                remedy="Find out who changed it; give a copy of the manifest that was made",
            )
        self.sound.add(file)

    def digest(self, ranges: list[OffsetRange], progress: Progress | None = None) -> list[chunks.Chunks]:
        """Chunks of (topic, partition, low, high, timestamps)."""
        return [self._chunks(*offset_range, progress) for offset_range in ranges]

    def _chunks(
        self, topic: str, partition: int, low: int, high: int, timestamps: bool, progress: Progress | None
    ) -> chunks.Chunks:
        name = "rows" if timestamps else "rows_without_timestamps"
        parts = []
        for row in self.portions(topic, partition, low, high, ["first_offset", "last_offset", "count", "runs", name]):
            if progress:
                progress(row["count"], 0)
            if row["first_offset"] >= low and row["last_offset"] < high:
                parts.append(chunks.Chunks.from_bytes(row[name], row["runs"]))
                continue
            if self.content["topics"][topic]["detail"] != "records":
                raise NotProvableError(
                    f"The manifest holds chunks of topic {topic} partition {partition} only",
                    expected=f"a bound between its portions, or --detail records, to begin or end at {low}, {high}",
                    found=f"a portion from {row['first_offset']} to {row['last_offset']}",
                )
            inside = [(max(low, row["first_offset"]), min(high, row["last_offset"] + 1))]
            parts.append(batch.cut_records(self.records(topic, partition, inside)[0], timestamps))
        return chunks.concatenate(parts)

    def records(
        self,
        topic: str,
        partition: int,
        ranges: list[Span],
        keep: str = "content",
        isolation: Isolation = "read_committed",
        progress: Progress | None = None,
    ) -> list[Records]:
        """Records of each of ``ranges`` (low, high): offset, content digest, timestamp; keys and tombstones of
        compacted topics.
        """
        return [
            Records.join([self._records(row, low, high) for row in self.portions(topic, partition, low, high)])
            for low, high in ranges
        ]

    def scan(
        self, topic: str, partition: int, low: int, high: int, isolation: Isolation = "read_committed"
    ) -> Iterator[Records]:
        """The same, portion by portion."""
        for row in self.portions(topic, partition, low, high):
            yield self._records(row, low, high)

    def _records(self, row: dict[str, Any], low: int, high: int) -> Records:
        if row["content"] is None:
            raise NotProvableError(
                f"The manifest holds chunks of topic {row['topic']} only", remedy="Save it with --detail records"
            )
        runs = np.frombuffer(row["runs"], "<i8").reshape(-1, 2)
        offsets = np.concatenate([np.arange(first, first + count) for first, count in runs])
        inside = (offsets >= low) & (offsets < high)
        columns = {
            name: np.frombuffer(row[name], kind)[inside]
            for name, kind in RECORD_COLUMNS.items()
            if row.get(name) is not None
        }
        columns["timestamp"] = columns.pop("timestamps")
        return Records(offset=offsets[inside], **columns)


def _files_within(part: dict[str, Any], low: int, high: int) -> list[str]:
    """The files that may hold offsets of [low, high); of a manifest without spans all."""
    spans = part.get("spans")
    if spans is None:
        return part["files"]
    return [file for file, (first, end) in zip(part["files"], spans, strict=True) if first < high and end > low]
