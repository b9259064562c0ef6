# SPDX-License-Identifier: GPL-3.0-or-later
"""What the position witness asks the source."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection
from concurrent.futures import Future
from typing import Any

try:
    from askable import is_askable
except ImportError:
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.askable import is_askable

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec
from witness_settings import QUIET, Config

# Of topics, by partition.
Offsets = dict[str, dict[int, int]]

# So many requests for groups are under way together; beyond it librdkafka only queues them.
TOGETHER = 500


class Source:
    """The source's groups, asked all at once."""

    def __init__(self, config: Config) -> None:
        self.wanted, self.unwanted, self.topics = config["groups"], config["groups_exclude"], config["topics"]
        self.timeout = max(10, config["interval_seconds"] * 2)
        self.config = {**QUIET, **config["source"]}
        # What was committed with the positions of each group, as it was read last.
        self.texts: dict[str, dict[str, dict[int, str]]] = {}
        self.connect()

    def connect(self) -> None:
        """A new client. Requests that timed out while the region was away stay in the old one: seen with librdkafka
        2.16, it then answered nothing for more than a minute after the region's return, or ended the process
        ("rd_kafka_enq_once_del_source_return: Assertion").
        """
        self.admin = AdminClient(self.config)

    def cluster(self) -> str:
        """The id of the cluster that answers; empty where it says none."""
        return self.admin.describe_cluster(request_timeout=self.timeout).result(self.timeout + 5).cluster_id or ""

    def groups(self) -> list[str]:
        """Names of all consumer groups that can be asked about; raises where the source gave no whole answer."""
        listed = self.admin.list_consumer_groups(request_timeout=self.timeout).result(self.timeout + 5)
        if listed.errors:
            raise KafkaException(listed.errors[0])  # a KafkaError is no Exception and would end the program
        return sorted({one.group_id for one in listed.valid if is_askable(one.group_id)})

    def others(self, consumers: list[str]) -> list[str] | None:
        """Names of share groups and groups of the streams protocol, and those that cannot be asked about; None where
        that is not known.

        librdkafka's list of consumer groups leaves the first out. Its older request names groups of every kind, and
        calls these dead.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                listed = self.admin.list_groups(timeout=self.timeout)
        except KafkaException:
            return None
        if any(one.error is not None for one in listed):
            return None
        return sorted({one.id for one in listed if one.state == "Dead" or not is_askable(one.id)} - set(consumers))

    def watches(self, name: str) -> bool:
        """Whether the group is one to be watched."""
        return is_askable(name) and _matches(self.wanted, name) and not _matches(self.unwanted, name)

    def beside(self, listed: list[str]) -> list[str]:
        """Of the groups that are listed, those that are not watched and not left out either."""
        left = [name for name in listed if is_askable(name) and not self.watches(name)]
        return [name for name in left if not _matches(self.unwanted, name)]

    def ask_coordinators(self, names: list[str]) -> None:
        """Raise where the coordinator of one of these groups moves or is not loaded yet.

        A broker that is not the coordinator any more, or not again, ends the process that asks it for positions: the
        OffsetFetch of an admin client of librdkafka (its issue 5040). The description of a group does not. A group
        whose first member is only coming is listed as a consumer group, and may turn out to be Connect's; one of
        consumers may become Connect's, and keeps its positions.
        """
        for begin in range(0, len(names), TOGETHER):
            asked = self.admin.describe_consumer_groups(names[begin : begin + TOGETHER], request_timeout=self.timeout)
            for future in asked.values():
                _await_coordinator(future, self.timeout + 5)

    def positions(self, names: list[str]) -> dict[str, Offsets]:
        """``{group: {topic: {partition: offset}}}`` with one request a group, all under way together."""
        found = {}
        for begin in range(0, len(names), TOGETHER):
            asked = {
                name: self.admin.list_consumer_group_offsets(
                    [ConsumerGroupTopicPartitions(name)], request_timeout=self.timeout
                )[name]
                for name in names[begin : begin + TOGETHER]
            }
            for name, future in asked.items():
                found[name] = {}
                texts: dict[str, dict[int, str]] = {}
                answer = _unless_absent(future, self.timeout + 5)
                for one in answer.topic_partitions if answer is not None else ():
                    if one.error is not None:
                        raise KafkaException(one.error)
                    if one.offset >= 0:
                        found[name].setdefault(one.topic, {})[one.partition] = one.offset
                        if one.metadata:
                            texts.setdefault(one.topic, {})[one.partition] = one.metadata
                self.texts[name] = texts
        return found

    def ends(self) -> tuple[Offsets, Offsets]:
        """``{topic: {partition: last stable offset}}`` of the topics that are watched, and the ends of those logs that
        reach further.
        """
        listed = self.admin.list_topics(timeout=self.timeout).topics
        asked = {
            TopicPartition(name, number): OffsetSpec.latest()
            for name, one in listed.items()
            if _matches(self.topics, name) and not name.startswith("__")
            for number in one.partitions
        }
        if not asked:
            return {}, {}
        stable, ends = (
            self._ends(asked, level) for level in (IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED)
        )
        further = {
            topic: {number: end for number, end in numbers.items() if end > stable[topic][number]}
            for topic, numbers in ends.items()
        }
        return stable, {topic: numbers for topic, numbers in further.items() if numbers}

    def _ends(self, asked: dict[TopicPartition, OffsetSpec], level: IsolationLevel) -> Offsets:
        found: Offsets = {}
        answers = self.admin.list_offsets(asked, isolation_level=level, request_timeout=self.timeout)
        for here, future in answers.items():
            found.setdefault(here.topic, {})[here.partition] = future.result(self.timeout + 5).offset
        return found

    def topic_ids(self, topics: Collection[str]) -> dict[str, str]:
        """``{topic: id}`` of those that exist."""
        ids = {}
        for topic, future in (
            self.admin.describe_topics(TopicCollection(sorted(topics)), request_timeout=self.timeout) if topics else {}
        ).items():
            try:
                ids[topic] = str(future.result(self.timeout + 5).topic_id)
            except KafkaException as error:
                if error.args[0].name() != "UNKNOWN_TOPIC_OR_PART":
                    raise
        return ids


def _unless_absent(future: Future, seconds: float) -> Any:
    """The answer about a group; None where there is no such group."""
    try:
        return future.result(seconds)
    except KafkaException as error:
        if error.args[0].name() != "GROUP_ID_NOT_FOUND":
            raise
        return None


def _await_coordinator(described: Future, seconds: float) -> None:
    """Raise unless a group's coordinator has described it, or says that it is absent or one of another protocol."""
    try:
        _unless_absent(described, seconds)
    except KafkaException as error:
        # librdkafka's own answer for a group of another protocol; the code alone also says that the question was wrong.
        answer = error.args[0]
        if answer.code() != KafkaError._INVALID_ARG or "is not a consumer group" not in answer.str():
            raise


def _matches(expressions: list[re.Pattern[str]], name: str) -> bool:
    return any(one.fullmatch(name) for one in expressions)
