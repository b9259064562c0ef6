# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Which partition of the source belongs to which of the target, within which bounds, and what of that is already known."""

from __future__ import annotations

from .._digest.chunks import Chunks
from .._errors import UsageError
from .._mm2.names import HEARTBEATS


class Pair:
    """One partition on both sides: ranges, log starts, chunks, and what came of it."""

    def __init__(self, topic, number, source_bounds, target_bounds):
        self.topic, self.number = topic, number
        self.source_started, self.target_started = source_bounds[0], target_bounds[0]
        self.source_range, self.target_range = list(source_bounds), list(target_bounds)
        self.source_bounded = self.target_bounded = False
        self.target_moved = False
        self.left, self.right = Chunks(), Chunks()
        self.reasons, self.error, self.result = [], None, None
        self.attempts = 0


class Topic:
    """One topic on both sides. ``source``/``target``: survey entries, target None where it is missing."""

    def __init__(self, name, target_name, source, target, ignore_timestamps=False):
        self.name, self.target_name, self.source, self.target = name, target_name, source, target
        self.reasons, self.not_provable = [], False
        policy = source["config"].get("cleanup.policy") or "delete"
        self.mode = ",".join(sorted(part.strip() for part in policy.split(",")))
        self.timestamps = not ignore_timestamps
        config = target["config"] if target else {}
        if config.get("message.timestamp.type") == "LogAppendTime":
            self.timestamps = False
            if not ignore_timestamps:
                self.not_provable = True
                self.reasons.append("the target overwrites timestamps (LogAppendTime), so they cannot be compared; content and order were")
        retention = int(source["config"].get("retention.ms") or -1)
        self.retention_ms = retention if "delete" in self.mode and retention >= 0 else None
        self.partition_difference = bool(target) and len(source["partitions"]) != len(target["partitions"])
        if target is None:
            self.reasons.append("the topic is missing on the target")
        elif self.partition_difference:
            self.reasons.append("%d partitions on the source, %d on the target" % (len(source["partitions"]), len(target["partitions"])))
        self.pairs = []


def rename(rule):
    """The function from source to target names that the rule stands for.

    ``identity`` keeps every name; ``prefix:ALIAS.`` is the default replication policy; ``identity:ALIAS.`` is the identity policy, which puts the alias
    before names that end in ``heartbeats``.

    :raises UsageError: none of these.
    """
    kind, dummy, prefix = (rule or "identity").partition(":")
    if kind == "identity":
        return lambda name: prefix + name if prefix and name.endswith(HEARTBEATS) else name
    if kind == "prefix" and prefix:
        return lambda name: prefix + name
    raise UsageError("The rule to rename topics is not known", expected="identity, identity:ALIAS. or prefix:ALIAS.", found=rule)


def make(source_topics, target_topics, renamed, bounds, ignore_timestamps=False):
    """Topics with their pairs.

    :param source_topics, target_topics: survey entries by name.
    :param renamed: target name by source name.
    :param bounds: ``{"source": {topic: {partition: end}}, "target": …}``, names of either side, any part optional.
    """
    made = []
    for name in sorted(source_topics):
        source, target = source_topics[name], target_topics.get(renamed[name])
        topic = Topic(name, renamed[name], source, target, ignore_timestamps)
        numbers = sorted(set(source["partitions"]) | set(target["partitions"] if target else []))
        for number in numbers:
            pair = Pair(topic, number, source["bounds"].get(number, (0, 0)), target["bounds"].get(number, (0, 0)) if target else (0, 0))
            if target is not None and number not in target["partitions"]:
                pair.reasons.append("the partition is missing on the target")
            if number not in source["partitions"]:
                pair.reasons.append("the partition is missing on the source")
            _bound(pair, "source", bounds, name)
            _bound(pair, "target", bounds, renamed[name])
            topic.pairs.append(pair)
        for side, shown in (("source", name), ("target", renamed[name])):
            strangers = sorted(set(map(str, (bounds or {}).get(side, {}).get(shown, {}))) - set(map(str, numbers)), key=int)
            if strangers:
                topic.not_provable = True
                topic.reasons.append("a bound is given for partition %s on the %s, which neither side has" % (", ".join(strangers), side))
        made.append(topic)
    return made


def _bound(pair, side, bounds, name):
    ends = (bounds or {}).get(side, {}).get(name, {})
    end = ends.get(str(pair.number), ends.get(pair.number))
    if end is None:
        return
    area = getattr(pair, side + "_range")
    if end > area[1]:
        pair.reasons.append("the %s ends at %d, before the bound %d" % (side, area[1], end))
        pair.error = {"kind": "bounds", "message": pair.reasons[-1]} if side == "source" else None
    if end < area[0] and side == "source":
        # An empty range would pass for proven.
        pair.error = {"kind": "bounds", "message": "the source begins at %d, behind the bound %d: nothing is left to compare" % (area[0], end)}
        pair.reasons.append(pair.error["message"])
    area[1] = max(area[0], min(end, area[1]))
    setattr(pair, side + "_bounded", True)


def check_bounds(bounds):
    """The content of a bounds file, or UsageError."""
    problem = not isinstance(bounds, dict) or set(bounds) - {"source", "target"}
    for side in (bounds or {}).values() if not problem else []:
        problem = problem or not isinstance(side, dict)
        for ends in side.values() if not problem else []:
            problem = problem or not isinstance(ends, dict) or any(
                not isinstance(end, int) or isinstance(end, bool) or end < 0 or not str(number).isdigit() for number, end in ends.items()
            )
    if problem:
        raise UsageError("The bounds are not valid", expected='{"source": {"topic": {"0": end}}, "target": {...}}, ends as whole numbers', found=bounds)
    return bounds
