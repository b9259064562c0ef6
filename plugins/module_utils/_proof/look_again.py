# SPDX-License-Identifier: GPL-3.0-or-later
"""At the end: name what changed during the run, such as log starts that moved and topics that were created anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._digest.shapes import Partition, Span, TopicSurvey
from . import first_pass
from .pairs import Pair, Topic
from .shapes import Side, SideName

if TYPE_CHECKING:
    from .comparison import Comparison


def name_changes(comparison: Comparison) -> None:
    """Add reasons to topics and partitions of live sides that are not what they were when bounds were frozen."""
    for side in first_pass.SIDES:
        if not comparison.side(side).live:
            continue
        topics, now = _surveyed(comparison, side)
        held = _held_back(comparison.side(side), now)
        for topic in topics:
            what = _what_became(topic, side, now)
            if what:
                topic.changed = True
                topic.reasons.append(f"the topic was {what} on the {side} during the run")
                continue
            for pair in topic.pairs:
                _name_changes(pair, side, now[topic.name_on(side)]["bounds"], held)


def gone(comparison: Comparison, side: SideName) -> list[str]:
    """Names of topics that a side had when bounds were frozen, and that are deleted or created anew."""
    topics, now = _surveyed(comparison, side)
    return [topic.name_on(side) for topic in topics if _what_became(topic, side, now)]


def _surveyed(comparison: Comparison, side: SideName) -> tuple[list[Topic], dict[str, TopicSurvey]]:
    topics = [topic for topic in comparison.topics if topic.id_on(side)]
    return topics, comparison.side(side).survey([topic.name_on(side) for topic in topics])


def _what_became(topic: Topic, side: SideName, now: dict[str, TopicSurvey]) -> str:
    found = now.get(topic.name_on(side))
    if found is None:
        return "deleted"
    return "created anew" if found["topic_id"] != topic.id_on(side) else ""


def _name_changes(pair: Pair, side: SideName, bounds: dict[int, Span], held: dict[Partition, Span]) -> None:
    stable, whole = held.get(pair.partition_on(side), (0, 0))
    # A mirror in transactions always has one open in the target; it matters where the end of the copy is missing.
    hidden = side == "source" or (pair.result is not None and pair.result["counts"]["missing_tail"] > 0)
    if hidden and whole > stable == pair.range_on(side)[1]:
        judged = "which were not judged" if side == "source" else "which nobody can read yet"
        pair.reasons.append(
            f"an open transaction holds back {whole - stable} offsets of the {side} from {stable} on, {judged}"
        )
    start = bounds.get(pair.number, (0, 0))[0]
    if start > pair.range_on(side)[0]:
        pair.reasons.append(f"the {side}'s log start moved to {start} after it was read")


def _held_back(side: Side, now: dict[str, TopicSurvey]) -> dict[Partition, Span]:
    """``{(topic, partition): (last stable offset, end)}`` of one side. The ends are asked first: what then lies
    beyond the former is held back.
    """
    partitions = [(name, number) for name, topic in now.items() for number in topic["bounds"]]
    ends = side.ends(partitions, "read_uncommitted")
    return {key: (stable, ends.get(key, stable)) for key, stable in side.ends(partitions).items()}
