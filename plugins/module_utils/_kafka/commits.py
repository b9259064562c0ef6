# SPDX-License-Identifier: GPL-3.0-or-later
"""Commit positions of consumer groups, many at once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial

try:
    from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
except ImportError:
    pass

from .._errors import KafkaDrError
from .client import KafkaClient
from .coordinators import COORDINATOR_MOVES, batches
from .offsets import Partition

TOO_LONG = "OFFSET_METADATA_TOO_LARGE"
Offsets = Mapping[str, Mapping[Partition, int]]
Texts = Mapping[str, Mapping[Partition, str]]


def commit_positions(client: KafkaClient, positions: Offsets, texts: Texts | None = None) -> dict[str, KafkaDrError]:
    """Commit ``{group: {(topic, partition): offset}}``, asking again while a coordinator is being elected or loads.

    Brokers refuse groups that have members.

    :param texts: metadata to be committed with them, in the same form.
    :returns: ``{group: error}`` of groups that were not committed, or only in part; in its fact ``places`` the
        partitions that were refused, where the group as a whole was not.
    """
    end = time.monotonic() + client.timeout
    failed = _commit_once(client, positions, texts or {})
    while time.monotonic() < end:
        again = {
            name: positions[name] for name, error in failed.items() if error.facts.get("code") in COORDINATOR_MOVES
        }
        if not again:
            break
        time.sleep(0.2)
        failed = {
            **{name: error for name, error in failed.items() if name not in again},
            **_commit_once(client, again, texts or {}),
        }
    return failed


def _commit_once(client: KafkaClient, positions: Offsets, texts: Texts) -> dict[str, KafkaDrError]:
    failed = {}
    for some in batches(positions):
        futures: dict[str, Future] = {}
        for name in some:
            mine = texts.get(name, {})
            places = [
                TopicPartition(*key, offset, mine[key]) if mine.get(key) else TopicPartition(*key, offset)
                for key, offset in sorted(positions[name].items())
            ]
            asked = [ConsumerGroupTopicPartitions(name, places)]
            futures.update(
                client.ask(
                    "commit positions",
                    partial(client.admin.alter_consumer_group_offsets, asked, request_timeout=client.timeout),
                )
            )
        for name, future in futures.items():
            what = f"commit the positions of group '{name}'"
            try:
                answer = client.result(future, what)
                refused = [place for place in answer.topic_partitions if place.error is not None]
                if refused:
                    error = client.translate(KafkaException(refused[0].error), what)
                    error.facts["places"] = [(place.topic, place.partition) for place in refused]
                    raise error
            except KafkaDrError as error:
                failed[name] = error
    return failed
