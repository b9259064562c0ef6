# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch's topic in the target region: made, read whole or not at all, written in transactions of one writer.

Taking over the ``transactional.id`` of a mirror ends what another watch of it has begun, so there is one at a time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from .._errors import KafkaDrError, NotProvableError, RefusedError, TimedOutError
from .._kafka.client import KafkaClient
from .._kafka.offsets import list_offsets
from .._kafka.producing import FencedError
from .._kafka.topics import describe_topics
from .._ledger.kept import TRANSACTION_SECONDS, read_kept
from .._ledger.topic import ensure_kept_topic
from . import rows
from .broker_clock import BrokerClock
from .state import TOPIC, WatchState, read_state
from .wholeness import ANEW

# When a round ended is told by the broker: the clock of the watch's machine may be any.
CONFIGS = {"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}
# Of one record; brokers take a mebibyte where nothing else is set.
LARGEST_RECORD = 512 << 10
# How often it is looked whether the topic is still the one that was read.
LOOK_SECONDS = 10
# Between two records that ask for the broker's time.
RETRY_SECONDS = 0.2


def ensure_topic(client: KafkaClient, topic: str = TOPIC) -> str:
    """Create the topic, or correct what was changed: deletion by age would forget what was proven; returns its id."""
    return ensure_kept_topic(client, {"name": topic, "partitions": 1, "configs": CONFIGS})


def read_states(client: KafkaClient, topic: str = TOPIC, mirror: str | None = None) -> dict[str, WatchState]:
    """``{mirror: state}``; empty where the cluster answers that there is no such topic.

    :param mirror: the only one that is asked for; None for all.
    :raises KafkaDrError: it cannot be read to its end: a part of it would name windows confirmed that are not.
    """
    if topic not in describe_topics(client, [topic]):
        return {}
    return rows.fold(read_kept(client, topic), mirror)


def _clocks() -> tuple[float, float]:
    """Seconds of two clocks: one stands still while the machine sleeps, the other one may be set."""
    return time.monotonic(), time.time()


class Keeper:
    """The one writer of a mirror's state. Opening it ends every other.

    :raises KafkaDrError: the topic cannot be made, or its transactions cannot be taken over.
    """

    def __init__(self, client: KafkaClient, mirror: str, topic: str = TOPIC) -> None:
        self.client, self.mirror, self.topic = client, mirror, topic
        self._log = ensure_topic(client, topic), self._start()
        self._looked = time.monotonic()
        self.producer = client.producer(
            transactional_id=f"kafka-dr-watch-{mirror}",
            transaction_timeout_ms=TRANSACTION_SECONDS * 1000,
            message_max_bytes=2 * LARGEST_RECORD,
            linger_ms=5,
        )
        self.producer.init_transactions()
        #: Not later than the clock of the broker that keeps the topic.
        self.clock = BrokerClock()
        self._ask_time()

    def _ask_time(self) -> None:
        """Learn the broker's time by a record that says nothing. A broker may not know yet that it stamps records.

        :raises KafkaDrError: it does not take the record, or does not stamp it in time.
        """
        until = time.monotonic() + self.client.timeout
        while not self.clock.known:
            if time.monotonic() > until:
                raise TimedOutError(
                    f"{self.client.name} did not tell its time",
                    expected=f"that it stamps a record of '{self.topic}' within {self.client.timeout} s",
                    found="records with the time of who wrote them",
                    remedy=f"See that the topic has message.timestamp.type={CONFIGS['message.timestamp.type']}",
                )
            self.write([(rows.key(rows.TIME, self.mirror), None)])
            if not self.clock.known:
                time.sleep(RETRY_SECONDS)

    def _start(self) -> int:
        return list_offsets(self.client, [(self.topic, 0)], "start", gone="waited for")[self.topic, 0]

    def read(self) -> WatchState | None:
        """What was kept before. :raises KafkaDrError: as of :func:`.state.read_state`."""
        return read_state(self.client, self.mirror, self.topic)

    def forgotten(self) -> list[rows.Row]:
        """Null values for all that was kept of the mirror, also for what cannot be believed."""
        return [(name, None) for name in rows.names_of(read_kept(self.client, self.topic), self.mirror)]

    def look(self, now: float) -> None:
        """Look whether what was written is still there, now and then.

        :param now: seconds of the monotonic clock. :raises NotProvableError: the topic was made again, or lost records.
        """
        if now - self._looked < LOOK_SECONDS:
            return
        there = describe_topics(self.client, [self.topic]).get(self.topic)
        log = (there["id"], self._start()) if there else (None, None)
        if log != self._log:
            raise NotProvableError(
                f"What the watch of the mirror '{self.mirror}' keeps in '{self.topic}' was deleted",
                expected=f"the topic {self._log[0]} from offset {self._log[1]} on",
                found=f"{log[0]} from offset {log[1]} on" if there else "no such topic",
                remedy=ANEW,
            )
        self._looked = now

    def write(self, records: Iterable[rows.Row]) -> None:
        """Write the records of a round, all or none.

        :raises RefusedError: another watch of this mirror took over. :raises KafkaDrError: the topic did not take them;
            what is so has to be read again.
        """
        began = _clocks()
        try:
            self.producer.begin_transaction()
            for name, value in records:
                self.producer.produce(self.topic, key=name, value=value, partition=0, on_stamp=self.clock.told)
            self.producer.commit_transaction()
        except FencedError as error:
            took = max(now - then for now, then in zip(_clocks(), began, strict=True))
            if took >= TRANSACTION_SECONDS:
                # The broker ended the transaction itself, which looks the same.
                raise TimedOutError(
                    f"The watch of the mirror '{self.mirror}' did not write a round in time",
                    expected=f"at most {TRANSACTION_SECONDS} s",
                    found=f"{took:.0f} s: {error.found}",
                    remedy="It goes on from the last round; see what makes its machine or the brokers pause",
                ) from error
            raise RefusedError(
                f"Another watch of the mirror '{self.mirror}' took over",
                expected="one watch a mirror",
                found=error.found,
                remedy="Leave one of them running",
            ) from error
        except KafkaDrError:
            self.producer.abort_transaction()
            raise
