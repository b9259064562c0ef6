# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what a compacted topic keeps: committed records to the end, or an error, never a part."""

from __future__ import annotations

from .._kafka.client import KafkaClient
from .._kafka.deciding import await_decided
from .._kafka.offsets import list_offsets
from .._kafka.reader import read, stamped_by_broker

# Of those who write such topics: a writer that was cut off hides what stands behind its open transaction for as long.
TRANSACTION_SECONDS = 20
HIDDEN_SECONDS = TRANSACTION_SECONDS + 40

# Offset, key, value, and when the broker took it (milliseconds); None where the topic keeps its writers' times.
KeptRecord = tuple[int, "bytes | None", "bytes | None", "int | None"]


def read_kept(client: KafkaClient, topic: str) -> list[KeptRecord]:
    """Every committed record of a topic of one partition, in order, up to the end that it has now.

    :raises TimedOutError: a transaction stays open before that end. :raises KafkaDrError: the topic does not exist, or
        cannot be read to that end.
    """
    place = (topic, 0)
    end = list_offsets(client, [place], "end", "read_uncommitted", "waited for")[place]
    await_decided(
        client,
        place,
        end,
        max(client.timeout, HIDDEN_SECONDS),
        f"'{topic}' on {client.name} could not be read to its end",
        "and run this again",
    )
    start = list_offsets(client, [place], "start", gone="error")[place]
    return [
        (
            message.offset(),
            message.key(),
            message.value(),
            message.timestamp()[1] if stamped_by_broker(message) else None,
        )
        for dummy, messages in read(client, [(*place, start, end)], timeout=client.timeout)
        for message in messages
    ]
