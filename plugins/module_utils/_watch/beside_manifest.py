# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics that a manifest stands for where the watch does not: what the watch knows beyond it counts all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .._digest.shapes import TopicSurvey
from .._proof.comparison import Comparison
from .._proof.pairs import Pair, Topic
from .closed_report import add_differences
from .not_read import add_unread, copied_through, doubt, silent, unread_of
from .offset_maps import same_logs
from .reasons import GONE
from .standing import stands
from .state import Confirmed, Difference, Partition
from .unseen import whole

if TYPE_CHECKING:
    from .closing import Closing


def amend(closing: Closing, comparison: Comparison) -> None:
    """Give partitions that were compared with a manifest what the watch knows beyond the manifest's end: what differs
    there, that records which it had read are shown by nothing, and what it had seen that nobody had read. Partitions
    that the manifest lacks are added.
    """
    known: dict[str, list[int]] = {}
    for name, number in sorted(closing.state.partitions):
        known.setdefault(name, []).append(number)
    lacking = closing.standing.lacking()
    for topic in comparison.topics:
        pairs = {pair.number: pair for pair in topic.pairs}
        for number in known.get(topic.name, ()):
            part = closing.state.partitions[topic.name, number]
            why = lacking.get(topic.name) or closing.standing.unseen.get(topic.name, "")
            _amend(closing, topic, pairs.get(number), (topic.name, number), part, why)


def reaches_further(saved: TopicSurvey, parts: Mapping[int, Confirmed]) -> bool:
    """Whether a manifest says as much of a topic as the watch, or more: it may have seen what the watch could not.

    :param parts: what the watch has of the topic's partitions.
    """
    if any(part.source_id not in ("", saved["topic_id"]) for part in parts.values()):
        return True
    ends = {number: high for number, (dummy, high) in saved["bounds"].items()}
    behind = any(end > (parts[number].read if number in parts else 0) for number, end in ends.items())
    return behind or all(ends.get(number, 0) >= part.read for number, part in parts.items())


def _amend(closing: Closing, topic: Topic, pair: Pair | None, place: Partition, part: Confirmed, why: str) -> None:
    # Offsets of two topics by one name say nothing of each other.
    other = part.source_id not in ("", topic.id_on("source"))
    end = 0 if other or pair is None else pair.source_range[1]
    read = _copied(closing, place, part)
    doubted = other or (read > end and not _kept(closing, topic, pair, place, part))
    same = part.target_id == topic.id_on("target")
    wrong = [row for row in closing.differences.get(place, []) if other or _beyond(row, end, same)]
    rest = Pair(topic, place[1], (0, 0), (0, 0)) if pair is None else pair
    if doubted:
        what = "is of another topic by this name" if other else f"ends at {end}"
        doubt(rest, f"the manifest {what}, the watch had read up to {read} and does not stand for it: {why}")
    lost = 0 if other else _add_unread(closing, rest, place, part, end)
    if pair is None and (rest.undecided or wrong or lost):
        _add(topic, rest)
    elif pair is None:
        topic.reasons += [f"partition {place[1]}: {reason}" for reason in rest.reasons]
    add_differences(rest, wrong, closing.options.max_differences)


def _add_unread(closing: Closing, pair: Pair, place: Partition, part: Confirmed, end: int) -> int:
    """Tell what the watch knows beyond a manifest's end and nobody compared; how much of it is lost."""
    found = unread_of(closing, place, part, _behind(pair), end)
    add_unread(found, pair)
    reason = closing.state.not_watched.get(place[0])
    if reason == GONE and (found.copied or found.lost or found.hidden):
        # Nobody can tell any more what became of it.
        doubt(pair, GONE)
    # One that reaches further was made later, and what it proves is as old as it is.
    elif reason != GONE and place[0] in closing.standing.unseen and end <= max(part.read, part.source_end):
        doubt(pair, silent(closing, part.looked_at))
    return found.lost


def _behind(pair: Pair) -> int:
    """Records that the copy holds behind all that was matched: those before it are older than the manifest."""
    if pair.result is None:
        return 0
    rows = pair.result["offset_map"]
    matched = int(rows[-1][1] + rows[-1][2]) if len(rows) else 0
    return min(pair.result["counts"]["beyond"], max(0, pair.target_range[1] - matched))


def _add(topic: Topic, pair: Pair) -> None:
    """Judge a partition that the manifest lacks."""
    pair.error = {"kind": "not_covered", "message": "the partition is missing in the manifest"}
    topic.pairs.append(pair)


def _copied(closing: Closing, place: Partition, part: Confirmed) -> int:
    """Up to where the watch had read what was copied. The mirror's offset may be that of a topic made again since; what
    was matched was copied, whatever it says.
    """
    through = copied_through(closing, place)
    return part.read if through is None else max(part.through[0], min(part.read, through))


def _kept(closing: Closing, topic: Topic, pair: Pair | None, place: Partition, part: Confirmed) -> bool:
    """Whether its owner deleted the topic in the source once all that was copied of it had been proven, and the copy is
    there as it was then: MirrorMaker 2 deletes no copy, and no later manifest has what was deleted.
    """
    through = copied_through(closing, place)
    if closing.state.not_watched.get(topic.name) != GONE or through is None or topic.target is None:
        return False
    end = topic.target["bounds"].get(place[1], (0, 0))[1] if pair is None or pair.copy_end is None else pair.copy_end
    if not whole(part) or part.read < through or end < part.through[1]:
        return False
    tips = {} if part.target_tip is None else {place: ((part.target_topic, place[1]), part.target_tip)}
    return same_logs(closing.target.client, tips) == set(tips) and stands(
        closing.state, place, topic.target, int(closing.began * 1000)
    )


def _beyond(row: Difference, end: int, same: bool) -> bool:
    """Whether a difference lies beyond what a manifest has judged.

    :param same: whether the copy is the one that the watch read: in another one, no record of its own is strange.
    """
    return same if row.source_offset is None else row.source_offset + max(1, row.count) > end
