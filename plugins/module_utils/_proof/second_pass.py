# SPDX-License-Identifier: GPL-3.0-or-later
"""The second pass: partitions whose chunks are equal are proven, the others are examined where the data is read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .._digest import chunks
from . import first_pass, plan, worker
from .found import no_differences
from .pairs import Pair
from .sides import log_sizes_on
from .task import ExamineTask

if TYPE_CHECKING:
    from .comparison import Comparison

ATTEMPTS = 3
# Tasks for each core, so that none waits long for the last one.
TASKS_PER_CORE = 4


def now_ms() -> int:
    """Wall-clock milliseconds."""
    return int(time.time() * 1000)


def examine(comparison: Comparison, pairs: list[Pair]) -> list[Pair]:
    """Give each pair its result or error. Returns the pairs that changed meanwhile and have to be read again."""
    differing = []
    for pair in pairs:
        if chunks.equal(pair.left, pair.right):
            pair.result = _equal(pair)
        else:
            differing.append(pair)
    if not differing:
        return []
    changed = _examine(comparison, differing)
    first_pass.restart(comparison, first_pass.both_sides(changed))
    return sorted((pair for pair in changed if pair.error is None), key=lambda pair: (pair.topic.name, pair.number))


def _equal(pair: Pair) -> dict[str, Any]:
    """The result of a partition whose chunks are equal."""
    blocks = [(0, 0, pair.left.count)] if pair.left.count else []
    return {**no_differences(), "offset_map": chunks.offset_map(blocks, pair.left.runs, pair.right.runs)}


def _examine(comparison: Comparison, differing: list[Pair]) -> list[Pair]:
    """Examine by the engine; returns the pairs that changed meanwhile and may be tried again."""
    by_size = [pair for pair in differing if pair.may_be_cut_by_size()]
    sizes = log_sizes_on(comparison.target, [pair.partition_on("target") for pair in by_size])
    for pair in by_size:
        pair.target_bytes = sizes.get(pair.partition_on("target"))
    weights = [max(1, abs(pair.left.count - pair.right.count) + len(pair.left.rows)) for pair in differing]
    groups = plan.groups(differing, weights, comparison.engine.parallelism * TASKS_PER_CORE)
    tasks = [
        {
            "id": number,
            "work": "examine",
            "source": comparison.source_spec,
            "target": comparison.target_spec,
            "partitions": [_task(comparison, pair) for pair in group],
        }
        for number, group in enumerate(groups)
    ]
    by_name = {(pair.topic.name, pair.number): pair for pair in differing}
    changed = []
    for result in worker.answers(comparison.engine, tasks, "examine", 0):
        if "error" in result:
            for pair in groups[result["id"]]:
                pair.error = result["error"]
            continue
        for topic, number, value in result["value"]:
            pair = by_name[(topic, number)]
            if "error" not in value:
                pair.result = value
            elif value["error"]["kind"] in ("range_gone", "not_provable") and pair.attempts < ATTEMPTS - 1:
                pair.attempts += 1
                changed.append(pair)
            else:
                pair.error = value["error"]
    return changed


def _task(comparison: Comparison, pair: Pair) -> ExamineTask:
    return ExamineTask(
        topic=pair.topic.name,
        target_topic=pair.topic.target_name,
        partition=pair.number,
        mode=pair.topic.mode,
        timestamps=pair.topic.timestamps,
        source_chunks=pair.left.to_bytes(),
        target_chunks=pair.right.to_bytes(),
        source_range=(pair.source_range[0], pair.source_range[1]),
        target_range=(pair.target_range[0], pair.target_range[1]),
        source_started=pair.source_started,
        head=pair.head(now_ms()),
        mirrored_through=pair.mirrored_through,
        limit=comparison.options.max_differences,
        target_bounded=pair.target_bounded and pair.source_bounded,
    )
