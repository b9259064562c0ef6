# SPDX-License-Identifier: GPL-3.0-or-later
"""Which partition of the source belongs to which of the target, within which bounds, and what of that is already
known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._digest.chunks import Chunks
from .._digest.shapes import Partition, Span, TopicSurvey
from .._kafka.topics import RETENTION
from .bounds import given
from .excuses import Head
from .shapes import Bounds, SideName


class Pair:
    """One partition on both sides: ranges, log starts, chunks, and the result or error of its comparison."""

    def __init__(self, topic: Topic, number: int, source_bounds: Span, target_bounds: Span) -> None:
        self.topic, self.number = topic, number
        self.source_started, self.target_started = source_bounds[0], target_bounds[0]
        self.source_range, self.target_range = list(source_bounds), list(target_bounds)
        self.source_bounded = self.target_bounded = False
        self.target_end = target_bounds[1]
        self.mirrored_through: int | None = None
        # Where deletion in the backup was held off: when (ms), and the backup's log start then.
        self.held_at: int | None = None
        self.held_start: int | None = None
        # Bytes of the target's log on its brokers' disks; None where nobody asked, or told.
        self.target_bytes: int | None = None
        self.target_moved = False
        # The target ends before its bound: it lost what it had, whether the source's range still has it or not.
        self.target_cut = False
        # Where the copy ended, as a bound has it; None where none is given.
        self.copy_end: int | None = None
        # It came to the target after the bounds were taken, as far as they tell.
        self.came_later = False
        # Some of it was not compared, whatever the rest shows.
        self.undecided = False
        self.left, self.right = Chunks(), Chunks()
        self.reasons: list[str] = []
        self.error: dict[str, Any] | None = None
        self.result: dict[str, Any] | None = None
        self.attempts = 0

    @property
    def open(self) -> bool:
        """Whether it has neither a result nor an error yet."""
        return self.result is None and self.error is None

    def partition_on(self, side: SideName) -> Partition:
        """Its topic and number on one side."""
        return self.topic.name_on(side), self.number

    def range_on(self, side: SideName) -> list[int]:
        """``[low, high]`` of what is compared on one side."""
        return self.source_range if side == "source" else self.target_range

    def keep(self, side: SideName, chunks: Chunks) -> None:
        """Keep what was read of one side."""
        if side == "source":
            self.left = chunks
        else:
            self.right = chunks

    def restart(self, side: SideName, start: int | None) -> None:
        """Let the range of one side begin at its log start, where that moved; None where the topic is gone."""
        area = self.range_on(side)
        if start is None:
            self.error = {"kind": "gone", "message": f"the topic went away on the {side} while it was compared"}
        elif start > area[0]:
            self.reasons.append(f"the {side}'s log start moved from {area[0]} to {start} during the run")
            area[0] = start
            area[1] = max(area)
            if side == "source":
                self.source_started = start
            else:
                self.target_started, self.target_moved = start, True

    def head(self, now: int) -> Head:
        """What may excuse a missing head. :param now: milliseconds since the epoch."""
        held = self.held_at is not None
        return Head(
            at=self.held_at if self.held_at is not None else now,
            deleted=self.held_start if held else self.target_started,
            held=held,
            retention_ms=self.topic.retention_ms,
            retention_bytes=self.topic.retention_bytes,
            end=self.target_end,
            size=None if held else self.target_bytes,
            reckoned=not self.topic.copys_limits,
        )

    def may_be_cut_by_size(self) -> bool:
        """Whether the target may have deleted its head because its log was too large."""
        return self.held_at is None and self.target_started > 0 and self.topic.retention_bytes is not None


class Topic:
    """One topic on both sides.

    :param target: None where it is missing there.
    :param limits: what limited retention in the source, where it is held off now; None where its configs say it.
    :param saved: the source is a manifest: a topic may have got partitions since.
    """

    def __init__(
        self,
        name: str,
        target_name: str,
        source: TopicSurvey,
        target: TopicSurvey | None,
        ignore_timestamps: bool = False,
        limits: dict[str, int] | None = None,
        saved: bool = False,
    ) -> None:
        self.name, self.target_name, self.source, self.target = name, target_name, source, target
        self.saved = saved
        self.reasons: list[str] = []
        self.pairs: list[Pair] = []
        # An empty policy is none: it deletes nothing.
        policy = source["config"].get("cleanup.policy", "delete") or ""
        self.mode = ",".join(sorted(part.strip() for part in policy.split(",")))
        by: Mapping[str, Any] = source["config"] if limits is None else limits
        self._limit_by(by, "delete" in self.mode)
        overwritten = target is not None and target["config"].get("message.timestamp.type") == "LogAppendTime"
        self.timestamps = not ignore_timestamps and not overwritten
        self.overwritten = overwritten and not ignore_timestamps
        # It is not what it was when the run began.
        self.changed = False
        # Its limits are the copy's own.
        self.copys_limits = False
        # A bound is given for a partition that nobody has.
        self.unheld = False
        if self.overwritten:
            self.reasons.append(
                "the target overwrites timestamps (LogAppendTime), so they cannot be compared; content and order were"
            )
        counts = len(source["partitions"]), len(target["partitions"]) if target else 0
        self.partition_difference = (
            target is not None and counts[0] != counts[1] and not (saved and counts[0] < counts[1])
        )
        if target is None:
            self.reasons.append("the topic is missing on the target")
        elif self.partition_difference:
            self.reasons.append(f"{counts[0]} partitions on the source, {counts[1]} on the target")

    @property
    def not_provable(self) -> bool:
        """Whether nothing shows that it is complete."""
        return self.overwritten or self.changed or self.unheld

    def id_on(self, side: SideName) -> str | None:
        """Its id on one side; None where it is missing."""
        survey = self.source if side == "source" else self.target
        return survey["topic_id"] if survey else None

    def name_on(self, side: SideName) -> str:
        """Its name on one side."""
        return self.name if side == "source" else self.target_name

    def expire_as(self, config: Mapping[str, Any]) -> None:
        """Judge by a policy of its own what may have expired in the copy, and by its brokers how large that is: who
        gives records up for it may not reckon. :param config: the copy's.
        """
        self.copys_limits = True
        self._limit_by(config, "delete" in (config.get("cleanup.policy", "delete") or ""))

    def _limit_by(self, config: Mapping[str, Any], deletes: bool) -> None:
        limits = [-1 if config.get(name) in (None, "") else int(config[name]) for name in RETENTION]
        self.retention_ms, self.retention_bytes = (limit if deletes and limit >= 0 else None for limit in limits)


def make(
    source_topics: dict[str, TopicSurvey],
    target_topics: dict[str, TopicSurvey],
    renamed: dict[str, str],
    bounds: Bounds | None,
    ignore_timestamps: bool = False,
    saved: bool = False,
) -> list[Topic]:
    """Topics with their pairs.

    :param source_topics, target_topics: survey entries by name.
    :param renamed: target name by source name.
    :param bounds: see :func:`.bounds.check_bounds`; any part is optional.
    :param saved: the source is a manifest: a topic may have got partitions since.
    """
    bounds, topics = bounds or {}, []
    for name in sorted(source_topics):
        source, target = source_topics[name], target_topics.get(renamed[name])
        limits = bounds.get("limits", {}).get(name)
        topic = Topic(name, renamed[name], source, target, ignore_timestamps, limits, saved)
        numbers = sorted(set(source["partitions"]) | set(target["partitions"] if target else []))
        added = _not_saved(topic, bounds, numbers)
        for number in numbers:
            if number in added:
                continue
            pair = _of_both(topic, number)
            pair.mirrored_through = given(bounds.get("mirrored_through"), name, number)
            _bound(pair, "source", bounds, name)
            _bound(pair, "target", bounds, renamed[name])
            if bounds.get("held"):
                pair.held_at = bounds["held"]["at"]
                pair.held_start = given(bounds["held"]["starts"], name, number)
            topic.pairs.append(pair)
        _refuse_strangers(topic, bounds, numbers)
        topics.append(topic)
    return topics


def _of_both(topic: Topic, number: int) -> Pair:
    """A partition as both sides have it, or one of them, which is said."""
    source, target = topic.source, topic.target
    pair = Pair(
        topic, number, source["bounds"].get(number, (0, 0)), target["bounds"].get(number, (0, 0)) if target else (0, 0)
    )
    if target is not None and number not in target["partitions"]:
        pair.reasons.append("the partition is missing on the target")
    if number not in source["partitions"]:
        pair.reasons.append(f"the partition is missing {'in the manifest' if topic.saved else 'on the source'}")
        if topic.saved:
            pair.error = {"kind": "not_covered", "message": pair.reasons[-1]}
    return pair


def _not_saved(topic: Topic, bounds: Bounds, numbers: list[int]) -> list[int]:
    """Partitions that the topic got after its manifest was saved, and of which no bound says that they held anything:
    they are named, and not judged.
    """
    added = [
        number
        for number in numbers
        if topic.saved
        and number not in topic.source["partitions"]
        and not any(given(bounds.get(part), topic.name, number) for part in ("source", "mirrored_through"))
    ]
    if added:
        topic.reasons.append(f"partition {', '.join(map(str, added))} is not in the manifest, and is not judged")
    return added


def _refuse_strangers(topic: Topic, bounds: Bounds, numbers: list[int]) -> None:
    """A bound of a partition that nobody has is not passed over."""
    for side, topic_name, place in (
        ("source", topic.name, "on the source"),
        ("target", topic.target_name, "on the target"),
        ("mirrored_through", topic.name, "that the mirror had copied"),
    ):
        strangers = sorted(set(map(str, bounds.get(side, {}).get(topic_name, {}))) - set(map(str, numbers)), key=int)
        if strangers:
            topic.unheld = True
            topic.reasons.append(
                f"a bound is given for partition {', '.join(strangers)} {place}, which neither side has"
            )


def _bound(pair: Pair, side: SideName, bounds: Bounds, name: str) -> None:
    end = given(bounds.get(side), name, pair.number)
    if end is None:
        return
    area = pair.range_on(side)
    if end > area[1]:
        pair.reasons.append(f"the {side} ends at {area[1]}, before the bound {end}")
        if side == "source":
            pair.error = {"kind": "bounds", "message": pair.reasons[-1]}
        else:
            # What was there and is gone had been copied, however far the mirror says it had come.
            pair.mirrored_through = None
            pair.target_cut = True
    if end < area[0] and side == "source":
        # An empty range would pass for proven.
        pair.error = {
            "kind": "bounds",
            "message": f"the source begins at {area[0]}, behind the bound {end}: nothing is left to compare",
        }
        pair.reasons.append(pair.error["message"])
    area[1] = max(area[0], min(end, area[1]))
    if side == "source":
        pair.source_bounded = True
    else:
        pair.copy_end = end
        pair.target_bounded = True
