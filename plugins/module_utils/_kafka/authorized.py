# SPDX-License-Identifier: GPL-3.0-or-later
"""What every broker lets a principal do to topics, asked with the principal's own credentials (KIP-430). Nothing is
written.

librdkafka sends this question to one broker of its choice; kafka-python sends it to the one that is named.
"""

from __future__ import annotations

try:
    from kafka.protocol.metadata import MetadataRequest
except ImportError:
    pass

from .._errors import KafkaDrError, UsageError
from .acl_numbers import OPERATIONS
from .client import KafkaClient
from .python_client import PythonClient, ask_every_broker

# The bit that stands for "not asked for", with which older brokers answer.
OMITTED = 31
TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC = 29, 3
TOPICS_A_REQUEST = 1000


def authorized_operations(
    client: KafkaClient, topics: list[str]
) -> tuple[dict[int, dict[str, set[str]]], dict[int, str]]:
    """``({broker: {topic: operations}}, {broker: why it did not tell})`` of the client's principal; a topic that it may
    not even describe has no operation.

    :param client: a ``KafkaClient`` of the principal.
    :raises KafkaDrError: no broker let the principal in, or was there. :raises UsageError: brokers do not know the
        question, or the client cannot ask it.
    """

    def ask(connection: PythonClient, broker: int) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for begin in range(0, len(topics), TOPICS_A_REQUEST):
            found.update(_operations_at(connection, broker, topics[begin : begin + TOPICS_A_REQUEST]))
        return found

    return ask_every_broker(client, ask)


def _operations_at(connection: PythonClient, broker: int, topics: list[str]) -> dict[str, set[str]]:
    what = f"ask broker {broker} what {connection.client.config.get('sasl.username') or 'the client'} may do"
    request = MetadataRequest(
        topics=[MetadataRequest.MetadataRequestTopic(name=topic) for topic in topics],
        allow_auto_topic_creation=False,
        include_topic_authorized_operations=True,
    )
    found: dict[str, set[str]] = {}
    for row in connection.ask(request, what, broker).topics:
        if row.error_code in (TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC):
            found[row.name] = set()
            continue
        if row.authorized_operations is None or OMITTED in row.authorized_operations:
            raise (KafkaDrError if row.error_code else UsageError)(
                f"Cannot {what}",
                expected=f"its authorized operations on topic {row.name}",
                found=f"none told (error code {row.error_code})",
                remedy="Brokers tell them from Kafka 2.3 on",
            )
        found[row.name] = {OPERATIONS.get(number, str(number)) for number in row.authorized_operations}
    missing = sorted(set(topics) - set(found))
    if missing:
        raise KafkaDrError(
            f"Cannot {what}", expected="an answer for every topic", found=f"none for {', '.join(missing[:5])}"
        )
    return found
