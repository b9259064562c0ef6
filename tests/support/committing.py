# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of a group, committed as a consumer without membership does it."""

from __future__ import annotations

import time
from collections.abc import Callable

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

# A broker that was just started, or that has just created its topic of positions, says so for a moment.
_SOON = (KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_NOT_AVAILABLE, KafkaError.COORDINATOR_LOAD_IN_PROGRESS)


def commit_places(client: dict, group: str, places: list[TopicPartition]) -> None:
    """Commit, and ask again for up to 60 seconds while the group's coordinator is not ready.

    :raises KafkaException: what else a broker refuses, or the coordinator's last answer.
    """
    consumer = Consumer({**client, "group.id": group, "enable.auto.commit": False})
    try:
        while_coordinator_moves(lambda: consumer.commit(offsets=places, asynchronous=False))
    finally:
        consumer.close()


def while_coordinator_moves(commit: Callable[[], object], timeout: float = 60) -> None:
    end = time.monotonic() + timeout
    while True:
        try:
            commit()
            return
        except KafkaException as error:
            if error.args[0].code() not in _SOON or time.monotonic() > end:
                raise
        time.sleep(0.5)
