# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics as a cluster describes them, read in a handful of batched requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, TypedDict

try:
    from confluent_kafka import TopicCollection
    from confluent_kafka.admin import AclOperation, ConfigResource, ResourceType
except ImportError:
    pass

from .._errors import AuthorizationError, KafkaDrError, RefusedError
from .._mm2.names import left_out_beside
from .._values.listing import named
from .._values.pattern import matching
from .._values.portions import portions
from .._values.sendable import sendable
from .client import KafkaClient
from .offsets import UNKNOWN, list_offsets

TOPICS_A_REQUEST = 500
# The topics of Kafka's own coordinators.
COORDINATORS_TOPICS = ("__consumer_offsets", "__transaction_state")
# What limits how long records of a topic are kept.
RETENTION = ("retention.ms", "retention.bytes")
# KIP-226, ConfigEntry.ConfigSource: the value was set on the topic itself.
DYNAMIC_TOPIC_CONFIG = 1


class TopicDescription(TypedDict):
    """One topic: ``in_sync`` is the smallest number of in-sync replicas among its partitions, ``without_leader`` the
    number of those that no broker leads.
    """

    id: str
    partitions: int
    replication_factor: int
    in_sync: int
    without_leader: int


class TopicSurvey(TypedDict):
    """One topic as a comparison needs it: the numbers of its partitions, every config in effect, and by partition the
    log start and the last stable offset.
    """

    topic_id: str
    partitions: list[int]
    config: dict[str, Any]
    bounds: dict[int, tuple[int, int]]


def topic_names(client: KafkaClient, pattern: str, leave_out: Callable[[str], bool] | None = None) -> list[str]:
    """Topics of the cluster whose whole name matches, sorted.

    :param leave_out: which topics are left out; None stands for :func:`.names.left_out_beside` the pattern.
    :raises UsageError: the pattern is not a regular expression.
    """
    leave_out = left_out_beside(pattern) if leave_out is None else leave_out
    return [name for name in matching(client.metadata().topics, pattern, "topics") if not leave_out(name)]


def of_coordinators(topic: str) -> bool:
    """Whether Kafka's own coordinators keep their state in the topic."""
    return topic in COORDINATORS_TOPICS


def describe_topics(client: KafkaClient, names: Collection[str]) -> dict[str, TopicDescription]:
    """``{topic: description}``; topics that do not exist are left out.

    :raises KafkaDrError: a topic has no answer; a partial answer is never returned.
    """
    found, hidden = _described(client, names)
    if hidden:
        raise next(iter(hidden.values()))
    return found


def visible_topics(client: KafkaClient, names: Collection[str]) -> tuple[dict[str, TopicDescription], set[str]]:
    """As :func:`describe_topics`, and the names of those that the client's principal may not describe.

    :raises KafkaDrError: a topic has no answer.
    """
    found, hidden = _described(client, names)
    return found, set(hidden)


def _described(
    client: KafkaClient, names: Collection[str]
) -> tuple[dict[str, TopicDescription], dict[str, AuthorizationError]]:
    """Descriptions, and the refusals of topics that the client's principal may not describe."""
    found: dict[str, TopicDescription] = {}
    hidden: dict[str, AuthorizationError] = {}
    for name, future in _asked_about(client, names):
        try:
            topic = client.result(future, f"describe topic '{name}'")
        except AuthorizationError as error:
            hidden[name] = error
            continue
        except KafkaDrError as error:
            if error.facts.get("code") == UNKNOWN:
                continue
            raise
        found[name] = {
            "id": str(topic.topic_id),
            "partitions": len(topic.partitions),
            "replication_factor": len(topic.partitions[0].replicas) if topic.partitions else 0,
            "in_sync": min((len(partition.isr) for partition in topic.partitions), default=0),
            "without_leader": sum(partition.leader is None for partition in topic.partitions),
        }
    return found, hidden


def hidden_topics(client: KafkaClient, names: Collection[str]) -> list[str]:
    """Those of the topics that the client's principal may not describe, sorted: Kafka leaves them out of its list of
    topics, and does not tell whether they exist.

    :raises KafkaDrError: a topic has no answer.
    """
    return sorted(_described(client, names)[1])


def refuse_hidden(client: KafkaClient, names: Collection[str]) -> None:
    """Refuse to take topics for gone that the client's principal may not describe.

    :raises RefusedError: one is hidden. :raises KafkaDrError: a topic has no answer.
    """
    hidden = hidden_topics(client, names)
    if hidden:
        raise RefusedError(
            f"Whether {client.name} has topic {named(hidden)} is not known",
            expected="to be allowed to DESCRIBE it",
            found="that Kafka hides it from this principal",
            remedy="Grant the stages' principal DESCRIBE on all topics there, and run this again",
        )


def not_writable(client: KafkaClient, names: Collection[str]) -> list[str]:
    """Those of the topics that the client's principal may not write to, as a broker tells it (KIP-430).

    :raises KafkaDrError: a topic has no answer.
    """
    lacking = []
    for name, future in _asked_about(client, names, include_authorized_operations=True):
        found = client.result(future, f"ask what may be done with topic '{name}'").authorized_operations
        # Brokers without an authorizer let everybody do everything, and say so.
        if AclOperation.WRITE not in (found or ()):
            lacking.append(name)
    return sorted(lacking)


def _asked_about(client: KafkaClient, names: Collection[str], **more: bool) -> Iterator[tuple[str, Any]]:
    """Each topic with the future of its description.

    :param more: what the descriptions have besides, as ``AdminClient.describe_topics`` takes it.
    """
    for some in _batches(names):
        ask = partial(client.admin.describe_topics, TopicCollection(some), request_timeout=client.timeout, **more)
        yield from client.ask("describe topics", ask).items()


def topic_configs(client: KafkaClient, names: Collection[str]) -> dict[str, dict[str, Any]]:
    """``{topic: {key: value}}`` of what was set on the topic itself, without defaults."""
    return {name: own_values(entries) for name, entries in config_entries(client, names).items()}


def effective_configs(
    client: KafkaClient, names: Collection[str], keys: Collection[str] | None = None
) -> dict[str, dict[str, Any]]:
    """``{topic: {key: value}}`` of the configs in effect, brokers' defaults included: two clusters with the same
    settings may have different defaults.

    :param keys: the configs to return; None returns all.
    """
    return {name: values(entries, keys) for name, entries in config_entries(client, names).items()}


def own_values(entries: Mapping[str, Any]) -> dict[str, Any]:
    """``{key: value}`` of the entries that were set on the topic itself."""
    return {key: entry.value for key, entry in entries.items() if entry.source == DYNAMIC_TOPIC_CONFIG}


def values(entries: Mapping[str, Any], keys: Collection[str] | None = None) -> dict[str, Any]:
    """``{key: value}`` of the entries in effect. :param keys: the configs to return; None returns all."""
    return {key: entry.value for key, entry in entries.items() if keys is None or key in keys}


def config_entries(client: KafkaClient, names: Collection[str]) -> dict[str, dict[str, Any]]:
    """``{topic: {key: ConfigEntry}}`` of every config in effect."""
    found = {}
    for some in _batches(names):
        resources = [ConfigResource(ResourceType.TOPIC, name) for name in some]
        futures = client.ask(
            "read topic configs", partial(client.admin.describe_configs, resources, request_timeout=client.timeout)
        )
        for resource, future in futures.items():
            found[resource.name] = client.result(future, f"read the configs of topic '{resource.name}'")
    return found


def _batches(names: Collection[str]) -> Iterator[list[str]]:
    return portions(sendable(names, "topic"), TOPICS_A_REQUEST)


def survey_topics(client: KafkaClient, names: Collection[str]) -> dict[str, TopicSurvey]:
    """``{topic: survey}``; topics that do not exist are left out.

    :raises KafkaDrError: a partition that was described a moment ago has no bounds; without them it would look empty.
    """
    described = describe_topics(client, names)
    configs = effective_configs(client, list(described))
    everything = [(name, number) for name, topic in described.items() for number in range(topic["partitions"])]
    ends = list_offsets(client, everything, "end", gone="waited for")
    starts = list_offsets(client, everything, "start", gone="waited for")
    return {
        name: {
            "topic_id": topic["id"],
            "partitions": list(range(topic["partitions"])),
            "config": configs[name],
            "bounds": {
                number: (starts[(name, number)], max(ends[(name, number)], starts[(name, number)]))
                for number in range(topic["partitions"])
            },
        }
        for name, topic in described.items()
    }
