# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What a cluster holds: topics by pattern, their ids, configurations and bounds, in a handful of requests however many they are."""

from __future__ import annotations

import re

try:
    from confluent_kafka import IsolationLevel, TopicCollection, TopicPartition
    from confluent_kafka.admin import ConfigResource, OffsetSpec, ResourceType
except ImportError:
    pass

from .._errors import KafkaDrError, UsageError
from .._mm2.names import is_own

UNKNOWN = "UNKNOWN_TOPIC_OR_PART"


def names(client, pattern):
    """Topics whose whole name matches, without those that are nobody's data (:func:`.names.is_own`). :raises UsageError: not a regular expression."""
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise UsageError("The pattern of topics is not a regular expression", found="%r: %s" % (pattern, error)) from error
    return sorted(name for name in client.metadata().topics if wanted.fullmatch(name) and not is_own(name))


def describe(client, topics):
    """``{topic: {"topic_id", "partitions": [numbers], "config": {name: value}}}``; what does not exist is left out."""
    found = {}
    for at in range(0, len(topics), 500):
        part = TopicCollection(topics[at: at + 500])
        futures = client.ask("describe topics", lambda part=part: client.admin.describe_topics(part, request_timeout=client.timeout))
        for topic, future in futures.items():
            try:
                one = client.result(future, "describe topic %s" % topic)
            except KafkaDrError as error:
                if error.facts.get("code") == UNKNOWN:
                    continue
                raise
            found[topic] = {"topic_id": str(one.topic_id), "partitions": sorted(part.id for part in one.partitions), "config": {}}
    resources = [ConfigResource(ResourceType.TOPIC, topic) for topic in found]
    for at in range(0, len(resources), 500):
        part = resources[at: at + 500]
        futures = client.ask("describe configs", lambda part=part: client.admin.describe_configs(part, request_timeout=client.timeout))
        for resource, future in futures.items():
            entries = client.result(future, "describe the configuration of topic %s" % resource.name)
            found[resource.name]["config"] = {entry.name: entry.value for entry in entries.values()}
    return found


def offsets(client, partitions, spec="end", isolation="read_committed", gone="left out"):
    """``{(topic, partition): offset}``: ``start`` the log start, ``end`` the last stable offset (or high watermark if uncommitted).

    Asked again while a partition gets its leader, or another one.

    :param partitions: pairs of topic and number.
    :param gone: what becomes of a partition that nobody knows: ``left out``, an ``error``, or ``waited for``.
    """
    wanted = OffsetSpec.earliest() if spec == "start" else OffsetSpec.latest()
    level = IsolationLevel.READ_COMMITTED if isolation == "read_committed" else IsolationLevel.READ_UNCOMMITTED
    found = {}
    partitions = list(partitions)

    def ask(request):
        futures = client.ask("list offsets", lambda: client.admin.list_offsets(request, isolation_level=level, request_timeout=client.timeout))
        for part, future in futures.items():
            try:
                offset = client.result(future, "list the %s of '%s' partition %d" % (spec, part.topic, part.partition)).offset
                found[(part.topic, part.partition)] = offset
            except KafkaDrError as error:
                if gone != "left out" or error.facts.get("code") != UNKNOWN:
                    raise

    for at in range(0, len(partitions), 2000):
        asked = {TopicPartition(topic, number): wanted for topic, number in partitions[at: at + 2000]}
        client.while_leaders_change(lambda asked=asked: ask(asked), also=(UNKNOWN,) if gone == "waited for" else ())
    return found


def survey(client, topics):
    """As :func:`describe`, with ``bounds: {partition: (log start, last stable offset)}`` for every partition.

    :raises KafkaDrError: a partition that was described a moment ago does not tell its bounds; without them it would pass for empty.
    """
    found = describe(client, topics)
    everything = [(topic, number) for topic, one in found.items() for number in one["partitions"]]
    ends, starts = offsets(client, everything, "end", gone="waited for"), offsets(client, everything, "start", gone="waited for")
    for topic, one in found.items():
        one["bounds"] = {number: (starts[(topic, number)], max(ends[(topic, number)], starts[(topic, number)])) for number in one["partitions"]}
    return found
