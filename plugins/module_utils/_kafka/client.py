# SPDX-License-Identifier: GPL-3.0-or-later
"""One Kafka client description, in librdkafka keys, and the clients made of it.

librdkafka retries for ever and tells the reason only to a callback. :class:`KafkaClient` listens there, so that an
unreachable broker, a wrong password and a certificate of another CA each end within ``timeout`` seconds and are told
apart. Refusals that waiting does not mend, and a cluster of which every address refuses, end within :data:`PATIENCE`.
"""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

try:
    from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
    from confluent_kafka.admin import AdminClient
except ImportError:
    pass

from .._errors import KafkaDrError, UsageError
from .._values.client_secrets import checked_endpoint
from .admin_lifetime import destroy_discarded, keep_beyond
from .broker_errors import LEADER_CHANGES, hopeless, translated
from .producing import TranslatingProducer

T = TypeVar("T")

# Seconds from hearing a refusal to believing it. Other brokers may know a new user sooner than the one asked first
# (SCRAM credentials reach them with the cluster's metadata), and a port may be closed for the moment of a restart.
PATIENCE = 2.5

# librdkafka asks the broker that metadata called the controller, also one that died since, until it reads metadata
# again: after five minutes otherwise.
ADMIN_KEYS = {"topic.metadata.refresh.interval.ms": 5000}


class KafkaClient:
    """A cluster as seen by one principal.

    :param client: librdkafka keys without secrets; ``bootstrap.servers`` is required.
    :param secrets: the secret keys, merged over it.
    :param timeout: seconds that any single answer may take.
    :param name: what errors call this cluster, such as the region's name.
    """

    def __init__(
        self,
        client: Mapping[str, Any] | None,
        secrets: Mapping[str, Any] | None = None,
        timeout: float = 30,
        name: str | None = None,
    ) -> None:
        config = dict(client or {})
        config.update({key: value for key, value in (secrets or {}).items() if value is not None})
        if not config.get("bootstrap.servers"):
            raise UsageError(
                "The Kafka client has no bootstrap.servers",
                remedy="Give client={'bootstrap.servers': 'host:port', ...}",
            )
        if config.get("sasl.oauthbearer.token.endpoint.url"):
            checked_endpoint(config["sasl.oauthbearer.token.endpoint.url"])
        self.config = config
        self.timeout = timeout
        self.name: str = name or config["bootstrap.servers"]
        self.heard: list[KafkaError] = []
        self._admin: AdminClient | None = None
        self._answered = False

    def _full(self, extra: Mapping[str, Any]) -> dict[str, Any]:
        # A callback that refers to this object would keep it from being dropped.
        config = {"error_cb": self.heard.append, "log_level": 0, "socket.connection.setup.timeout.ms": 10000}
        config.update(self.config)
        config.update(extra)
        return config

    def _build(self, kind: Callable[[dict[str, Any]], T], extra: Mapping[str, Any]) -> T:
        try:
            return kind(self._full(extra))
        except KafkaException as error:
            raise self.translate(error, "create a client") from error
        except (TypeError, ValueError) as error:
            raise UsageError(f"The client description of {self.name} is not valid", found=str(error)) from error

    @property
    def admin(self) -> AdminClient:
        """The admin client, created once."""
        if self._admin is None:
            destroy_discarded()
            self._admin = self._build(AdminClient, ADMIN_KEYS | self.config)
            keep_beyond(self, self._admin)
        return self._admin

    def consumer(self, **extra: Any) -> Consumer:
        """A consumer that commits nothing by itself and never skips an offset silently.

        Keys of ``extra`` are librdkafka's with underscores for dots.
        """
        settings = {
            "group.id": "streamsafe-kafka-dr-unused",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
        settings.update({key.replace("_", "."): value for key, value in extra.items()})
        return self._build(Consumer, settings)

    def producer(self, **extra: Any) -> TranslatingProducer:
        """A producer that waits for all replicas and writes each record once, in order; its errors are the
        collection's.
        """
        settings = {"acks": "all", "enable.idempotence": True, "partitioner": "murmur2_random"}
        settings.update({key.replace("_", "."): value for key, value in extra.items()})
        return TranslatingProducer(self, self._build(Producer, settings))

    def metadata(self, topic: str | None = None) -> Any:
        """Cluster metadata (``ClusterMetadata``); the first call shows whether the cluster answers at all.

        ``list_topics`` tells nothing while it blocks, and a call cut into slices never gets an answer that takes longer
        than one slice; so the first request is one that is answered by a future.
        """
        if not self._answered:
            self.result(
                self.ask("read metadata", lambda: self.admin.describe_cluster(request_timeout=self.timeout)),
                "read metadata",
            )
        return self.ask("read metadata", lambda: self.admin.list_topics(topic=topic, timeout=self.timeout))

    def ask(self, what: str, call: Callable[[], T]) -> T:
        """Run one librdkafka call and translate what it raises. ``what`` continues 'Cannot ...'."""
        try:
            return call()
        except KafkaException as error:
            raise self.translate(error, what) from error

    def while_leaders_change(self, call: Callable[[], T], also: Collection[str] = ()) -> T:
        """Repeat a call for up to ``timeout`` seconds while a partition gets its first leader, or another one.

        :param also: further error codes that are waited out.
        """
        until = time.monotonic() + self.timeout
        while True:
            try:
                return call()
            except KafkaDrError as error:
                if error.facts.get("code") not in (*LEADER_CHANGES, *also) or time.monotonic() > until:
                    raise
            time.sleep(0.2)
            # librdkafka keeps what it knows of leaders for minutes otherwise.
            self.metadata()

    def result(self, future: Future, what: str) -> Any:
        """Await a future of the admin client; errors are translated.

        A client that never had an answer also looks at what librdkafka says meanwhile, see
        :func:`.broker_errors.hopeless`.
        """
        end = time.monotonic() + self.timeout + 5
        looked, window = len(self.heard), time.monotonic() + PATIENCE
        while not self._answered:
            try:
                value = self.ask(what, lambda: future.result(timeout=0.1))
            except concurrent.futures.TimeoutError as error:
                if time.monotonic() > end:
                    raise self.translate(KafkaException(KafkaError(KafkaError._TIMED_OUT)), what) from error
            else:
                self._answered = True
                return value
            self.admin.poll(0)
            if time.monotonic() >= window:
                cause = self._hopeless(self.heard[looked:], what)
                if cause:
                    raise cause
                looked, window = len(self.heard), time.monotonic() + PATIENCE
        return self.ask(what, lambda: future.result(timeout=max(0.1, end - time.monotonic())))

    def _hopeless(self, lately: Sequence[KafkaError], what: str) -> KafkaDrError | None:
        return hopeless(lately, self.heard, what, self.name, self.config)

    def translate(self, exception: KafkaException, what: str) -> KafkaDrError:
        """The collection's error for a KafkaException, with the real reason in place of a mere timeout."""
        if self._admin is not None:
            # librdkafka delivers what it has to say to the callback.
            self._admin.poll(0.1)
        error = exception.args[0] if exception.args else None
        return translated(error, self.heard, what, self.name, self.config, self.timeout)


def partition(topic: str, number: int, offset: int | None = None) -> TopicPartition:
    """A ``TopicPartition``; without offset, one that asks for nothing."""
    return TopicPartition(topic, number) if offset is None else TopicPartition(topic, number, offset)
