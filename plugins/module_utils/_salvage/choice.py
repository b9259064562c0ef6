# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records of a partition the active region never got, told from the alignment of both.

What the alignment does not match is what it never got, with three exceptions. Records that it has in another order are
there. Records before the first common one were copied, if the copy's own retention has deleted them since: its log
start has moved, and they are old enough, or its log fills its limit. Where they are younger, or more than the offsets
that were deleted there, the copy did not begin with the source, and nobody knows how many of them it ever had:
transactions and records that were written twice take offsets as well. And in a compacted topic an older record may have
been compacted away: below the last common record, only a key's last value counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._proof.pairs import Pair
from . import spans

LOST = ("missing", "missing_head", "missing_tail", "lost", "altered")


@dataclass
class Choice:
    """What was found out about one partition.

    :ivar wanted: runs of the source's offsets that the target never got.
    :ivar older: of these, in a compacted topic, those below the last common record: they count only where the target
        has no later record of the key.
    :ivar unsure: how many of ``wanted`` may have been copied, and deleted in the target since.
    """

    wanted: Any
    older: Any
    copied: int = 0
    expired: int = 0
    unsure: int = 0
    reasons: list[str] = field(default_factory=list)


def choose(pair: Pair) -> Choice:
    """The choice for a partition that was compared, all of its differences named."""
    result = pair.result or {}
    every = spans.as_runs(pair.left.runs)
    rows = np.array(result["offset_map"], np.int64).reshape(-1, 3)
    matched = spans.as_runs(rows[:, [0, 2]])
    unmatched = spans.without(every, matched)
    moved = [
        (difference["source_offset"], difference["count"])
        for difference in result["differences"]
        if difference["kind"] == "reordered"
    ]
    unmatched = spans.without(unmatched, spans.as_runs(moved))
    choice = Choice(unmatched, spans.as_runs([]), copied=spans.count(every) - spans.count(unmatched))
    _leave_out_expired(choice, pair, matched)
    _doubt_an_emptied_copy(choice, pair, matched)
    _doubt_a_later_topic(choice, pair)
    if "compact" in pair.topic.mode:
        _leave_out_compacted(choice, pair, matched, result["differences"])
    _doubt_what_looks_alike(choice, pair)
    return choice


def _leave_out_expired(choice: Choice, pair: Pair, matched: Any) -> None:
    """Records before all that both have, where the target has deleted what it had there."""
    if pair.target_started <= 0 or not len(choice.wanted):
        return
    first = spans.bounds(matched)[0]
    through = pair.mirrored_through if pair.mirrored_through is not None else 0
    edge = first if first is not None else through
    before = spans.within(choice.wanted, 0, edge)
    missing = spans.count(before)
    # What applications wrote behind the copy, and retention deleted, is none of it.
    deleted = pair.target_started if pair.copy_end is None else min(pair.target_started, pair.copy_end)
    if 0 < missing <= deleted and _old_enough(pair, missing):
        choice.expired = missing
        choice.wanted = spans.without(choice.wanted, before)
        choice.reasons.append(
            f"{missing} records before offset {edge} were copied, "
            f"and are not salvaged: the log of the copy begins at {pair.target_started}"
        )
    elif missing and first is not None:
        choice.unsure = missing
        choice.reasons.append(
            f"{missing} records before offset {first} may have been copied: {_why_not_expired(pair, missing, deleted)}"
        )
    if first is None and len(choice.wanted):
        choice.unsure = spans.count(choice.wanted)
        choice.reasons.append(
            f"{choice.unsure} records may have been copied: the log of the copy begins at "
            f"{pair.target_started}, and nothing is left to align them with"
        )


def _why_not_expired(pair: Pair, missing: int, deleted: int) -> str:
    if missing > deleted:
        return (
            f"more are missing there than the {deleted} that the copy can have deleted; "
            "it was made again, or began late"
        )
    begins = f"the log of the copy begins at {pair.target_started}, and "
    if pair.may_be_cut_by_size() and pair.target_bytes is None:
        return (
            f"{begins}no broker tells how large its log is, which retention.bytes limits; give the job's user DESCRIBE "
            "on its cluster"
        )
    return (
        f"{begins}its retention does not explain that they are gone; the topic was made again on one side, or records "
        "were deleted there"
    )


def _old_enough(pair: Pair, missing: int) -> bool:
    """Whether the copy's own retention explains that all of them are gone."""
    result = pair.result or {}
    named = result["counts"]["missing_head"]
    if "compact" not in pair.topic.mode:
        named = max(named, missing)
    return bool(named <= result["excused_head"])


def _doubt_an_emptied_copy(choice: Choice, pair: Pair, matched: Any) -> None:
    """Where nothing is left of what was copied, somebody emptied the copy or made it again, and may have meant to."""
    through = pair.mirrored_through or 0
    if len(matched) or choice.unsure or not len(choice.wanted) or not (through or pair.target_cut):
        return
    choice.unsure = spans.count(choice.wanted)
    known = f"records before offset {through} were copied" if through else "records were copied"
    choice.reasons.append(f"{known}, and the copy has none of them: it was emptied, or made again")


def _doubt_a_later_topic(choice: Choice, pair: Pair) -> None:
    """Nobody looked at it when the region was left: a mirror that was described otherwise then may have copied it."""
    if not pair.came_later or not len(choice.wanted):
        return
    choice.unsure = spans.count(choice.wanted)
    choice.reasons.append(
        f"{choice.unsure} records are of a partition that was not there when the region was left, as far as the "
        "failover tells"
    )


def _doubt_what_looks_alike(choice: Choice, pair: Pair) -> None:
    """Without times, a record that the copy's retention has deleted looks like a later one that says the same, and what
    was copied last like what never was.
    """
    if pair.topic.timestamps or pair.target_started <= 0 or not len(choice.wanted):
        return
    choice.unsure = spans.count(choice.wanted)
    choice.reasons.append(
        f"{choice.unsure} records may have been copied: the log of the copy begins at {pair.target_started}, and it "
        "does not keep records' times (LogAppendTime), so that of records alike nobody knows which are gone"
    )


def _leave_out_compacted(choice: Choice, pair: Pair, matched: Any, differences: list[dict[str, Any]]) -> None:
    last = spans.bounds(matched)[1]
    edge = max(-1 if last is None else last, (pair.mirrored_through or 0) - 1) + 1
    lost = spans.as_runs(
        [(difference["source_offset"], difference["count"]) for difference in differences if difference["kind"] in LOST]
    )
    below = spans.within(choice.wanted, 0, edge)
    choice.older = spans.both(below, lost)
    choice.wanted = spans.as_runs(np.concatenate([choice.older, spans.within(choice.wanted, edge)]))
