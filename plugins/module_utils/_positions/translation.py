# SPDX-License-Identifier: GPL-3.0-or-later
"""Translate a source position into the target offset at which a consumer goes on: a pure function of the evidence.

Truth: the highest target offset such that every surviving source record at or after the position has a copy at or after
it. An answer is never above it. *Exact* means that no record lies between the answer and the truth, so that nothing is
processed again.
"""

from __future__ import annotations

from .answer import EXACT, Answer
from .between import between
from .evidence import Evidence
from .suffix import by_suffix

FORMER = "the topic, or its copy, was made again after the position was seen"


def translate(evidence: Evidence, position: int, interpolate: bool = False, at: float | None = None) -> Answer:
    """The best :class:`Answer` that the evidence allows for a committed source position.

    :param interpolate: where records were not looked at, take equal distances between two pairs for an answer; it can
        be wrong either way.
    :param at: when the position was seen, seconds since the epoch; None where it is read from the source itself.
    """
    if evidence.former is not None and evidence.former.holds(evidence, position, at):
        # Its records are gone from the source, and all of the present topic is ahead of the group.
        offset, most = evidence.former.answer(evidence, position, at)
        return Answer(offset, "lower_bound", most, FORMER)
    answer = _best(evidence, position, interpolate)
    checkpoint = _by_checkpoint(evidence, position) if interpolate and answer.confidence == "lower_bound" else None
    return checkpoint or answer


def _best(evidence: Evidence, position: int, interpolate: bool) -> Answer:
    """By the strongest evidence that there is."""
    for attempt in (_by_proof, by_suffix, _at_pair, between, _interpolated if interpolate else _at_end, _at_end):
        answer = attempt(evidence, position)
        if answer is not None:
            floor = evidence.at_least(position)
            if answer.offset is not None and floor > answer.offset and answer.confidence not in EXACT:
                answer = answer._replace(offset=floor)
            return answer
    return _from_below(evidence, position)


def _by_proof(evidence: Evidence, position: int) -> Answer | None:
    proof = evidence.proof
    if proof is None or not proof.one_to_one or evidence.stale:
        return None
    offset = proof.copy_at(position)
    if offset is None or not evidence.target_start <= offset <= evidence.target_end:
        return None
    if not evidence.exactly_once and proof.target_range[1] < evidence.target_end:
        return None  # what was copied since may be second copies
    return Answer(offset, "exact_verified", 0, proof.partial or "offset map of a proof")


def _at_pair(evidence: Evidence, position: int) -> Answer | None:
    earlier, later = evidence.around(position)
    if earlier is None or earlier is not later or earlier[1] < evidence.target_start:
        return None
    if not evidence.nothing_twice(earlier[1]):
        return None
    return Answer(earlier[1], "exact_counted", 0, "offset sync of the very record")


def _interpolated(evidence: Evidence, position: int) -> Answer | None:
    earlier, later = evidence.around(position)
    if earlier is None or later is None or evidence.stale or evidence.copied_again:
        return None
    if later[0] - earlier[0] != later[1] - earlier[1]:
        return None
    why = "equal distances between two offset syncs; records not looked at"
    return Answer(earlier[1] + position - earlier[0], "interpolated", 0, why)


def _by_checkpoint(evidence: Evidence, position: int) -> Answer | None:
    """MirrorMaker 2's own answer where there is no offset sync; nothing says that it is about the present copy."""
    below = [downstream for upstream, downstream in evidence.checkpoints if upstream <= position]
    if not below or evidence.pairs or evidence.stale or evidence.copied_again or not evidence.exactly_once:
        return None
    return Answer(max([*below, evidence.target_start]), "interpolated", 0, "a checkpoint, perhaps of an earlier copy")


def _at_end(evidence: Evidence, position: int) -> Answer | None:
    """Nothing at or after the position was ever copied."""
    last = evidence.segment[-1] if evidence.segment else None
    if evidence.stale or evidence.copied_again or (last is not None and last[0] >= position):
        return None
    low = max(last[1] + 1, evidence.target_start) if last is not None else evidence.target_start
    count = 0
    if low < evidence.target_end:
        scan = evidence.target_scan(low, evidence.target_end)
        if scan is None:
            return None
        count = len(scan.between(low, evidence.target_end)[0])
    if count == 0:
        why = "no record on the target after the last offset sync, which lies before the position"
        return Answer(evidence.target_end, "exact_at_end", 0, why)
    if evidence.sealed and evidence.exactly_once and evidence.through is not None and evidence.through <= position:
        room = evidence.through - (last[0] + 1 if last is not None else 0)
        if count <= room:
            why = f"the mirror copied up to source offset {evidence.through}, before the position"
            return Answer(evidence.target_end, "exact_at_end", 0, why)
    most = min(count, position - last[0] - 1) if last is not None and evidence.exactly_once else count
    return Answer(low, "lower_bound", most, f"{count} records on the target after the last offset sync")


def _from_below(evidence: Evidence, position: int) -> Answer:
    """Safe whatever happened: the highest copy of a record before the position, plus one."""
    answer = evidence.at_least(position)
    later = evidence.around(position)[1]
    upper = evidence.target_end
    if later is not None and evidence.nothing_twice(answer) and (later[1] >= answer or evidence.exactly_once):
        upper = max(answer, later[1])
    scan = evidence.target_scan(answer, upper)
    most = max(0, upper - answer) if scan is None else len(scan.between(answer, upper)[0])
    why = "offset syncs before the position" if evidence.pairs else "nothing but the target's log start"
    return Answer(answer, "lower_bound", most, why)
