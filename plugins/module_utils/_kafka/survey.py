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

INTERNAL = re.compile(r"__.*|.*\.checkpoints\.internal|mm2-(configs|offsets|status|offset-syncs)\..*|(.*\.)?heartbeats")


def names(client, pattern):
    """Topics whose whole name matches, without Kafka's and MirrorMaker's own. :raises UsageError: not a regular expression."""
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise UsageError("The pattern of topics is not a regular expression", found="%r: %s" % (pattern, error)) from error
    return sorted(name for name in client.metadata().topics if wanted.fullmatch(name) and not INTERNAL.fullmatch(name))


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
                if error.facts.get("code") == "UNKNOWN_TOPIC_OR_PART":
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


def offsets(client, partitions, spec="end", isolation="read_committed"):
    """``{(topic, partition): offset}``: ``start`` the log start, ``end`` the last stable offset (or high watermark if uncommitted).

    Partitions that are gone are left out.
    """
    wanted = OffsetSpec.earliest() if spec == "start" else OffsetSpec.latest()
    level = IsolationLevel.READ_COMMITTED if isolation == "read_committed" else IsolationLevel.READ_UNCOMMITTED
    found = {}
    partitions = list(partitions)

    def ask(request):
        futures = client.ask("list offsets", lambda: client.admin.list_offsets(request, isolation_level=level, request_timeout=client.timeout))
        for part, future in futures.items():
            try:
                found[(part.topic, part.partition)] = client.result(future, "list the %s of topic %s" % (spec, part.topic)).offset
            except KafkaDrError as error:
                if error.facts.get("code") != "UNKNOWN_TOPIC_OR_PART":
                    raise

    for at in range(0, len(partitions), 2000):
        asked = {TopicPartition(topic, number): wanted for topic, number in partitions[at: at + 2000]}
        client.while_leaders_change(lambda asked=asked: ask(asked))
    return found


def survey(client, topics):
    """As :func:`describe`, with ``bounds: {partition: (log start, last stable offset)}``."""
    found = describe(client, topics)
    everything = [(topic, number) for topic, one in found.items() for number in one["partitions"]]
    ends, starts = offsets(client, everything, "end"), offsets(client, everything, "start")
    for topic, one in found.items():
        one["bounds"] = {
            number: (starts[(topic, number)], max(ends[(topic, number)], starts[(topic, number)]))
            for number in one["partitions"] if (topic, number) in starts and (topic, number) in ends
        }
    return found
