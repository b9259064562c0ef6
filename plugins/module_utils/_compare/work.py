# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What is done where the data is read: functions of one task (a dictionary), for any engine.

Errors of the collection come back as values, since running the same again would not help; anything else is for the engine to retry.
"""

from __future__ import annotations

from .._digest import chunks
from .._errors import KafkaDrError
from . import examine as second_pass
from . import sides


def run(task, progress=None):
    """The result of one task: its ``id`` and ``value``, or ``error``."""
    try:
        return {"id": task["id"], "value": WORK[task["work"]](task, progress)}
    except KafkaDrError as error:
        return {"id": task["id"], "error": {"kind": error.kind, "message": str(error), "facts": error.facts}}


def digest(task, progress=None):
    """``[(topic, partition, low, (rows, runs))]`` for the task's ranges of one side."""
    side = sides.open_side(task["side"])
    listed = side.digest(task["ranges"], progress)
    return [(one[0], one[1], one[2], part.to_bytes()) for one, part in zip(task["ranges"], listed, strict=True)]


def examine(task, progress=None):
    """``[(topic, partition, result)]`` of the second pass; a partition's error stands in its result."""
    source, target = sides.open_side(task["source"]), sides.open_side(task["target"])
    results = []
    for one in task["partitions"]:
        try:
            result = second_pass.examine(source, target, one)
        except KafkaDrError as error:
            result = {"error": {"kind": error.kind, "message": str(error), "facts": error.facts}}
        results.append((one["topic"], one["partition"], result))
    return results


WORK = {"digest": digest, "examine": examine}


class InProcess:
    """An engine without Spark: one task after the other, here."""

    name = "in-process"
    parallelism = 1

    def map(self, tasks, label="", total=0):
        """Results of tasks, in any order."""
        return [run(task) for task in tasks]


def decode(pair):
    """Chunks of what travelled."""
    return chunks.Chunks.from_bytes(*pair)
