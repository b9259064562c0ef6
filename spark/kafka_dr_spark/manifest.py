# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest: what a cluster held, as digests, readable without Spark and without the cluster.

``DIR/manifest.json`` names everything that counts; ``DIR/data/*.parquet`` hold portions of at most 65,536 records of one partition, in
offset order. Both forms are described in docs/proof.md. Needs pyarrow and numpy only.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch, chunks
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.records import Records
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, NotProvableError, UsageError

FORMAT = 1
NAME = "manifest.json"
SCHEMA = pa.schema([
    ("topic", pa.string()), ("topic_id", pa.string()), ("partition", pa.int32()), ("first_offset", pa.int64()), ("last_offset", pa.int64()),
    ("count", pa.int64()), ("runs", pa.binary()), ("rows", pa.binary()), ("rows_without_timestamps", pa.binary()), ("content", pa.binary()),
    ("timestamps", pa.binary()), ("key_high", pa.binary()), ("key_low", pa.binary()), ("tombstone", pa.binary()),
])
RECORD_COLUMNS = {"content": "<u8", "timestamps": "<i8", "key_high": "<u8", "key_low": "<u8", "tombstone": "?"}


def locate(path):
    """``(pyarrow file system, path inside)`` of a directory or URI. :raises UsageError: neither."""
    try:
        if re.match(r"[a-z0-9+]+://", path):
            system, inside = pyarrow.fs.FileSystem.from_uri(path)
        else:
            system, inside = pyarrow.fs.LocalFileSystem(), path
    except (pa.ArrowInvalid, OSError) as error:
        raise UsageError(f"{path} is no directory and no URI that can be opened", found=str(error)) from error
    return system, inside.rstrip("/")


def load(path):
    """The content of manifest.json, or None if there is none. :raises FormatError: it is something else."""
    system, inside = locate(path)
    name = f"{inside}/{NAME}"
    try:
        if system.get_file_info(name).type != pyarrow.fs.FileType.File:
            return None
        with system.open_input_stream(name) as stream:
            found = json.loads(stream.read())
    except (OSError, pa.ArrowException) as error:
        raise NotProvableError(f"The manifest {path} cannot be read", found=str(error)) from error
    except ValueError as error:
        raise FormatError(f"{name} is not valid JSON", found=str(error), position=getattr(error, "pos", 0)) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        shown = found.get("format") if isinstance(found, dict) else type(found).__name__
        raise FormatError(f"{name} is no manifest of this version", expected=f"format {FORMAT}", found=shown)
    return found


def store(path, content):
    """Replace manifest.json; what it does not name does not count, so a run that was cut off leaves the old one valid."""
    system, inside = locate(path)
    system.create_dir(inside, recursive=True)
    temporary = f"{inside}/{NAME}.new"
    with system.open_output_stream(temporary) as stream:
        stream.write(json.dumps(content, indent=1, sort_keys=True).encode())
    system.move(temporary, f"{inside}/{NAME}")


class ManifestSide:
    """A manifest as the source of a comparison (and of offset translation): ``content`` is manifest.json."""

    live = False

    def __init__(self, spec):
        self.spec = spec
        self.name = spec["name"]
        self.path = spec["path"]
        self.content = load(self.path)
        if self.content is None:
            raise UsageError(f"There is no manifest at {self.path}", expected=f"a directory or URI with {NAME}", remedy="Save one with: main.py manifest --out")
        self.detailed = all(topic["detail"] == "records" for topic in self.content["topics"].values())
        self.system, self.inside = locate(self.path)

    def topics(self, pattern):
        """Names that match."""
        try:
            wanted = re.compile(pattern)
        except re.error as error:
            raise UsageError("The pattern of topics is not a regular expression", found=f"{pattern!r}: {error}") from error
        return sorted(name for name in self.content["topics"] if wanted.fullmatch(name))

    def survey(self, topics):
        """Ids, configurations, partitions and bounds, as they were when it was saved."""
        found = {}
        for name in topics:
            topic = self.content["topics"].get(name)
            if topic:
                bounds = {int(number): (part["low"], part["high"]) for number, part in topic["partitions"].items()}
                found[name] = {"topic_id": topic["topic_id"], "config": topic["config"], "partitions": sorted(bounds), "bounds": bounds}
        return found

    def ends(self, partitions, isolation="read_committed"):
        """Where the manifest ends."""
        return {(topic, number): self.content["topics"][topic]["partitions"][str(number)]["high"] for topic, number in partitions}

    def starts(self, partitions):
        """Where the manifest begins."""
        return {(topic, number): self.content["topics"][topic]["partitions"][str(number)]["low"] for topic, number in partitions}

    def portions(self, topic, partition, low, high, columns=None):
        """Rows of the data files that overlap [low, high), ascending, as dictionaries."""
        known = self.content["topics"][topic]
        wanted = [
            ("topic", "=", topic), ("partition", "=", partition), ("topic_id", "=", known["topic_id"]), ("first_offset", "<", high), ("last_offset", ">=", low),
        ]
        rows = []
        for file in known["partitions"][str(partition)]["files"]:
            try:
                table = pyarrow.parquet.read_table(f"{self.inside}/{file}", filesystem=self.system, filters=wanted, columns=columns)
            except (OSError, pa.ArrowException) as error:
                raise NotProvableError(f"{file} of the manifest {self.path} cannot be read", found=str(error)) from error
            rows.extend(table.to_pylist())
        return sorted(rows, key=lambda row: row["first_offset"])

    def digest(self, ranges, progress=None):
        """Chunks of (topic, partition, low, high, timestamps)."""
        return [self._chunks(*one, progress) for one in ranges]

    def _chunks(self, topic, partition, low, high, timestamps, progress):
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

    def records(self, topic, partition, ranges, keep="content", isolation="read_committed", progress=None):
        """Records of each of ``ranges`` (low, high): offset, content digest, timestamp; keys and tombstones of compacted topics."""
        return [Records.join([self._records(row, low, high) for row in self.portions(topic, partition, low, high)]) for low, high in ranges]

    def scan(self, topic, partition, low, high, isolation="read_committed"):
        """The same, portion by portion."""
        for row in self.portions(topic, partition, low, high):
            yield self._records(row, low, high)

    def _records(self, row, low, high):
        if row["content"] is None:
            raise NotProvableError(f"The manifest holds chunks of topic {row['topic']} only", remedy="Save it with --detail records")
        runs = np.frombuffer(row["runs"], "<i8").reshape(-1, 2)
        offsets = np.concatenate([np.arange(first, first + count) for first, count in runs])
        inside = (offsets >= low) & (offsets < high)
        columns = {name: np.frombuffer(row[name], kind)[inside] for name, kind in RECORD_COLUMNS.items() if row[name] is not None}
        columns["timestamp"] = columns.pop("timestamps")
        return Records(offset=offsets[inside], **columns)
