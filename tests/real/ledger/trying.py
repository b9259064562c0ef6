# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that somebody could do to a cluster, tried for real, and the answers of the broker."""

from __future__ import annotations

from collections.abc import Callable

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthorizationError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient

from . import administering

MIRRORED, COPY, OTHER, LEDGER, POSITIONS, INTERNAL, WINDOWS = (
    "orders.items",
    "source.orders.items",
    "other.items",
    "__kafka_dr_ledger",
    "__kafka_dr_positions",
    "mm2-offsets.source.internal",
    "__kafka_dr_windows",
)
TOPICS = (MIRRORED, COPY, OTHER, LEDGER, POSITIONS, INTERNAL, WINDOWS)
GROUPS = ("orders-group", "other-group")
NEW = ("orders.new", "source.orders.new", "brand.new", "__kafka_dr_new")
TRANSACTIONS = {
    "app": "application-1",
    "mm2": "source-mm2-1",
    "connect": "workers-backup.source-0",
    "dr": "kafka-dr-ledger",
    "watch": "kafka-dr-watch-backup",
    "watch of another": "kafka-dr-watch-other",
}
DOINGS = ("write", "read", "configure", "enlarge", "cut", "delete")
CLUSTER = (
    "grant a right",
    "take a right",
    "see ACLs",
    "configure the broker",
    "give a password",
    "configure __transaction_state",
)


def everything() -> set[str]:
    """The names of all that is tried."""
    of_topics = {f"{doing} {topic}" for doing in DOINGS for topic in TOPICS}
    of_groups = {f"{doing} {group}" for doing in ("commit for", "see the offsets of", "forget") for group in GROUPS}
    return {
        *of_topics,
        *of_groups,
        *(f"create {topic}" for topic in NEW),
        *(f"own transactions {one}" for one in TRANSACTIONS),
        *CLUSTER,
        *administering.names(TOPICS, GROUPS),
    }


def _first(futures: dict):
    return next(iter(futures.values())).result(30)


class Tries:
    """Topics and groups to try it on, made anew where somebody was allowed to delete them.

    :param admin: configuration of who may do everything.
    :param of: gives configuration by principal.
    """

    def __init__(self, admin: dict, of: Callable[[str], dict]):
        self._admin, self.administrator, self._of = AdminClient(admin), admin, of
        # Makes Kafka's own topic of transactions.
        Producer({**admin, "transactional.id": "first"}).init_transactions(60)
        for topic in TOPICS:
            self._make(topic)
        for group in GROUPS:
            self._remember(group)

    def _make(self, topic: str) -> None:
        _first(self._admin.create_topics([NewTopic(topic, 1, 1)]))
        producer = Producer(self.administrator)
        producer.produce(topic, b"one")
        assert producer.flush(30) == 0

    def _remember(self, group: str) -> None:
        _first(
            self._admin.alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(group, [TopicPartition(MIRRORED, 0, 1)])]
            )
        )

    def all_of(self, principal: str) -> dict[str, str]:
        """What the broker said to each try: ``done``, or the error's name."""
        config = {**self._of(principal), "log_level": 0, "socket.timeout.ms": 10000}
        one = Attempts(config)
        answers: dict[str, str] = {}
        for what, attempt in one.all().items():
            answers[what] = one.answer(attempt)
            if answers[what] == "done":
                self._repair(what)
        further = administering.Administration(config, MIRRORED)
        for what, attempt in further.all(TOPICS, GROUPS).items():
            answers[what] = attempt()
            if answers[what] == "done":
                self._repair(what)
        further.close()
        return answers

    def write_to(self, principal: str, topic: str) -> str:
        """What the broker said to one who wrote to a further topic."""
        if topic not in self._admin.list_topics(timeout=20).topics:
            self._make(topic)
        one = Attempts({**self._of(principal), "log_level": 0, "socket.timeout.ms": 10000})
        return one.answer(lambda: one.write(topic))

    def _repair(self, what: str) -> None:
        doing, dummy, name = what.rpartition(" ")
        if doing == "delete":
            self._make(name)
        elif doing.startswith("forget"):
            self._remember(name)


class Attempts:
    """The tries of one principal, with its own clients."""

    def __init__(self, config: dict):
        self.config = config
        self.admin = AdminClient(config)
        self.producer = Producer({**config, "message.timeout.ms": 10000})

    @staticmethod
    def answer(attempt: Callable) -> str:
        try:
            attempt()
        except KafkaException as error:
            return error.args[0].name()
        except AuthorizationError:
            return "CLUSTER_AUTHORIZATION_FAILED"
        return "done"

    def all(self) -> dict[str, Callable]:
        """Every try by its name."""
        made = {
            f"{doing} {topic}": lambda doing=doing, topic=topic: getattr(self, doing)(topic)
            for doing in DOINGS
            for topic in TOPICS
        }
        for group in GROUPS:
            made[f"commit for {group}"] = lambda group=group: self.commit(group)
            made[f"see the offsets of {group}"] = lambda group=group: self.offsets(group)
            made[f"forget {group}"] = lambda group=group: _first(self.admin.delete_consumer_groups([group]))
        for topic in NEW:
            made[f"create {topic}"] = lambda topic=topic: _first(
                self.admin.create_topics([NewTopic(topic, 1, 1)], validate_only=True)
            )
        for name, transaction in TRANSACTIONS.items():
            made[f"own transactions {name}"] = lambda transaction=transaction: Producer(
                {**self.config, "transactional.id": transaction}
            ).init_transactions(20)
        return {**made, **self.of_cluster()}

    def of_cluster(self) -> dict[str, Callable]:
        binding = (
            ResourceType.TOPIC,
            OTHER,
            ResourcePatternType.LITERAL,
            "User:nobody",
            "*",
            AclOperation.READ,
            AclPermissionType.ALLOW,
        )
        password = UserScramCredentialUpsertion(
            "nobody", ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), b"a password of nobody"
        )
        return dict(
            zip(
                CLUSTER,
                (
                    lambda: _first(self.admin.create_acls([AclBinding(*binding)])),
                    lambda: _first(self.admin.delete_acls([AclBindingFilter(*binding)])),
                    self.see_acls,
                    lambda: self.configure("1", "broker", "log.cleaner.threads"),
                    lambda: _first(self.admin.alter_user_scram_credentials([password])),
                    lambda: self.configure("__transaction_state"),
                ),
                strict=True,
            )
        )

    def write(self, topic: str) -> None:
        told: list = []
        self.producer.produce(topic, b"forged", on_delivery=lambda error, message: told.append(error))
        self.producer.flush(30)
        if told[0] is not None:
            raise KafkaException(told[0])

    def read(self, topic: str) -> None:
        self.find(topic)
        consumer = Consumer({**self.config, "group.id": GROUPS[0], "enable.auto.commit": False})
        try:
            consumer.assign([TopicPartition(topic, 0, 0)])
            message = consumer.poll(20)
        finally:
            consumer.close()
        assert message is not None, f"no answer from {topic}"
        if message.error():
            raise KafkaException(message.error())

    def see_acls(self) -> None:
        """As the collection does: librdkafka gives a refusal as an empty list."""
        describe_acls(KafkaClient(self.config, timeout=20))

    def configure(self, name: str, kind: str = "topic", key: str = "retention.ms") -> None:
        entry = ConfigEntry(key, "2", incremental_operation=AlterConfigOpType.SET)
        _first(
            self.admin.incremental_alter_configs(
                [ConfigResource(kind, name, incremental_configs=[entry])], validate_only=True
            )
        )

    def enlarge(self, topic: str) -> None:
        _first(self.admin.create_partitions([NewPartitions(topic, 2)], validate_only=True))

    def find(self, topic: str) -> None:
        """To one who may not even describe a topic, reading says nothing at all, and cutting that it is not there."""
        error = self.admin.list_topics(topic, 20).topics[topic].error
        if error:
            raise KafkaException(error)

    def cut(self, topic: str) -> None:
        self.find(topic)
        _first(self.admin.delete_records([TopicPartition(topic, 0, 0)]))

    def delete(self, topic: str) -> None:
        _first(self.admin.delete_topics([topic]))

    def commit(self, group: str) -> None:
        self._partitions(
            self.admin.alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(group, [TopicPartition(MIRRORED, 0, 1)])]
            )
        )

    def offsets(self, group: str) -> None:
        self._partitions(
            self.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group, [TopicPartition(MIRRORED, 0)])])
        )

    @staticmethod
    def _partitions(futures: dict) -> None:
        for one in _first(futures).topic_partitions:
            if one.error:
                raise KafkaException(one.error)
