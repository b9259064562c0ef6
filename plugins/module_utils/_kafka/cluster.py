# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""A cluster's state, read in a handful of batched requests."""

from __future__ import annotations

import re

try:
    from confluent_kafka import ConsumerGroupState, TopicCollection
    from confluent_kafka.admin import ConfigResource, ResourceType
except ImportError:
    pass

from .._errors import KafkaDrError, UsageError
from .acls import as_dict, describe_acls
from .groups import list_groups
from .survey import offsets as list_offsets

ASPECTS = ("topics", "configs", "offsets", "groups", "acls", "quotas")


def cluster_state(client, aspects, topics=".*", groups=".*"):
    """What the cluster holds, by aspect.

    :param aspects: any of :data:`ASPECTS`; ``configs`` and ``offsets`` imply ``topics``.
    :param topics: regular expression, whole name; names beginning with ``__consumer_offsets`` or ``__transaction_state`` are left out.
    :returns: ``cluster_id``, ``brokers``, ``topics{name: {id, partitions, replication_factor, configs{}, offsets{partition: {start, end, stable}}}}``,
        ``groups{name: {state, members[]}}``, ``acls[]`` in the form that :func:`.acls.flatten` reads, ``quotas[]`` in that of :func:`.quotas.flatten`.
    """
    metadata = client.metadata()
    state = {"cluster_id": metadata.cluster_id, "brokers": len(metadata.brokers)}
    wanted = matching([name for name in metadata.topics if name not in ("__consumer_offsets", "__transaction_state")], topics, "topics")
    if {"topics", "configs", "offsets"} & set(aspects):
        state["topics"] = describe_topics(client, wanted)
    if "configs" in aspects:
        for name, configs in topic_configs(client, wanted).items():
            state["topics"][name]["configs"] = configs
    if "offsets" in aspects:
        for name, offsets in topic_offsets(client, {name: one["partitions"] for name, one in state["topics"].items()}).items():
            state["topics"][name]["offsets"] = offsets
    if "groups" in aspects:
        state["groups"] = group_states(client, groups)
    if "acls" in aspects:
        state["acls"] = [as_dict(one) for one in describe_acls(client)]
    if "quotas" in aspects:
        # Its library takes a quarter of a second to load, which nobody else is to wait for.
        from .quotas import describe_quotas

        state["quotas"] = describe_quotas(client)
    return state


def matching(names, pattern, what):
    """The names that the regular expression matches whole, sorted.

    :raises UsageError: the expression is not valid.
    """
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise UsageError("The regular expression for %s is not valid" % what, found="'%s' (%s)" % (pattern, error)) from error
    return sorted(name for name in names if expression.fullmatch(name))


def describe_topics(client, names):
    """``{name: {id, partitions, replication_factor, in_sync}}``, the last the least of its partitions; names that do not exist are left out."""
    if not names:
        return {}
    futures = client.ask("describe topics", lambda: client.admin.describe_topics(TopicCollection(list(names)), request_timeout=client.timeout))
    found = {}
    for name, future in futures.items():
        try:
            one = client.result(future, "describe topic '%s'" % name)
        except KafkaDrError as error:
            if error.facts.get("code") == "UNKNOWN_TOPIC_OR_PART":
                continue
            raise
        found[name] = {
            "id": str(one.topic_id),
            "partitions": len(one.partitions),
            "replication_factor": len(one.partitions[0].replicas) if one.partitions else 0,
            "in_sync": min((len(part.isr) for part in one.partitions), default=0),
        }
    return found


def topic_configs(client, names):
    """``{topic: {key: value}}`` of what was set on the topic itself, defaults left out."""
    # Source 1 is DYNAMIC_TOPIC_CONFIG (KIP-226): set on the topic.
    return {name: {key: entry.value for key, entry in entries.items() if entry.source == 1} for name, entries in config_entries(client, names).items()}


def config_entries(client, names):
    """``{topic: {key: entry}}`` of every config as it holds, brokers' defaults included."""
    if not names:
        return {}
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    futures = client.ask("read topic configs", lambda: client.admin.describe_configs(resources, request_timeout=client.timeout))
    return {resource.name: client.result(future, "read the configs of topic '%s'" % resource.name) for resource, future in futures.items()}


def topic_offsets(client, partitions, gone="error"):
    """Log start, end and last stable offset of every partition.

    :param partitions: ``{topic: number of partitions}``.
    :param gone: as in :func:`.survey.offsets`.
    :returns: ``{topic: {partition as str: {start, end, stable}}}``.
    """
    every = [(topic, number) for topic, count in partitions.items() for number in range(count)]
    found = {topic: {str(number): {} for number in range(count)} for topic, count in partitions.items()}
    for key, spec, isolation in (("start", "start", "read_uncommitted"), ("end", "end", "read_uncommitted"), ("stable", "end", "read_committed")):
        for (topic, number), offset in list_offsets(client, every, spec, isolation, gone).items():
            found[topic][str(number)][key] = offset
    return found


def group_states(client, pattern=".*"):
    """``{group: {state, members[{id, host}]}}`` of the consumer groups whose whole name matches."""
    names = matching(list_groups(client), pattern, "groups")
    if not names:
        return {}
    futures = client.ask("describe groups", lambda: client.admin.describe_consumer_groups(names, request_timeout=client.timeout))
    found = {}
    for name, future in futures.items():
        one = client.result(future, "describe group '%s'" % name)
        if one.state == ConsumerGroupState.DEAD:
            continue
        found[name] = {"state": one.state.name, "members": [{"id": member.member_id, "host": member.host} for member in one.members]}
    return found
