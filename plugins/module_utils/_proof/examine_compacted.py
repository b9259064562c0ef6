# SPDX-License-Identifier: GPL-3.0-or-later
"""The second pass over a partition of a compacted topic: both sides are read whole and compared by key."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import chunks
from .._digest.record import key_digest
from .._digest.records import Records
from .._digest.shapes import Block
from .._errors import NotProvableError
from . import align, excuses, latest, stretches
from .classify import Found
from .shapes import Side
from .source_lookup import SourceLookup
from .task import ExamineTask


def examine_compacted(
    source: Side, target: Side, task: ExamineTask, left: chunks.Chunks, right: chunks.Chunks, lookup: SourceLookup
) -> tuple[Found, list[Block], list[str]]:
    """What differs, the matched records, and reasons. ``left`` and ``right`` get the runs of offsets that were read.

    :raises NotProvableError: the partition is too large, the manifest holds no keys, or records without a key differ.
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
    _refuse_unequal_without_key(task, on_source, on_target)
    found = latest.compare(
        on_source,
        on_target,
        blocks,
        task.timestamps,
        lookup.find_keys,
        excuses.head_gone(task.head),
        task.source_started,
        task.mirrored_through,
        ends_early=not source.live and not task.target_bounded,
    )
    return found, blocks, reasons


def _refuse_too_large(task: ExamineTask, records: int) -> None:
    if records > 4 * stretches.MOST:
        raise NotProvableError(
            f"Topic {task.topic} partition {task.partition} is too large to compare by key",
            expected=f"at most {4 * stretches.MOST} records",
            found=records,
        )


def _refuse_unequal_without_key(task: ExamineTask, source: Records, target: Records) -> None:
    """Records without a key are from before the topic was compacted. The cleaner drops each of them when it comes by
    (Kafka's LogCleaner counts them as invalid), so one that is missing may have been dropped or may be lost.
    """
    left, right = (np.sort(_without_key(records).digest(task.timestamps)) for records in (source, target))
    if not np.array_equal(left, right):
        raise NotProvableError(
            f"Topic {task.topic} partition {task.partition} is compacted, and holds records without a key, which the "
            "cleaner drops sooner or later",
            expected="the same records without a key on both sides",
            found=f"{len(left)} on the source, {len(right)} on the target",
            remedy="Compare again with bounds after the last of them, or once both sides have compacted the partition",
        )


def _without_key(records: Records) -> Records:
    high, low = key_digest(None)
    return records.take((records.key_high == np.uint64(high)) & (records.key_low == np.uint64(low)))


def _give_empty_keys(records: Records) -> None:
    records.key_high, records.key_low = np.empty(0, np.uint64), np.empty(0, np.uint64)
    records.tombstone = np.empty(0, bool)
