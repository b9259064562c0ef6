# SPDX-License-Identifier: GPL-3.0-or-later
"""The second pass over a partition of a compacted topic: both sides are read whole and compared by key."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._errors import NotProvableError
from . import align, chunks, excuses, latest, stretches
from .classify import Found
from .records import Records
from .shapes import Block, Side
from .source_lookup import SourceLookup
from .task import ExamineTask


def examine_compacted(
    source: Side, target: Side, task: ExamineTask, left: chunks.Chunks, right: chunks.Chunks, lookup: SourceLookup
) -> tuple[Found, list[Block], list[str]]:
    """What differs, the matched records, and reasons. ``left`` and ``right`` get the runs of offsets that were read.

    :raises NotProvableError: the partition is too large, or the manifest holds no keys.
    """
    _refuse_too_large(task, left.count + right.count)
    reasons = []
    (on_source,) = source.records(task.topic, task.partition, [task.source_range])
    (on_target,) = target.records(task.target_topic, task.partition, [task.target_range])
    if len(on_source) and on_source.key_high is None:
        raise NotProvableError(
            f"The manifest holds no keys of topic {task.topic}", remedy="Save it with --detail records"
        )
    for records, digested, side in ((on_source, left, source), (on_target, right, target)):
        if len(records) != digested.count:
            # The cleaner may work between the passes. What is there now is compared, since survivors are the claim.
            reasons.append(f"{side.name} compacted between the passes")
            digested.runs = chunks.offset_runs(records.offset) if len(records) else np.empty((0, 2), np.int64)
    blocks = align.blocks(on_source.digest(task.timestamps), on_target.digest(task.timestamps))
    for records in (on_source, on_target):
        if not len(records):
            _give_empty_keys(records)
    found = latest.compare(
        on_source,
        on_target,
        blocks,
        task.timestamps,
        lookup.find_keys,
        excuses.head_gone(task.head),
        task.source_started,
        task.mirrored_through,
    )
    return found, blocks, reasons


def _refuse_too_large(task: ExamineTask, records: int) -> None:
    if records > 4 * stretches.MOST:
        raise NotProvableError(
            f"Topic {task.topic} partition {task.partition} is too large to compare by key",
            expected=f"at most {4 * stretches.MOST} records",
            found=records,
        )


def _give_empty_keys(records: Records) -> None:
    records.key_high, records.key_low = np.empty(0, np.uint64), np.empty(0, np.uint64)
    records.tombstone = np.empty(0, bool)
