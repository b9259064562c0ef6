# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Translate a source position into the target offset at which a consumer goes on: a pure function of the evidence.

Truth: the highest target offset such that every surviving source record at or after the position has a copy at or after it. An answer is
never above it. *Exact* means that no record lies between the answer and the truth, so that nothing is processed again.

The counting argument. Let c records of the target, no two of them equal, lie between the copies of two pairs (u1, d1) and (u2, d2), both
included. (A mirror that went back in between would have copied at least one of them twice.) They are copies of c different records among the
u2 - u1 + 1 source offsets, in order. At most p - u1 of them come before a position p, and at most u2 - p + 1 at or after it; so the copy of the
first record at or after p has an index of at least c - (u2 - p + 1) and at most p - u1. Where both are equal, one answer is left, wherever control
records and gaps may lie; where they are not, the former is safe and their difference bounds what is read again. Content, where it can be
compared, leaves no such room.
"""

from __future__ import annotations

from typing import NamedTuple

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

EXACT = ("exact_verified", "exact_counted", "exact_at_end")
CONFIDENCES = EXACT + ("interpolated", "lower_bound", "unknown")


class Answer(NamedTuple):
    """``offset`` on the target, None where unknown; ``reprocess_at_most`` records before the position are read again; ``evidence`` says why."""

    offset: int | None
    confidence: str
    reprocess_at_most: int | None
    evidence: str


def translate(evidence, position, interpolate=False, at=None):
    """The best :class:`Answer` that the evidence allows for a committed source position.

    :param interpolate: where records were not looked at, take equal distances between two pairs for an answer; it can be wrong either way.
    :param at: when the position was seen, seconds since the epoch; None where it is read from the source itself.
    """
    if evidence.former is not None and evidence.former.holds(evidence, position, at):
        # Its records are gone from the source, and all of the present topic is ahead of the group.
        answer, most = evidence.former.answer(evidence, position, at)
        return Answer(answer, "lower_bound", most, "the topic was made again after the position was seen")
    for attempt in (_by_proof, _by_suffix, _at_pair, _between, _interpolated if interpolate else _at_end, _at_end):
        answer = attempt(evidence, position)
        if answer is not None:
            floor = evidence.at_least(position)
            if floor > answer.offset and answer.confidence not in EXACT:
                answer = answer._replace(offset=floor)
            return answer
    return _from_below(evidence, position)


def _by_proof(evidence, position):
    proof = evidence.proof
    if proof is None or not proof.one_to_one or evidence.stale:
        return None
    offset = proof.copy_at(position)
    if offset is None or not evidence.target_start <= offset <= evidence.target_end:
        return None
    if not evidence.exactly_once and proof.target_range[1] < evidence.target_end:
        return None  # what was copied since may be second copies
    return Answer(offset, "exact_verified", 0, "offset map of a proof")


def _by_suffix(evidence, position):
    """What the target holds from the answer on is, record for record, what the source holds from the position on."""
    if evidence.suffix is None:
        evidence.suffix = _suffix(evidence) or ()
    if not evidence.suffix:
        return None
    low, source_offsets, copies, equal = evidence.suffix
    if position < low:
        return None  # what expired at the source may still be on the target
    after = len(source_offsets) - int(np.searchsorted(source_offsets, position))
    if after > equal:
        return None
    if after == 0:
        return Answer(evidence.target_end, "exact_at_end", 0, "the last %d records before the end are equal on both sides" % equal)
    return Answer(int(copies[len(copies) - after]), "exact_verified", 0,
                  "%d records from the answer to the end, and %d before it, are equal on both sides" % (after, equal - after))


def _suffix(evidence):
    """``(low, source offsets, target offsets, how many of the last records are equal)`` of what was copied; None where that cannot be said."""
    if evidence.source is None or evidence.through is None or evidence.through > evidence.source[1]:
        return None
    scan = next((one for one in evidence.source_scans if one.high >= evidence.source[1]), None)
    copy = next((one for one in evidence.target_scans if one.high >= evidence.target_end), None)
    if scan is None or copy is None:
        return None
    offsets, digests = scan.offsets, scan.digests
    if len(offsets) and offsets[-1] >= evidence.through:
        if not evidence.exactly_once or evidence.copied_again:
            return None  # how much of the source was copied is known only roughly
        offsets, digests = scan.between(scan.low, evidence.through)
    if not evidence.sealed:
        if not evidence.segment or evidence.segment[-1][0] < scan.low:
            return None
        upstream, downstream = evidence.segment[-1]
        behind, copied = int(np.sum(offsets > upstream)), int(np.sum(copy.offsets > downstream))
        if copied > behind or (copy.low <= downstream and copied != behind):
            return None  # the last records of both sides are not each other's: others wrote there, or compaction took some
    equal = _common_suffix(digests, copy.digests)
    if equal == 0 and (len(offsets) or len(copy.offsets)):
        return None
    return scan.low, offsets, copy.offsets, equal


def _common_suffix(left, right):
    count = min(len(left), len(right))
    if not count:
        return 0
    differing = np.flatnonzero(left[len(left) - count:] != right[len(right) - count:])
    return count - 1 - int(differing[-1]) if len(differing) else count


def _at_pair(evidence, position):
    earlier, later = evidence.around(position)
    if earlier is None or earlier is not later or not _nothing_twice(evidence, earlier[1]):
        return None
    if not evidence.target_start <= earlier[1]:
        return None
    return Answer(earlier[1], "exact_counted", 0, "offset sync of the very record")


def _nothing_twice(evidence, low):
    """Whether no record at or after ``low`` can be a second copy: copied in transactions, or all digests up to the end differ."""
    if evidence.stale or evidence.copied_again:
        return False
    return evidence.exactly_once or evidence.all_differ(low)


def _between(evidence, position):
    """Between two pairs, the second of which may be the last record copied as Connect knows it."""
    earlier, later = evidence.around(position)
    closed_by = "offset syncs"
    if later is None:
        later = _last_copied(evidence, position)
        closed_by = "an offset sync and the mirror's own offset"
    if later is None or later[0] < position or (earlier is None and evidence.segments_before):
        return None
    low = evidence.at_least(position) if earlier is None else max(earlier[1], evidence.target_start)
    scan = evidence.target_scan(low, later[1] + 1)
    clean = _nothing_twice(evidence, low)
    if scan is None or not clean:
        return None
    offsets, digests = scan.between(low, later[1] + 1)
    if not len(offsets) or offsets[-1] != later[1] or (earlier is not None and evidence.target_start <= earlier[1] and offsets[0] != earlier[1]):
        return None  # a pair names what is no record: the target lost some of it, or it is another topic than the pair's
    verified = _by_content(evidence, position, earlier, later, offsets, digests)
    if verified is not None:
        return verified
    count = len(offsets)
    if len(np.unique(digests)) != count:
        return None  # a restart that copied again shows as a repeated record; so do twins, which cannot be told from it
    least = max(0, count - (later[0] - position + 1))
    most = count - 1
    if earlier is not None and evidence.target_start <= earlier[1]:
        least = max(least, 1)
        most = min(most, position - earlier[0])
    elif earlier is None and low == 0:
        most = min(most, position)  # the whole copy was counted, and no source offset lies before 0
    if least > most:
        return None  # more copies than source offsets: these are not all copies
    answer = int(offsets[least])
    if least == most:
        return Answer(answer, "exact_counted", 0, "%d records counted between %s" % (count, closed_by))
    return Answer(answer, "lower_bound", most - least, "%d records counted between %s, for %s source offsets" % (
        count, closed_by, later[0] - earlier[0] + 1 if earlier is not None else "unknown many"))


def _last_copied(evidence, position):
    """(last source record copied, its copy), where the mirror is exactly-once; the copy is the target's last record, if nobody else wrote there."""
    if not evidence.sealed or not evidence.exactly_once or not evidence.through or evidence.through <= position or evidence.stale:
        return None
    scan = next((one for one in evidence.target_scans if one.high >= evidence.target_end), None)
    if scan is None or not len(scan.offsets):
        return None
    last = evidence.segment[-1] if evidence.segment else None
    copy = int(scan.offsets[-1])
    if last is not None and (evidence.through - 1 <= last[0] or copy <= last[1]):
        return None
    return evidence.through - 1, copy


def _interpolated(evidence, position):
    earlier, later = evidence.around(position)
    if earlier is None or later is None or evidence.stale or evidence.copied_again or later[0] - earlier[0] != later[1] - earlier[1]:
        return None
    return Answer(earlier[1] + position - earlier[0], "interpolated", 0, "equal distances between two offset syncs; records not looked at")


def _by_content(evidence, position, earlier, later, offsets, digests):
    """The source's records (or its manifest's) up to the later pair against the copies before it."""
    low = earlier[0] if earlier is not None else position
    if evidence.source is not None:
        low = max(low, evidence.source[0])
    if position < low:
        return None
    scan = evidence.source_scan(low, later[0] + 1)
    if scan is None:
        return None
    theirs, their_digests = scan.between(low, later[0] + 1)
    after = len(theirs) - int(np.searchsorted(theirs, position))
    if after and theirs[-1] == later[0] and len(theirs) <= len(digests) and (their_digests == digests[len(digests) - len(theirs):]).all():
        if len(theirs) == len(digests) or low > (earlier[0] if earlier is not None else -1):
            return Answer(int(offsets[len(offsets) - after]), "exact_verified", 0, "%d records around the answer are equal on both sides" % len(theirs))
    return _by_survivors(position, theirs, their_digests, offsets, digests)


def _by_survivors(position, theirs, their_digests, offsets, digests):
    """Where compaction took records after they were copied: every survivor is found once among the copies, in order."""
    if not len(theirs) or len(theirs) >= len(digests) or len(np.unique(their_digests)) != len(theirs) or len(np.unique(digests)) != len(digests):
        return None
    order = np.argsort(digests)
    places = np.searchsorted(digests, their_digests, sorter=order)
    if (places >= len(digests)).any():
        return None
    places = order[places]
    if (digests[places] != their_digests).any() or (np.diff(places) <= 0).any():
        return None
    index = int(np.searchsorted(theirs, position))
    if index >= len(theirs):
        return None
    return Answer(int(offsets[places[index]]), "exact_verified", 0, "%d surviving records found among %d copies, in order" % (len(theirs), len(digests)))


def _at_end(evidence, position):
    """Nothing at or after the position was ever copied."""
    last = evidence.segment[-1] if evidence.segment else None
    if evidence.stale or evidence.copied_again or (last is not None and last[0] >= position):
        return None
    low = max(last[1] + 1, evidence.target_start) if last is not None else evidence.target_start
    if low >= evidence.target_end:
        return Answer(evidence.target_end, "exact_at_end", 0, "no record on the target after the last offset sync, which lies before the position")
    scan = evidence.target_scan(low, evidence.target_end)
    if scan is None:
        return None
    count = len(scan.between(low, evidence.target_end)[0])
    if count == 0:
        return Answer(evidence.target_end, "exact_at_end", 0, "no record on the target after the last offset sync, which lies before the position")
    if evidence.sealed and evidence.exactly_once and evidence.through is not None and evidence.through <= position:
        room = evidence.through - (last[0] + 1 if last is not None else 0)
        if count <= room:
            return Answer(evidence.target_end, "exact_at_end", 0, "the mirror copied up to source offset %d, before the position" % evidence.through)
    most = min(count, position - last[0] - 1) if last is not None and evidence.exactly_once else count
    return Answer(low, "lower_bound", most, "%d records on the target after the last offset sync" % count)


def _from_below(evidence, position):
    """Safe whatever happened: the highest copy of a record before the position, plus one."""
    answer = evidence.at_least(position)
    later = evidence.around(position)[1]
    bounded = later is not None and _nothing_twice(evidence, answer) and (later[1] >= answer or evidence.exactly_once)
    upper = max(answer, later[1]) if bounded else evidence.target_end
    scan = evidence.target_scan(answer, upper)
    most = max(0, upper - answer) if scan is None else len(scan.between(answer, upper)[0])
    why = "offset syncs before the position" if evidence.pairs else "checkpoints" if evidence.checkpoints else "nothing but the target's log start"
    return Answer(answer, "lower_bound", most, why)
