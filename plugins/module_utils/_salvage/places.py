# SPDX-License-Identifier: GPL-3.0-or-later
"""The topics of the active region that records are written to: whether they may be, and that they are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import AuthorizationError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.offsets import topic_offsets
from .._kafka.reader import read
from .._kafka.topic_changes import ensure_topics
from .._kafka.topics import describe_topics, effective_configs, not_writable, topic_configs
from .._proof.comparison import Comparison
from .._proof.pairs import Pair, Topic
from .._values.listing import named
from .._values.topic_name import LONGEST
from . import actions, progress
from .choice import Choice
from .writing import Work

# They would refuse records for their age.
LEFT_OUT = ("message.timestamp.before.max.ms", "message.timestamp.after.max.ms")
# Whatever the copy's own are: nothing that was salvaged is to expire, and a record has the time that it had.
KEPT = {
    "cleanup.policy": "delete",
    "retention.ms": "-1",
    "retention.bytes": "-1",
    "message.timestamp.type": "CreateTime",
}


class Place(NamedTuple):
    """A topic to write to, and the largest batch that it takes."""

    topic_id: str
    limit: int


def refuse(comparison: Comparison, by_topic: Mapping[str, str], choices: Mapping[Pair, Choice]) -> None:
    """What cannot be written back, before anything is. :raises RefusedError: there is something."""
    for pair, choice in choices.items():
        if by_topic[pair.topic.name] != actions.REPLAY or not len(choice.wanted):
            continue
        name, target = f"{pair.topic.name}-{pair.number}", pair.topic.target
        if target is None or pair.number not in target["partitions"]:
            raise RefusedError(
                f"Records of {name} cannot be replayed",
                expected=f"'{pair.topic.target_name}' with partition {pair.number} on {comparison.target.name}",
                found="no such topic" if target is None else f"{len(target['partitions'])} partitions",
                remedy=f"Give {pair.topic.name} the action export or side_topic",
            )
        if choice.unsure:
            raise RefusedError(
                f"Records of {name} cannot be replayed",
                expected="to know which of them had been copied",
                found=choice.reasons[-1],
                remedy=f"Give {pair.topic.name} the action export or side_topic",
            )


def prepare(
    client: KafkaClient, comparison: Comparison, by_topic: Mapping[str, str], choices: Mapping[Pair, Choice]
) -> dict[str, Place]:
    """The places by name, made where they are missing.

    :raises AuthorizationError: the client's principal may not write to one.
    """
    topics = {
        pair.topic.name: pair.topic
        for pair, choice in choices.items()
        if by_topic[pair.topic.name] in actions.WRITING and len(choice.wanted)
    }
    sides = [topic for name, topic in topics.items() if by_topic[name] == actions.SIDE_TOPIC]
    replayed = [topic.target_name for name, topic in topics.items() if by_topic[name] == actions.REPLAY]
    _refuse_without_right(client, replayed)
    progress.ensure_topic(client)
    if sides:
        _refuse_others(client, sides)
        _make(client, sides)
    names = [*replayed, *(actions.destination(actions.SIDE_TOPIC, topic.target_name) for topic in sides)]
    _refuse_without_right(client, [*names, progress.TOPIC])
    described = describe_topics(client, names)
    configs = effective_configs(client, names, ("max.message.bytes",))
    return {name: Place(described[name]["id"], int(configs[name]["max.message.bytes"])) for name in names}


def _refuse_without_right(client: KafkaClient, names: list[str]) -> None:
    lacking = not_writable(client, names)
    if lacking:
        who = client.config.get("sasl.username") or "The principal"
        raise AuthorizationError(
            f"{who} may not write to {named(lacking)} on {client.name}",
            expected="the right WRITE on each of these topics",
            found="none",
            remedy="Grant it for the time of the salvage, or give these topics the action export",
        )


def _refuse_others(client: KafkaClient, topics: list[Topic]) -> None:
    """A topic of an application may have the name. :raises RefusedError: one holds records that no salvage wrote."""
    names = {actions.destination(actions.SIDE_TOPIC, topic.target_name): topic.name for topic in topics}
    for name, source in names.items():
        if len(name) > LONGEST:
            raise RefusedError(
                f"'{name}' is no name for a topic",
                expected=f"at most {LONGEST} characters",
                found=len(name),
                remedy=f"Give {source} the action export or replay",
            )
    found = describe_topics(client, list(names))
    ours = (
        {portion.target_topic_id for part in progress.read_all(client).values() for portion in part.portions}
        if found
        else {}
    )
    for name, described in found.items():
        if described["id"] in ours:
            continue
        ends = topic_offsets(client, {name: described["partitions"]})[name]
        ranges = [(name, int(number), bounds["start"], bounds["stable"]) for number, bounds in ends.items()]
        # What a run that was killed has begun is aborted, and nobody reads it.
        if any(messages for dummy, messages in read(client, ranges, timeout=client.timeout)):
            raise RefusedError(
                f"'{name}' on {client.name} holds records that no salvage wrote",
                expected="no such topic, or one that a salvage has made",
                found=f"a topic of {described['partitions']} partitions",
                remedy=f"Give {names[name]} the action export or replay",
            )


def _make(client: KafkaClient, topics: list[Topic]) -> None:
    """Side topics with the copies' settings, but for those that would delete or change a record."""
    copies = [topic.target_name for topic in topics if topic.target is not None]
    described, configs = describe_topics(client, copies), topic_configs(client, copies)
    wanted: list[dict[str, Any]] = []
    for topic in topics:
        own = configs.get(topic.target_name) or {}
        known = described.get(topic.target_name)
        wanted.append(
            {
                "name": actions.destination(actions.SIDE_TOPIC, topic.target_name),
                "partitions": len(topic.source["partitions"]),
                "replication_factor": known["replication_factor"] if known else None,
                "configs": {**{key: value for key, value in own.items() if key not in LEFT_OUT}, **KEPT},
            }
        )
    ensure_topics(client, wanted, "present", False)


def work(pair: Pair, action: str, choice: Choice, found: Mapping[str, Place], region: str) -> Work:
    """What is to be done with one partition."""
    name = actions.destination(action, pair.topic.target_name)
    place = found.get(name, Place("", 0))
    return Work(
        region,
        pair.topic.name,
        pair.topic.source["topic_id"],
        pair.number,
        action,
        name,
        place.topic_id,
        place.limit,
        choice.wanted.tolist(),
    )
