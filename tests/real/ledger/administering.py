# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody could do to a cluster by requests that librdkafka does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import AbortTransactionSpec
from kafka.errors import KafkaError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthorizationError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.python_settings import settings
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import ensure_quotas

CLUSTER = ("move a partition", "elect a leader", "change a feature", "limit a client")
DENIED = "AUTHORIZATION_FAILED"
# There was nothing to do for whoever may do it.
ALLOWED = ("NO_REASSIGNMENT_IN_PROGRESS", "GROUP_ID_NOT_FOUND")


def names(topics: Iterable[str], groups: Iterable[str]) -> set[str]:
    """The names of all that is tried."""
    return {
        *CLUSTER,
        *(f"end transactions in {topic}" for topic in topics),
        *(f"forget a position of {group}" for group in groups),
    }


class Administration:
    """The tries of one principal.

    :param config: of its client. :param topic: one that everything is tried with which needs any.
    """

    def __init__(self, config: dict, topic: str):
        self.config, self.topic = config, topic
        self.admin = KafkaAdminClient(**settings(config, 20))
        self.metadata = AdminClient(config)

    def close(self) -> None:
        self.admin.close()

    def all(self, topics: Iterable[str], groups: Iterable[str]) -> dict[str, Callable[[], str]]:
        """Every try by its name; each gives ``done``, or the name of the error."""
        made: dict[str, Callable[[], object]] = dict(
            zip(CLUSTER, (self.move, self.elect, self.feature, self.limit), strict=True)
        )
        for topic in topics:
            made[f"end transactions in {topic}"] = lambda topic=topic: self.end(topic)
        for group in groups:
            made[f"forget a position of {group}"] = lambda group=group: self.forget(group)
        return {what: lambda attempt=attempt: answer(attempt) for what, attempt in made.items()}

    def move(self) -> object:
        """Cancelling what does not go on changes nothing, and is asked the same right."""
        return self.admin.alter_partition_reassignments({TopicPartition(self.topic, 0): None})

    def elect(self) -> object:
        return self.admin.elect_leaders(0, {self.topic: [0]})

    def feature(self) -> object:
        return self.admin.update_features({"group.version": 1}, validate_only=True)

    def limit(self) -> object:
        wanted = [{"entity": {"client-id": "nobody"}, "limits": {"producer_byte_rate": 1}}]
        return ensure_quotas(KafkaClient(self.config, timeout=20), wanted, "present", True)

    def end(self, topic: str) -> object:
        """No transaction has this producer; the brokers ask for the right first. A topic that one may not see, one
        cannot name to them.
        """
        error = self.metadata.list_topics(topic, 20).topics[topic].error
        if error:
            return {topic: error.name()}
        return self.admin.abort_transaction(AbortTransactionSpec(TopicPartition(topic, 0), 4711, 0))

    def forget(self, group: str) -> object:
        return self.admin.delete_group_offsets(group, [TopicPartition(self.topic, 0)])


def answer(attempt: Callable[[], object]) -> str:
    try:
        said = attempt()
    except AuthorizationError:
        return "CLUSTER_" + DENIED
    except KafkaError as error:
        return _plain(type(error))
    wrong = [one for one in said.values() if isinstance(one, (type, str))] if isinstance(said, dict) else []
    return _plain(wrong[0]) if wrong else "done"


def _plain(error: type | str) -> str:
    name = error if isinstance(error, str) else getattr(error, "message", error.__name__)
    return "done" if name in (*ALLOWED, "OK", "NO_ERROR") else name
