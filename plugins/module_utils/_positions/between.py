# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions between two pairs, by counting the records between them.

The counting argument. Let c records of the target, no two of them equal, lie between the copies of two pairs (u1, d1)
and (u2, d2), both included. (A mirror that went back in between would have copied at least one of them twice.) They are
copies of c different records among the u2 - u1 + 1 source offsets, in order. At most p - u1 of them come before a
position p, and at most u2 - p + 1 at or after it; so the copy of the first record at or after p has an index of at
least c - (u2 - p + 1) and at most p - u1. Where both are equal, one answer is left, wherever control records and gaps
may lie; where they are not, the former is safe and their difference bounds what is read again. Content, where it can be
compared, leaves no such room.
"""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .answer import Answer
from .evidence import Evidence
from .shapes import Pair

# From where on the source was read, and offsets and digests of its records.
Read = tuple[int, "np.ndarray", "np.ndarray"]


def between(evidence: Evidence, position: int) -> Answer | None:
    """The answer between two pairs, the second of which may be the last record copied as Connect knows it."""
    earlier, later = evidence.around(position)
    closed_by = "offset syncs"
    if later is None:
        later = _last_copied(evidence, position)
        closed_by = "an offset sync and the mirror's own offset"
    if later is None or later[0] < position or (earlier is None and evidence.segments_before):
        return None
    low = evidence.at_least(position) if earlier is None else max(earlier[1], evidence.target_start)
    scan = evidence.target_scan(low, later[1] + 1)
    if scan is None or not evidence.nothing_twice(low):
        return None
    # The earlier pair bounds the count only while its copy is still there.
    counted = earlier if earlier is not None and evidence.target_start <= earlier[1] else None
    offsets, digests = scan.between(low, later[1] + 1)
    if not len(offsets) or offsets[-1] != later[1] or (counted is not None and offsets[0] != counted[1]):
        # A pair names what is no record: the target lost some of it, or it is another topic than the pair's.
        return None
    read = _source_records(evidence, position, earlier, later)
    verified = _by_content(read, position, earlier, later, offsets, digests) if read is not None else None
    if verified is not None:
        return verified
    if len(np.unique(digests)) != len(offsets):
        return None  # a restart that copied again shows as a repeated record; so do twins, which cannot be told from it
    least, most = _bounds(position, counted, later, len(offsets), whole=earlier is None and low == 0)
    if least > most:
        return None  # more copies than source offsets: these are not all copies
    equal = _equal_before(read, position, digests[least:], digests) if read is not None else None
    if equal is not None:
        why = "the source's records differ from the copies counted between offset syncs"
        return Answer(int(offsets[min(least, equal)]), "lower_bound", most - min(least, equal), why)
    answer, why = int(offsets[least]), f"{len(offsets)} records counted between {closed_by}"
    if least == most:
        return Answer(answer, "exact_counted", 0, why)
    span = later[0] - earlier[0] + 1 if earlier is not None else "unknown many"
    return Answer(answer, "lower_bound", most - least, f"{why}, for {span} source offsets")


def _bounds(position: int, earlier: Pair | None, later: Pair, count: int, whole: bool) -> tuple[int, int]:
    """The lowest and the highest index that the answer can have among ``count`` copies.

    :param whole: the whole copy was counted, from its offset 0 on.
    """
    least, most = max(0, count - (later[0] - position + 1)), count - 1
    if earlier is not None:
        return max(least, 1), min(most, position - earlier[0])
    return least, min(most, position) if whole else most  # no source offset lies before 0


def _last_copied(evidence: Evidence, position: int) -> Pair | None:
    """(last source record copied, its copy), where the mirror is exactly-once; the copy is the target's last record, if
    nobody else wrote there.
    """
    if (
        not evidence.sealed
        or not evidence.exactly_once
        or not evidence.through
        or evidence.through <= position
        or evidence.stale
    ):
        return None
    scan = next((candidate for candidate in evidence.target_scans if candidate.high >= evidence.target_end), None)
    if scan is None or not len(scan.offsets):
        return None
    last = evidence.segment[-1] if evidence.segment else None
    copy = int(scan.offsets[-1])
    if last is not None and (evidence.through - 1 <= last[0] or copy <= last[1]):
        return None
    return evidence.through - 1, copy


def _source_records(evidence: Evidence, position: int, earlier: Pair | None, later: Pair) -> Read | None:
    """From where on the source (or its manifest) was read up to the later pair, offsets and digests; None where that
    does not take in the position.
    """
    low = earlier[0] if earlier is not None else position
    if evidence.source is not None:
        low = max(low, evidence.source[0])
    scan = evidence.source_scan(low, later[0] + 1)
    return None if position < low or scan is None else (low, *scan.between(low, later[0] + 1))


def _equal_before(read: Read, position: int, behind: np.ndarray, digests: np.ndarray) -> int | None:
    """Where the first record at or after the position has no copy among those behind the answer: the index after the
    copy of the last record before the position that has one, 0 where none has. None where it has a copy: what was
    counted is then not contradicted.

    :param behind: digests of the copies from the answer on.
    """
    dummy, theirs, their_digests = read
    index = int(np.searchsorted(theirs, position))
    if index >= len(theirs) or (behind == their_digests[index]).any():
        return None
    known = np.flatnonzero(np.isin(digests, their_digests[:index]))
    return int(known[-1]) + 1 if len(known) else 0


def _by_content(
    read: Read, position: int, earlier: Pair | None, later: Pair, offsets: np.ndarray, digests: np.ndarray
) -> Answer | None:
    """The source's records (or its manifest's) up to the later pair against the copies before it."""
    low, theirs, their_digests = read
    after = len(theirs) - int(np.searchsorted(theirs, position))
    if (
        after
        and theirs[-1] == later[0]
        and len(theirs) <= len(digests)
        and (their_digests == digests[len(digests) - len(theirs) :]).all()
    ):
        if len(theirs) == len(digests) or low > (earlier[0] if earlier is not None else -1):
            return Answer(
                int(offsets[len(offsets) - after]),
                "exact_verified",
                0,
                f"{len(theirs)} records around the answer are equal on both sides",
            )
    return _by_survivors(position, theirs, their_digests, offsets, digests)


def _by_survivors(
    position: int, theirs: np.ndarray, their_digests: np.ndarray, offsets: np.ndarray, digests: np.ndarray
) -> Answer | None:
    """Where compaction took records after they were copied: every survivor is found once among the copies, in order."""
    if (
        not len(theirs)
        or len(theirs) >= len(digests)
        or len(np.unique(their_digests)) != len(theirs)
        or len(np.unique(digests)) != len(digests)
    ):
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
    return Answer(
        int(offsets[places[index]]),
        "exact_verified",
        0,
        f"{len(theirs)} surviving records found among {len(digests)} copies, in order",
    )
