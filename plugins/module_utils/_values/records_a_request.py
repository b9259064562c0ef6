# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a controller changes in one request. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")
# It writes at most 10,000 records of metadata (QuorumController.MAX_RECORDS_PER_USER_OP); where a topic is created, its
# broker's own settings may be among them.
RECORDS_A_REQUEST = 5000
# Of a topic that is created with the broker's default number of partitions.
UNKNOWN_PARTITIONS = 50


def records_of(partitions: int | None, configs: Sized) -> int:
    """Records that the controller writes for a topic that is created."""
    return 1 + (partitions or UNKNOWN_PARTITIONS) + len(configs)


def requests(items: Iterable[T], records: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in their order, in as few requests as the controller takes; what is too large alone is asked alone."""
    some: list[T] = []
    count = 0
    for item in items:
        if some and count + records(item) > RECORDS_A_REQUEST:
            yield some
            some, count = [], 0
        some.append(item)
        count += records(item)
    if some:
        yield some
