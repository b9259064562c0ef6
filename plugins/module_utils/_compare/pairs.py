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
        self.target_end = target_bounds[1]
        self.mirrored_through, self.held = None, None
        self.target_moved = False
        self.left, self.right = Chunks(), Chunks()
        self.reasons, self.error, self.result = [], None, None
        self.attempts = 0

    def head(self, now):
        """What may excuse a missing head, see :mod:`.excuses`. :param now: ms."""
        return {
            "at": self.held["at"] if self.held else now, "deleted": self.held["start"] if self.held else self.target_started, "held": bool(self.held),
            "retention_ms": self.topic.retention_ms, "retention_bytes": self.topic.retention_bytes, "end": self.target_end,
        }


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
        self.retention_ms, self.retention_bytes = (self._limit(source["config"], name) for name in ("retention.ms", "retention.bytes"))
        self.partition_difference = bool(target) and len(source["partitions"]) != len(target["partitions"])
        if target is None:
            self.reasons.append("the topic is missing on the target")
        elif self.partition_difference:
            self.reasons.append("%d partitions on the source, %d on the target" % (len(source["partitions"]), len(target["partitions"])))
        self.pairs = []


    def _limit(self, config, name):
        value = int(config.get(name) or -1)
        return value if "delete" in self.mode and value >= 0 else None


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
    :param bounds: see :func:`check_bounds`; any part optional.
    """
    bounds, made = bounds or {}, []
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
            pair.mirrored_through = _given(bounds.get("mirrored_through"), name, number)
            if bounds.get("held"):
                pair.held = {"at": bounds["held"]["at"], "start": _given(bounds["held"]["starts"], name, number)}
            topic.pairs.append(pair)
        _refuse_strangers(topic, bounds, numbers)
        made.append(topic)
    return made


def _refuse_strangers(topic, bounds, numbers):
    """A bound of a partition that nobody has is not passed over."""
    for side, shown, place in (("source", topic.name, "on the source"), ("target", topic.target_name, "on the target"),
                               ("mirrored_through", topic.name, "that the mirror had copied")):
        strangers = sorted(set(map(str, bounds.get(side, {}).get(shown, {}))) - set(map(str, numbers)), key=int)
        if strangers:
            topic.not_provable = True
            topic.reasons.append("a bound is given for partition %s %s, which neither side has" % (", ".join(strangers), place))


def _given(offsets, name, number):
    """The offset given for a partition, or None; numbers of partitions are texts where they come from JSON."""
    ends = (offsets or {}).get(name) or {}
    return ends.get(str(number), ends.get(number))


def _bound(pair, side, bounds, name):
    end = _given(bounds.get(side), name, pair.number)
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
    """The content of a bounds file, or UsageError.

    ``source``, ``target``: ends of either side by its names; ``mirrored_through``: by the source's names, the offset below which everything had been copied;
    ``held``: ``at`` (ms) and ``starts`` (log starts of the backup by the source's names) when deletion in the backup was held off.
    """
    sound = isinstance(bounds, dict) and not set(bounds) - {"source", "target", "mirrored_through", "held"}
    if sound and "held" in bounds:
        held = bounds["held"]
        sound = isinstance(held, dict) and set(held) == {"at", "starts"} and _whole(held["at"]) and _offsets(held["starts"])
    if not sound or not all(_offsets(part) for name, part in bounds.items() if name != "held"):
        raise UsageError("The bounds are not valid", expected='{"source": {"topic": {"0": end}}, "target": {...}, "mirrored_through": {...}, '
                         '"held": {"at": milliseconds, "starts": {...}}}, all of them whole numbers', found=bounds)
    return bounds


def _offsets(part):
    return isinstance(part, dict) and all(
        isinstance(ends, dict) and all(_whole(end) and str(number).isdigit() for number, end in ends.items()) for ends in part.values())


def _whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
