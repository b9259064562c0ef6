# SPDX-License-Identifier: GPL-3.0-or-later
"""What every broker lets a principal do to topics and the cluster, asked with the principal's own credentials
(KIP-430). Nothing is written.

librdkafka sends this question to one broker of its choice; kafka-python sends it to the one that is named.
"""

from __future__ import annotations

try:
    from kafka.protocol.admin import DescribeClusterRequest
    from kafka.protocol.metadata import MetadataRequest
except ImportError:
    pass

from .._errors import KafkaDrError, UsageError
from .._values.portions import portions
from .acl_numbers import OPERATIONS
from .client import KafkaClient
from .python_client import PythonClient, ask_every_broker
from .rights import CLUSTER

# The bit that stands for "not asked for", with which older brokers answer.
OMITTED = 31
TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC = 29, 3
TOPICS_A_REQUEST = 1000


def authorized_operations(
    client: KafkaClient, topics: list[str]
) -> tuple[dict[int, dict[str, set[str]]], dict[int, str]]:
    """``({broker: {topic: operations}}, {broker: why it did not tell})`` of the client's principal, the cluster among
    the topics as :data:`CLUSTER`. What it may not even describe has no operation; of a topic that is not there a broker
    only tells whether it may.

    :param client: a ``KafkaClient`` of the principal.
    :raises KafkaDrError: no broker let the principal in, or was there. :raises UsageError: brokers do not know the
        question, or the client cannot ask it.
    """

    def ask(connection: PythonClient, broker: int) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for some in portions(topics, TOPICS_A_REQUEST):
            found.update(_operations_at(connection, broker, some))
        found[CLUSTER] = _operations_on_cluster(connection, broker)
        return found

    return ask_every_broker(client, ask)


def _what(connection: PythonClient, broker: int) -> str:
    return f"ask broker {broker} what {connection.client.config.get('sasl.username') or 'the client'} may do"


def _operations_on_cluster(connection: PythonClient, broker: int) -> set[str]:
    """None where the principal may not describe it (KafkaApis.handleDescribeCluster)."""
    what = _what(connection, broker)
    answer = connection.ask(DescribeClusterRequest(include_cluster_authorized_operations=True), what, broker)
    operations = _names(answer.authorized_operations)
    if answer.error_code or operations is None:
        raise KafkaDrError(
            f"Cannot {what}",
            expected="its authorized operations on the cluster",
            found=f"none told (error code {answer.error_code})",
        )
    return operations


def _names(numbers: set[int] | None) -> set[str] | None:
    """Operations by their names; None where a broker did not tell them."""
    if numbers is None or OMITTED in numbers:
        return None
    return {OPERATIONS.get(number, str(number)) for number in numbers}


def _operations_at(connection: PythonClient, broker: int, topics: list[str]) -> dict[str, set[str]]:
    what = _what(connection, broker)
    request = MetadataRequest(
        topics=[MetadataRequest.MetadataRequestTopic(name=topic) for topic in topics],
        allow_auto_topic_creation=False,
        include_topic_authorized_operations=True,
    )
    found: dict[str, set[str]] = {}
    for row in connection.ask(request, what, broker).topics:
        if row.error_code in (TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC):
            found[row.name] = {"DESCRIBE"} if row.error_code == UNKNOWN_TOPIC else set()
            continue
        operations = _names(row.authorized_operations)
        if operations is None:
            raise (KafkaDrError if row.error_code else UsageError)(
                f"Cannot {what}",
                expected=f"its authorized operations on topic {row.name}",
                found=f"none told (error code {row.error_code})",
                remedy="Brokers tell them from Kafka 2.3 on",
            )
        found[row.name] = operations
    missing = sorted(set(topics) - set(found))
    if missing:
        raise KafkaDrError(
            f"Cannot {what}", expected="an answer for every topic", found=f"none for {', '.join(missing[:5])}"
        )
    return found
