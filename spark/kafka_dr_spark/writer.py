# SPDX-License-Identifier: GPL-3.0-or-later
"""In an executor: digest ranges and write them as portions of a manifest, or merge what was written."""

from __future__ import annotations

import uuid
from typing import Any, cast

import pyarrow as pa

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch, sequence
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.shapes import Progress
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import reader
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import merging, portions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.place import locate, private, sha256
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import sides
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.shapes import Task
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.sides import KafkaSide

# Topic, partition, records written, and the span of their offsets: the first one, and the one after the last.
Count = tuple[str, int, int, tuple[int, int]]


def run(task: Task, progress: Progress) -> dict[str, Any]:
    """Write one file; its name and what it holds, or the error.

    :param task: ``id, work, out`` and what the work needs: of ``manifest``
        ``side, run, detail, ranges[(topic, partition, low, high, compact)], topic_ids``.
    """
    try:
        return {"id": task["id"], "value": WORK[task["work"]](task, progress)}
    except KafkaDrError as error:
        return {"id": task["id"], "error": {"kind": error.kind, "message": str(error), "facts": error.facts}}
    except (OSError, pa.ArrowException) as error:
        return {
            "id": task["id"],
            "error": {"kind": "storage", "message": f"{task['out']} cannot be written: {error}", "facts": {}},
        }


def _write(task: Task, progress: Progress) -> tuple[str, list[Count], str]:
    side = cast(sides.KafkaSide, sides.open_side(task["side"]))
    system, inside = locate(task["out"])
    name = f"data/{task['run']}-{task['id']:05d}-{uuid.uuid4().hex[:8]}.parquet"
    with private():
        system.create_dir(f"{inside}/data", recursive=True)
        counts = _fill(task, progress, side, f"{inside}/{name}", system)
    return name, counts, sha256(system, f"{inside}/{name}")


def _fill(task: Task, progress: Progress, side: KafkaSide, path: str, system: Any) -> list[Count]:
    """Write the file; what it holds of each partition that has records."""
    counts: dict[tuple[str, int], tuple[int, int, int]] = {}
    keeps = ["keys" if offset_range[4] else "content" for offset_range in task["ranges"]]
    digesters = [batch.Digester(True, keep) for keep in keeps]
    ranges = [offset_range[:4] for offset_range in task["ranges"]]
    with portions.Writer(system, path) as file:

        def emit(index: int) -> None:
            records = digesters[index].records()
            digesters[index] = batch.Digester(True, keeps[index])
            for at in range(0, len(records), sequence.LIMIT):
                part = records.take(slice(at, at + sequence.LIMIT))
                topic, partition = ranges[index][:2]
                row = portions.portion(topic, task["topic_ids"][topic], partition, part, task["detail"])
                count, low, high = counts.get((topic, partition), (0, row["first_offset"], 0))
                counts[(topic, partition)] = (
                    count + len(part),
                    min(low, row["first_offset"]),
                    max(high, row["last_offset"] + 1),
                )
                file.add(row)

        for index, messages in reader.read(side.client, ranges, timeout=side.client.timeout, pace=side.pace):
            before = digesters[index].bytes
            digesters[index].add(*reader.columns(messages))
            read = digesters[index].bytes - before
            side.pace.take(read)
            progress(len(messages), read)
            if digesters[index].count >= sequence.LIMIT:
                emit(index)
        for index, digester in enumerate(digesters):
            if digester.count:
                emit(index)
    return [(topic, partition, count, (low, high)) for (topic, partition), (count, low, high) in counts.items()]


WORK = {"manifest": _write, "manifest_merge": merging.merge, "manifest_spans": merging.spans}
