# SPDX-License-Identifier: GPL-3.0-or-later
"""Take committed positions away from consumer groups (OffsetDelete, KIP-496). librdkafka's client for Python does not
have the request, so kafka-python sends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

try:
    from kafka.errors import for_code
    from kafka.protocol.consumer import OffsetDeleteRequest
except ImportError:
    pass

from .._errors import KafkaDrError
from .client import KafkaClient
from .coordinators import described, once_loaded
from .groups import delete_groups, group_positions
from .offsets import Partition
from .python_client import PythonClient, require_library


def remove_positions(client: KafkaClient, places: Mapping[str, Mapping[Partition, int]]) -> None:
    """Take the positions ``{group: {(topic, partition): offset}}`` away. A group that has no others is deleted, which
    takes no other library. Brokers refuse where a group has members.

    :raises KafkaDrError: a group keeps some; kafka-python is not installed, or cannot log in, and is needed.
    """
    held = group_positions(client, places)
    whole = [group for group, mine in places.items() if set(held.get(group, ())) <= set(mine)]
    parts = {group: mine for group, mine in places.items() if group not in whole}
    if parts:
        require_library(client, "take positions away")
        with PythonClient(client) as connection:
            for group, mine in sorted(parts.items()):
                once_loaded(client, partial(_remove, connection, group, mine))
    delete_groups(client, whole)
    _read_back(client, places)


def _read_back(client: KafkaClient, places: Mapping[str, Mapping[Partition, int]]) -> None:
    for group, held in group_positions(client, places).items():
        still = sorted(set(held) & set(places[group]))
        if still:
            raise KafkaDrError(
                f"Group '{group}' keeps a position on {client.name}",
                expected="none to be read back",
                found="{}-{} at {}".format(*still[0], held[still[0]]),
                remedy="See that the mirror is stopped and no consumer runs, then run this again",
            )


def _remove(connection: PythonClient, group: str, places: Mapping[Partition, int]) -> None:
    client, what = connection.client, f"take positions of group '{group}' away"
    found = next((mine for dummy, mine in described(client, [group])), None)
    if found is None:
        return  # it is gone meanwhile, and its positions with it
    error = _answered(connection.ask(_request(group, places), what, found.coordinator.id))
    if error is not None:
        message = f"Cannot {what} on {client.name}"
        raise KafkaDrError(message, expected="no members", found=error.__name__, code=error.message)


def _request(group: str, places: Mapping[Partition, int]) -> Any:
    topic_of = OffsetDeleteRequest.OffsetDeleteRequestTopic
    by_topic: dict[str, list[Any]] = {}
    for name, number in sorted(places):
        by_topic.setdefault(name, []).append(topic_of.OffsetDeleteRequestPartition(partition_index=number))
    return OffsetDeleteRequest(
        group_id=group, topics=[topic_of(name=name, partitions=numbers) for name, numbers in by_topic.items()]
    )


def _answered(answer: Any) -> Any:
    """kafka-python's class of the first error in an answer; its ``message`` is the error's name in Kafka. None where
    there is none.
    """
    codes = [answer.error_code, *(place.error_code for topic in answer.topics for place in topic.partitions)]
    return next((for_code(code) for code in codes if code), None)
