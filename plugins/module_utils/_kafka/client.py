# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""One Kafka client description, in librdkafka keys, and the clients made of it.

librdkafka retries for ever and tells the reason only to a callback. :class:`KafkaClient` listens there, so that an
unreachable broker, a wrong password and a certificate of another CA each end within ``timeout`` seconds and are told
apart; those that no waiting mends, and a cluster of which every address refuses, within :data:`PATIENCE`.
"""

from __future__ import annotations

import concurrent.futures
import re
import time

try:
    from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
    from confluent_kafka.admin import AdminClient
except ImportError:
    pass

from .._client_secrets import checked_endpoint
from .._errors import (
    AuthenticationError,
    AuthorizationError,
    KafkaDrError,
    TimedOutError,
    UnreachableError,
    UsageError,
)
from .producing import TranslatingProducer

# Seconds from hearing that we are refused to believing it. Other brokers may know a new user sooner than the one asked first
# (SCRAM credentials reach them with the cluster's metadata), and a port may be closed for the moment of a restart.
PATIENCE = 2.5
# What brokers answer while a partition gets its leader, or another one.
CHANGING = ("NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "OFFSET_NOT_AVAILABLE", "FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH")


class KafkaClient:
    """A cluster as seen by one principal.

    :param client: librdkafka keys without secrets; ``bootstrap.servers`` is required.
    :param secrets: the secret keys, merged over it.
    :param timeout: seconds that any single answer may take.
    :param name: what errors call this cluster, e.g. the region's name.
    """

    def __init__(self, client, secrets=None, timeout=30, name=None):
        config = dict(client or {})
        config.update({key: value for key, value in (secrets or {}).items() if value is not None})
        if not config.get("bootstrap.servers"):
            raise UsageError("The Kafka client has no bootstrap.servers", remedy="Give client={'bootstrap.servers': 'host:port', ...}")
        if config.get("sasl.oauthbearer.token.endpoint.url"):
            checked_endpoint(config["sasl.oauthbearer.token.endpoint.url"])
        self.config = config
        self.timeout = timeout
        self.name = name or config["bootstrap.servers"]
        self.heard = []
        self._admin = None
        self._answered = False

    def _listen(self, error):
        self.heard.append(error)

    def _full(self, extra):
        config = {"error_cb": self._listen, "log_level": 0, "socket.connection.setup.timeout.ms": 10000}
        config.update(self.config)
        config.update(extra)
        return config

    def _build(self, kind, extra):
        try:
            return kind(self._full(extra))
        except KafkaException as error:
            raise self.translate(error, "create a client") from error
        except (TypeError, ValueError) as error:
            raise UsageError("The client description of %s is not valid" % self.name, found=str(error)) from error

    @property
    def admin(self):
        """The admin client, made once."""
        if self._admin is None:
            self._admin = self._build(AdminClient, {})
        return self._admin

    def consumer(self, **extra):
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

    def producer(self, **extra):
        """A producer that waits for all replicas and writes each record once, in order; its errors are the collection's."""
        settings = {"acks": "all", "enable.idempotence": True, "partitioner": "murmur2_random"}
        settings.update({key.replace("_", "."): value for key, value in extra.items()})
        return TranslatingProducer(self, self._build(Producer, settings))

    def metadata(self, topic=None):
        """Cluster metadata; the first call that shows whether the cluster answers at all.

        list_topics tells nothing while it blocks, and cut into slices it would never get an answer that takes longer than one; so the
        first question is one that is answered by a future.
        """
        if not self._answered:
            self.result(self.ask("read metadata", lambda: self.admin.describe_cluster(request_timeout=self.timeout)), "read metadata")
        return self.ask("read metadata", lambda: self.admin.list_topics(topic=topic, timeout=self.timeout))

    def ask(self, what, call):
        """Run one librdkafka call and translate what it raises. ``what`` continues 'Cannot ...'."""
        try:
            return call()
        except KafkaException as error:
            raise self.translate(error, what) from error

    def while_leaders_change(self, call, also=()):
        """Repeat a call for up to ``timeout`` seconds while a partition gets its leader, or another one.

        :param also: further codes that are waited out.
        """
        until = time.monotonic() + self.timeout
        while True:
            try:
                return call()
            except KafkaDrError as error:
                if error.facts.get("code") not in (*CHANGING, *also) or time.monotonic() > until:
                    raise
            time.sleep(0.2)
            # What is known of leaders is kept for minutes otherwise.
            self.metadata()

    def result(self, future, what):
        """Await a future of the admin client; errors are translated.

        A client that never had an answer also looks at what librdkafka says meanwhile, see :meth:`_hopeless`.
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

    def _hopeless(self, lately, what):
        """The error, among those heard lately, that waiting will not mend: not accepted, or turned away by every address."""
        for heard in lately[::-1]:
            cause = self._by_cause(heard, what)
            if cause:
                return cause
        down = [heard for heard in lately if heard.code() in (KafkaError._TRANSPORT, KafkaError._RESOLVE)]
        all_down = any(heard.code() == KafkaError._ALL_BROKERS_DOWN for heard in self.heard)
        if all_down and down and all(heard.code() == KafkaError._RESOLVE or "Connection refused" in heard.str() for heard in down):
            return self._unreachable(what, down[-1].str())
        return None

    def results(self, futures, what):
        """Await many futures: ``(values by key, KafkaDrError by key)``."""
        values, errors = {}, {}
        for key, future in futures.items():
            try:
                values[key] = self.result(future, what)
            except KafkaDrError as error:
                errors[key] = error
        return values, errors

    def translate(self, exception, what):
        """A :class:`KafkaDrError` for a KafkaException, with the real reason behind a mere timeout."""
        error = exception.args[0] if exception.args else None
        text = error.str() if isinstance(error, KafkaError) else str(exception)
        code = error.code() if isinstance(error, KafkaError) else None
        self.admin_poll()
        for heard in [error] + self.heard[::-1]:
            if isinstance(heard, KafkaError):
                cause = self._by_cause(heard, what)
                if cause:
                    return cause
        if code in (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED,
                    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED):
            return AuthorizationError(
                "Cannot %s on %s" % (what, self.name), expected="the right to do so", found=text, code=error.name(),
                remedy="Give the principal %s the ACL named here" % (self.config.get("sasl.username") or "of the certificate"),
            )
        if code in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._RESOLVE):
            return self._unreachable(what, text)
        if code in (KafkaError._TIMED_OUT, KafkaError.REQUEST_TIMED_OUT, KafkaError._TIMED_OUT_QUEUE):
            down = [heard for heard in self.heard if heard.code() in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._RESOLVE)]
            if down:
                return self._unreachable(what, down[-1].str())
            return TimedOutError("Cannot %s on %s within %s s" % (what, self.name, self.timeout), found=text,
                                 remedy="Look at the brokers' health, or give a larger timeout")
        return KafkaDrError("Cannot %s on %s" % (what, self.name), found=text, code=error.name() if isinstance(error, KafkaError) else None)

    def admin_poll(self):
        """Let librdkafka deliver what it has to say."""
        if self._admin is not None:
            self._admin.poll(0.1)

    def _unreachable(self, what, text):
        return UnreachableError(
            "Cannot %s on %s" % (what, self.name), expected="a broker at %s" % self.config["bootstrap.servers"], found=text,
            remedy="Check address, listener and firewall; where the region is lost, say so to the stage",
        )

    def _by_cause(self, heard, what):
        text = heard.str()
        if heard.code() in (KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED):
            return AuthenticationError(
                "%s refuses to let us %s" % (self.name, what), expected="the password of %s to be right" % self.config.get("sasl.username"),
                found=text, remedy="Correct sasl.username and sasl.password of this client",
            )
        if heard.code() == KafkaError._SSL or (re.search(r"SSL handshake|certificate|SSL routines", text) and "unexpected eof" not in text):
            return AuthenticationError(
                "No trusted TLS connection to %s" % self.name, expected="a certificate signed by the CA in ssl.ca.pem, for the name we connect to",
                found=text, remedy="Correct ssl.ca.pem (or ssl.ca.location) of this client; verification stays on",
            )
        return None


def partition(topic, number, offset=None):
    """A ``TopicPartition``; without offset, one that asks for nothing."""
    return TopicPartition(topic, number) if offset is None else TopicPartition(topic, number, offset)
