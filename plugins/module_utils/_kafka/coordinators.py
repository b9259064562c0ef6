# SPDX-License-Identifier: GPL-3.0-or-later
"""The coordinators of consumer groups: asked about many groups at once, and waited for while they move."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

try:
    from confluent_kafka import ConsumerGroupState
except ImportError:
    pass

from .._errors import KafkaDrError
from .._values.portions import portions
from .._values.sendable import sendable
from .client import KafkaClient

Answer = TypeVar("Answer")
GROUPS_AT_ONCE = 500
ABSENT = ("GROUP_ID_NOT_FOUND",)
# librdkafka's own answer for a group of another protocol; the code alone also says that the question was wrong.
UNLIKE, UNLIKE_TEXT = "_INVALID_ARG", "is not a consumer group"
COORDINATOR_MOVES = ("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS")


def described(client: KafkaClient, groups: Iterable[str], others: bool = False) -> Iterator[tuple[str, Any]]:
    """Name and description of each consumer group that exists.

    :param others: whether groups of another protocol may be among them, whose description is None. Kafka lists one of
        Connect's workers as a consumer group until its first member is in, and a consumer group's name can become one.
    :raises KafkaDrError: a group has no answer, or is of another protocol and may not be.
    """
    for some in batches(groups):
        futures = client.ask(
            "describe groups", partial(client.admin.describe_consumer_groups, some, request_timeout=client.timeout)
        )
        for name, future in futures.items():
            try:
                group = unless_absent(client, future, f"describe group '{name}'")
            except KafkaDrError as error:
                if not others or not _is_unlike(error):
                    raise
                yield name, None
                continue
            if group is not None and group.state != ConsumerGroupState.DEAD:
                yield name, group


def _is_unlike(error: KafkaDrError) -> bool:
    return error.facts.get("code") == UNLIKE and UNLIKE_TEXT in str(error.found)


def await_coordinators(client: KafkaClient, groups: Collection[str]) -> None:
    """Wait until the groups' coordinators are known and have loaded them.

    Where a broker answers that it is not the coordinator, librdkafka's OffsetFetch of an admin client ends the whole
    process (its issue 5040), as with the first group of a cluster, whose ``__consumer_offsets`` is only being made.

    :raises KafkaDrError: a coordinator still moves when the client's time is over.
    """
    try:
        once_loaded(client, lambda: list(described(client, groups, others=True)))
    except KafkaDrError as error:
        # Whatever else is wrong, the question itself tells.
        if error.facts.get("code") in COORDINATOR_MOVES:
            raise


def once_loaded(client: KafkaClient, question: Callable[[], Answer]) -> Answer:
    """The answer to a question about groups, asked again while a coordinator moves or loads its groups.

    :raises KafkaDrError: another error, or a coordinator still moves when the client's time is over.
    """
    end = time.monotonic() + client.timeout
    while True:
        try:
            return question()
        except KafkaDrError as error:
            if error.facts.get("code") not in COORDINATOR_MOVES or time.monotonic() >= end:
                raise
        time.sleep(0.2)


def unless_absent(client: KafkaClient, future: Future, what: str) -> Any:
    """What was asked about a group; None where the group does not exist."""
    try:
        return client.result(future, what)
    except KafkaDrError as error:
        if error.facts.get("code") in ABSENT:
            return None
        raise


def batches(names: Iterable[str]) -> Iterator[list[str]]:
    """At most :data:`GROUPS_AT_ONCE` names at a time, sorted."""
    return portions(sorted(sendable(names, "consumer group")), GROUPS_AT_ONCE)
