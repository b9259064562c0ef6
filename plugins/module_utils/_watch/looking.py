# SPDX-License-Identifier: GPL-3.0-or-later
"""Which partitions are watched: topics of both sides, their ids, and why some are not watched."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from .._kafka.topics import (
    TopicDescription,
    describe_topics,
    effective_configs,
    hidden_topics,
    topic_names,
    visible_topics,
)
from .._mm2.names import left_out_beside
from .._proof import renaming
from .._proof.sides import KafkaSide, copied_of
from .expiring import KEEPS_ALL, Retention, longer, retention
from .reasons import COMPACTED, HIDDEN, HIDDEN_COPY, LEADERLESS, STAMPED, UNASKED
from .state import Partition

CONFIGS = ("cleanup.policy", "message.timestamp.type", "retention.ms", "retention.bytes")


@dataclass(frozen=True)
class Pairing:
    """One partition on both sides; ids are empty where a side has no such topic, or not that partition.

    :ivar retention: what the target may delete of the copy by itself, as the longer of both sides' policies has it.
    """

    target_topic: str
    source_id: str
    target_id: str
    retention: Retention = KEEPS_ALL


@dataclass
class Survey:
    """What there is to watch.

    :ivar not_watched: ``{topic: reason}``. :ivar source_ids: ``{topic: id}`` of those of them that the source lists.
    """

    partitions: dict[Partition, Pairing]
    not_watched: dict[str, str]
    source_ids: dict[str, str] = field(default_factory=dict)


def look(
    source: KafkaSide,
    target: KafkaSide,
    pattern: str,
    rename: str,
    known: Collection[str] = (),
    without_leader: bool = False,
    deleted: Collection[str] = (),
) -> Survey:
    """Topics that the source lists now, paired with the target's.

    :param known: names of the source that were watched before.
    :param without_leader: leave out topics of which no broker leads a partition; a change of leaders is over by now.
    :param deleted: those of the known ones that the source did not list any more.
    :raises KafkaDrError: a topic has no answer: what is not described is not absent.
    """
    rule = renaming.rename(rename)
    names = topic_names(source.client, pattern)
    on_source = describe_topics(source.client, names)
    on_target, hidden_copies = visible_topics(target.client, sorted({rule(name) for name in on_source}))
    source_configs = effective_configs(source.client, list(on_source), CONFIGS)
    target_configs = effective_configs(target.client, list(on_target), CONFIGS)
    outside = _outside(pattern, known)
    hidden = _hidden(source, target, pattern, rename, {*known} - outside, names)
    survey = Survey({}, {**dict.fromkeys(_unasked(source, outside, deleted), UNASKED), **dict.fromkeys(hidden, HIDDEN)})
    for name, topic in on_source.items():
        copy = on_target.get(rule(name))
        # What it cannot stand for comes first: it may be looked at again, and that would not show.
        reason = _why_not(source_configs[name], target_configs.get(rule(name), {}), topic, copy)
        leaderless = any(found["without_leader"] for found in (topic, copy) if found is not None)
        if reason is None and (rule(name) in hidden_copies or (without_leader and leaderless)):
            reason = HIDDEN_COPY if rule(name) in hidden_copies else LEADERLESS
        if reason is not None:
            survey.not_watched[name], survey.source_ids[name] = reason, topic["id"]
            continue
        kept = longer(retention(target_configs[rule(name)]), retention(source_configs[name])) if copy else KEEPS_ALL
        survey.partitions.update(_paired(name, topic, rule(name), copy, kept))
    return survey


def _paired(
    name: str, topic: TopicDescription, copied_as: str, copy: TopicDescription | None, kept: Retention
) -> dict[Partition, Pairing]:
    """A topic's partitions, paired with those that its copy has."""
    found = {}
    for number in range(topic["partitions"]):
        there = copy is not None and number < copy["partitions"]
        copy_id = copy["id"] if copy and there else ""
        found[name, number] = Pairing(copied_as, topic["id"], copy_id, kept if there else KEEPS_ALL)
    return found


def _outside(pattern: str, names: Collection[str]) -> set[str]:
    """Those of the names that a pattern does not mean."""
    asked, leave_out = re.compile(pattern), left_out_beside(pattern)
    return {name for name in names if not asked.fullmatch(name) or leave_out(name)}


def _unasked(source: KafkaSide, outside: Collection[str], deleted: Collection[str]) -> set[str]:
    """Topics that were watched and are not asked for any more, but for those that had been deleted before."""
    before = {*outside} & {*deleted}
    return {*outside} - (before - {*source.client.metadata().topics}) if before else {*outside}


def _hidden(
    source: KafkaSide, target: KafkaSide, pattern: str, rename: str, known: Collection[str], listed: Collection[str]
) -> list[str]:
    """Topics that the source may have and does not list: those that were watched, and those that the target has."""
    unlisted = {*known, *copied_of(target, pattern, rename)} - {*listed}
    return hidden_topics(source.client, sorted(unlisted))


def _why_not(
    source: dict[str, str | None], target: dict[str, str | None], topic: TopicDescription, copy: TopicDescription | None
) -> str | None:
    """Why the two cannot be watched: their configs, or their partitions."""
    if any("compact" in (configs.get("cleanup.policy") or "") for configs in (source, target)):
        return COMPACTED
    if target.get("message.timestamp.type") == "LogAppendTime":
        return STAMPED
    if copy is not None and copy["partitions"] > topic["partitions"]:
        return f"{topic['partitions']} partitions on the source, {copy['partitions']} on the target"
    return None
