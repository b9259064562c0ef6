# SPDX-License-Identifier: GPL-3.0-or-later
"""Long lists in as many requests as it takes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")
# A controller writes at most 10,000 records of metadata for one request (QuorumController.MAX_RECORDS_PER_USER_OP).
# Where a topic is created, its brokers' own settings may be among them.
RECORDS_A_REQUEST = 5000
# Of a topic that is created with the broker's default number of partitions.
UNKNOWN_PARTITIONS = 50


def portions(items: list[T], most: int) -> Iterator[list[T]]:
    """At most ``most`` of the items at a time, in their order."""
    return (items[begin : begin + most] for begin in range(0, len(items), most))


def requests(items: Iterable[T], records: Callable[[T], int]) -> Iterator[list[T]]:
    """As many of the items at a time, in their order, as a controller takes; what is too large alone is asked alone.

    :param records: how many records the controller writes for one of them.
    """
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


def records_of(partitions: int | None, configs: Sized) -> int:
    """Records that a controller writes for a topic that is created."""
    return 1 + (partitions or UNKNOWN_PARTITIONS) + len(configs)
