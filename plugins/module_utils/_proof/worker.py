# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done where the data is read: functions of one task, for any engine.

Errors of the collection come back as values, since running the same task again would not help. The engine retries
anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._digest.shapes import Progress
from .._errors import KafkaDrError, NotProvableError
from . import examine as examination
from . import sides
from .shapes import Engine, Task


def run(
    task: Task, progress: Progress | None = None, works: Mapping[str, Callable[..., Any]] | None = None
) -> dict[str, Any]:
    """The result of one task: its ``id`` and ``value``, or ``error``.

    :param works: the functions of tasks by their ``work``; those of a proof where they are left out.
    """
    try:
        return {"id": task["id"], "value": (works or WORK)[task["work"]](task, progress)}
    except KafkaDrError as error:
        return {"id": task["id"], "error": as_value(error)}


def answers(engine: Engine, tasks: list[Task], label: str, total: int) -> list[dict[str, Any]]:
    """What an engine answered, each task once.

    :raises NotProvableError: a task has no answer, or more than one: what it was to read would count as empty or twice.
    """
    results = engine.map(tasks, label, total)
    asked, answered = sorted(task["id"] for task in tasks), sorted(result["id"] for result in results)
    if asked != answered:
        raise NotProvableError(
            f"The engine did not answer for each part of the work ({label})",
            expected=f"{len(asked)} tasks, one answer each",
            found=f"{len(answered)} answers, {len(set(asked) - set(answered))} tasks without one",
            remedy="Run it again; see the logs of the engine's executors",
        )
    return results


def as_value(error: KafkaDrError) -> dict[str, Any]:
    """An error as it travels to the driver."""
    return {"kind": error.kind, "message": str(error), "facts": error.facts}


def digest(task: Task, progress: Progress | None = None) -> list[tuple[str, int, int, tuple[bytes, bytes]]]:
    """``[(topic, partition, low, (rows, runs))]`` for the task's ranges of one side."""
    side = sides.open_side(task["side"])
    digested = side.digest(task["ranges"], progress)
    return [
        (wanted.topic, wanted.partition, wanted.low, part.to_bytes())
        for wanted, part in zip(task["ranges"], digested, strict=True)
    ]


def examine(task: Task, progress: Progress | None = None) -> list[tuple[str, int, dict[str, Any]]]:
    """``[(topic, partition, result)]`` of the second pass; a partition's error stands in its result."""
    source, target = sides.open_side(task["source"]), sides.open_side(task["target"])
    results = []
    for partition in task["partitions"]:
        try:
            result = examination.examine(source, target, partition)
        except KafkaDrError as error:
            result = {"error": as_value(error)}
        results.append((partition.topic, partition.partition, result))
    return results


WORK = {"digest": digest, "examine": examine}


class InProcess:
    """An engine without Spark: one task after the other, here."""

    name = "in-process"
    parallelism = 1

    def map(self, tasks: list[Task], label: str = "", total: int = 0) -> list[dict[str, Any]]:
        """Results of tasks, in any order."""
        return [run(task) for task in tasks]
