# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch's topic in the target region: made, read whole or not at all, written in transactions of one writer.

Taking over the ``transactional.id`` of a mirror ends what another watch of it has begun, so there is one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable

from .._errors import KafkaDrError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.producing import FencedError
from .._kafka.topics import describe_topics
from .._ledger.kept import TRANSACTION_SECONDS, read_kept
from .._ledger.topic import ensure_kept_topic
from . import rows
from .state import TOPIC, WatchState

# When a round ended is told by the broker: the clock of the watch's machine may be any.
CONFIGS = {"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}
# Of one record; brokers take a mebibyte where nothing else is set.
LARGEST_RECORD = 512 << 10


def ensure_topic(client: KafkaClient, topic: str = TOPIC) -> None:
    """Create the topic, or correct what was changed: deletion by age would forget what was proven."""
    ensure_kept_topic(client, {"name": topic, "partitions": 1, "configs": CONFIGS})


def read_states(client: KafkaClient, topic: str = TOPIC) -> dict[str, WatchState]:
    """``{mirror: state}``; empty where the cluster answers that there is no such topic.

    :raises KafkaDrError: it cannot be read to its end: a part of it would name windows confirmed that are not.
    """
    if topic not in describe_topics(client, [topic]):
        return {}
    return rows.fold(read_kept(client, topic))


class Keeper:
    """The one writer of a mirror's state. Opening it ends every other.

    :raises KafkaDrError: the topic cannot be made, or its transactions cannot be taken over.
    """

    def __init__(self, client: KafkaClient, mirror: str, topic: str = TOPIC) -> None:
        self.client, self.mirror, self.topic = client, mirror, topic
        ensure_topic(client, topic)
        self.producer = client.producer(
            transactional_id=f"kafka-dr-watch-{mirror}",
            transaction_timeout_ms=TRANSACTION_SECONDS * 1000,
            message_max_bytes=2 * LARGEST_RECORD,
            linger_ms=5,
        )
        self.producer.init_transactions()

    def read(self) -> WatchState | None:
        """What was kept before."""
        return read_states(self.client, self.topic).get(self.mirror)

    def write(self, records: Iterable[rows.Row]) -> None:
        """Write the records of a round, all or none.

        :raises RefusedError: another watch of this mirror took over. :raises KafkaDrError: the topic did not take them;
            what is so has to be read again.
        """
        try:
            self.producer.begin_transaction()
            for name, value in records:
                self.producer.produce(self.topic, key=name, value=value, partition=0)
            self.producer.commit_transaction()
        except FencedError as error:
            raise RefusedError(
                f"Another watch of the mirror '{self.mirror}' took over",
                expected="one watch a mirror",
                found=error.found,
                remedy="Leave one of them running",
            ) from error
        except KafkaDrError:
            self.producer.abort_transaction()
            raise
