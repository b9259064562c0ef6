# SPDX-License-Identifier: GPL-3.0-or-later
"""The second pass: of a partition whose chunks differ, read what differs again and name every difference."""

from __future__ import annotations

from typing import Any

from .._digest import chunks
from . import excuses
from .examine_compacted import examine_compacted
from .examine_sequence import SequenceExamination
from .shapes import Side
from .source_lookup import SourceLookup
from .task import ExamineTask


def examine(source: Side, target: Side, task: ExamineTask) -> dict[str, Any]:
    """Name the differences of one partition.

    :returns: ``counts``, ``excused_head``, ``young_beyond``, ``differences``, ``difference_runs``, ``offset_map``
        (array of rows), ``reasons``, and ``unnamed`` (not everything was named).
    :raises NotProvableError: the partition changed since it was digested, or is too large to be compared by key.
    """
    left = chunks.Chunks.from_bytes(*task.source_chunks)
    right = chunks.Chunks.from_bytes(*task.target_chunks)
    lookup = SourceLookup(source, task)
    if "compact" in task.mode:
        found, blocks, reasons = examine_compacted(source, target, task, left, right, lookup)
        unnamed = False
    else:
        examination = SequenceExamination(source, target, task, left, right, lookup)
        found, blocks = examination.run()
        reasons, unnamed = examination.reasons, examination.unnamed
    missing = found.counts["missing_head"]
    return {
        "counts": found.counts,
        "excused_head": excuses.count(task.head, found.head_timestamps, missing, right.size, task.target_range),
        "young_beyond": excuses.too_young(task.head, found.older_timestamps),
        "differences": found.differences(task.limit),
        "offset_map": chunks.offset_map(blocks, left.runs, right.runs),
        "reasons": reasons,
        "unnamed": unnamed,
        "difference_runs": len(found.runs),
    }
