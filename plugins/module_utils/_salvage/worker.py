# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done where the data is read: the tasks of a salvage.

Each task has ``work``, ``id``, ``source`` and ``target`` (descriptions of sides) and ``partitions``. Errors of the
collection come back as values, as in :mod:`.._proof.worker`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .._digest.shapes import Progress
from .._errors import KafkaDrError
from .._proof import sides, worker
from .._proof.shapes import Task
from .._proof.sides import KafkaSide
from . import planning, proving, writing

Results = list[dict[str, Any]]


def run(task: Task, progress: Progress) -> dict[str, Any]:
    """The result of one task: its ``id`` and ``value``, or ``error``."""
    return worker.run(task, progress, WORK)


def _each(function: Callable[[KafkaSide, KafkaSide, Any, Progress], Any]) -> Callable[[Task, Progress], Results]:
    """Apply a function to each partition of a task; an error belongs to its partition alone."""

    def work(task: Task, progress: Progress) -> Results:
        source, target = (cast(KafkaSide, sides.open_side(task[side])) for side in ("source", "target"))
        results: Results = []
        for partition in task["partitions"]:
            try:
                results.append({"value": function(source, target, partition, progress)})
            except KafkaDrError as error:
                results.append({"error": worker.as_value(error)})
        return results

    return work


def _write(source: KafkaSide, target: KafkaSide, work: writing.Work, progress: Progress) -> None:
    writing.write(source.client, target.client, work, source.pace, progress)


def _export(task: Task, progress: Progress) -> Any:
    # Its library takes a quarter of a second to load, which nobody else is to wait for.
    from . import files

    source = cast(KafkaSide, sides.open_side(task["source"]))
    return files.write(source, task, progress)


WORK: dict[str, Callable[[Task, Progress], Any]] = {
    "salvage_plan": _each(planning.plan),
    "salvage_write": _each(_write),
    "salvage_prove": _each(proving.prove),
    "salvage_export": _export,
}
