# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state of a watch stands for after a loss, topic by topic and partition by partition, and what it does not.

Nothing here reads: what the target holds now is given. What is not stood for is named, and never counts as proven.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from .._digest.shapes import TopicSurvey
from .._errors import NotProvableError
from . import windows
from .expiring import expired_below, retention, vanished
from .reasons import GONE
from .state import Confirmed, Partition, WatchState
from .unseen import held_to

UNKNOWN = "the watch has not read it"


@dataclass
class Standing:
    """:ivar topics: names that are compared by their windows, sorted.
    :ivar left_out: ``{topic: reason}`` of what the watch does not stand for at all.
    :ivar unseen: ``{topic: reason}`` of those that are compared although the last rounds could not look at them.
    :ivar absent: topics that their owner had deleted in the source, and that the target has no more: not judged.
    :ivar faults: ``{partition: reason}`` of single partitions that it does not stand for, of the former topics.
    :ivar doubts: ``{partition: reasons}`` of what is not proven in partitions that are compared nevertheless.
    :ivar named: ``{partition: reasons}`` of what is so without a doubt.
    :ivar deleted: partitions whose last matched record the target has deleted by its retention.
    """

    topics: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    unseen: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    faults: dict[Partition, str] = field(default_factory=dict)
    doubts: dict[Partition, list[str]] = field(default_factory=dict)
    named: dict[Partition, list[str]] = field(default_factory=dict)
    deleted: set[Partition] = field(default_factory=set)

    def lacking(self) -> dict[str, str]:
        """``{topic: reason}`` of topics that are not stood for, as a whole or in a partition."""
        found = dict(self.left_out)
        for (topic, number), reason in sorted(self.faults.items()):
            found.setdefault(topic, f"partition {number}: {reason}")
        for (topic, number), reasons in sorted(self.doubts.items()):
            found.setdefault(topic, f"partition {number}: {reasons[0]}")
        return found


def stand(
    state: WatchState,
    pattern: str,
    known: Mapping[str, Collection[int]],
    target: Mapping[str, TopicSurvey],
    now_ms: int,
) -> Standing:
    """What a state stands for.

    :param pattern: regular expression for whole names of the source.
    :param known: ``{topic of the source: partitions}`` that a mirror is known to have copied, or that the target has.
    :param target: what the target has now, by its own names; bounds begin at the log starts.
    :param now_ms: milliseconds since the epoch.
    """
    wanted = re.compile(pattern)
    standing = Standing()
    unwatched = {topic: why for topic, why in sorted(state.not_watched.items()) if wanted.fullmatch(topic)}
    standing.absent = [topic for topic in unwatched if _absent(state, topic, target)]
    watched = held_to(state) - set(standing.absent)
    standing.topics = sorted(topic for topic in watched if wanted.fullmatch(topic))
    standing.unseen = {topic: why for topic, why in unwatched.items() if topic in watched}
    standing.left_out = {
        topic: why for topic, why in unwatched.items() if topic not in watched and topic not in standing.absent
    }
    for topic in sorted(set(known) - watched - set(standing.left_out) - set(standing.absent)):
        if wanted.fullmatch(topic):
            standing.left_out[topic] = UNKNOWN
    for place, part in sorted(state.partitions.items()):
        if place[0] in standing.topics:
            _partition(standing, state, place, part, target.get(part.target_topic), now_ms)
    for topic in standing.topics:
        for number in known.get(topic, ()):
            if (topic, number) not in state.partitions:
                standing.faults[topic, number] = UNKNOWN
    return standing


def stands(state: WatchState, place: Partition, copy: TopicSurvey | None, now_ms: int) -> bool:
    """Whether what was proven of a partition stands, also of a topic that is left out.

    :param copy: its copy as the target has it now. :param now_ms: milliseconds since the epoch.
    """
    standing = Standing()
    _partition(standing, state, place, state.partitions[place], copy, now_ms)
    return not standing.faults and not standing.doubts


def _absent(state: WatchState, topic: str, target: Collection[str]) -> bool:
    """Whether neither side has it: a mirror remembers deleted topics."""
    copies = {part.target_topic for (name, dummy), part in state.partitions.items() if name == topic}
    return state.not_watched[topic] == GONE and not copies & set(target)


def _partition(
    standing: Standing, state: WatchState, place: Partition, part: Confirmed, copy: TopicSurvey | None, now_ms: int
) -> None:
    reason = part.stopped or _not_whole(state, place, part) or _other_copy(part, copy) or _apart(part, copy, place[1])
    if reason is not None:
        standing.faults[place] = reason
        return
    start = copy["bounds"].get(place[1], (0, 0))[0] if copy is not None else 0
    doubts, named = _deleted(part, copy, start, now_ms) if copy is not None else ([], [])
    if part.left_unproven:
        doubts.insert(0, f"{part.left_unproven} records were never compared")
    for kept, texts in ((standing.doubts, doubts), (standing.named, named)):
        if texts:
            kept[place] = texts
    if part.anchor is not None and start > part.anchor["target"]:
        standing.deleted.add(place)


def _not_whole(state: WatchState, place: Partition, part: Confirmed) -> str | None:
    try:
        windows.records(place, part, state.windows.get(place, []))
    except NotProvableError as error:
        return str(error)
    return None


def _apart(part: Confirmed, copy: TopicSurvey | None, number: int) -> str | None:
    """Retention took copies before the watch had read them: whether what waits was among them, nobody can tell."""
    start = copy["bounds"].get(number, (0, 0))[0] if copy is not None else 0
    if part.begins is not None or not part.waiting or not start:
        return None
    return f"the target begins at {start}, and has nothing since that the {part.waiting} records which wait follow"


def _other_copy(part: Confirmed, copy: TopicSurvey | None) -> str | None:
    if not part.target_id:
        return None
    if copy is None:
        return f"{part.records} records were proven in {part.target_topic}, which is gone"
    if copy["topic_id"] != part.target_id:
        return f"{part.target_topic} was made again since the watch read it"
    return None


def _deleted(part: Confirmed, copy: TopicSurvey, start: int, now_ms: int) -> tuple[list[str], list[str]]:
    """What the target's log start says of proven records: doubts, and what is as its policy has it."""
    gone = vanished(part)
    doubts = [f"{gone} proven offsets were deleted from the target before they had expired there"] if gone else []
    if "compact" in (copy["config"].get("cleanup.policy") or ""):
        doubts.append("the copy is compacted by now: its records may be removed at any place")
    kept = retention(copy["config"])
    gone = min(start, part.examined[1]) - expired_below(part, kept, now_ms) if part.begins is not None else 0
    if gone <= 0:
        return doubts, []
    what = f"{gone} proven offsets were deleted from the target"
    if kept.size:
        return doubts, [f"{what}, whose policy limits the size of the log"]
    if kept.milliseconds is None:
        return [*doubts, f"{what}, whose policy deletes nothing"], []
    return [*doubts, f"{what} and were not seen to expire there"], []
