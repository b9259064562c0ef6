# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the logs of partitions are on the brokers' disks (KIP-113). librdkafka has no request for it; kafka-python
sends it.
"""

from __future__ import annotations

from collections.abc import Iterable

try:
    from kafka.protocol.admin import DescribeLogDirsRequest
except ImportError:
    pass

from .._digest.shapes import Partition
from .client import KafkaClient
from .python_client import PythonClient, ask_every_broker, require_library


def log_sizes(client: KafkaClient, partitions: Iterable[Partition]) -> dict[Partition, int]:
    """Bytes of each partition's largest replica. What no broker tells is left out, as to whoever may not DESCRIBE the
    cluster.

    :raises KafkaDrError: no broker lets the principal in, or none answers, or the client cannot ask.
    """
    asked: dict[str, list[int]] = {}
    for topic, number in partitions:
        asked.setdefault(topic, []).append(number)
    require_library(client, "ask for sizes of logs")
    found: dict[Partition, int] = {}

    def ask(connection: PythonClient, broker: int) -> None:
        request = DescribeLogDirsRequest(
            topics=[
                DescribeLogDirsRequest.DescribableLogDirTopic(topic=name, partitions=numbers)
                for name, numbers in asked.items()
            ]
        )
        answer = connection.ask(request, f"ask broker {broker} for sizes of logs", broker)
        for directory in answer.results:
            for topic in directory.topics:
                for part in topic.partitions:
                    place = (topic.name, part.partition_index)
                    found[place] = max(part.partition_size, found.get(place, 0))

    ask_every_broker(client, ask)
    return found
