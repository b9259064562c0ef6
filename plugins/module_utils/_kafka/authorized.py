# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What every broker lets a principal do to topics, asked with the principal's own credentials (KIP-430). Nothing is written.

librdkafka sends this question to one broker of its choice; kafka-python sends it to the one that is named.
"""

from __future__ import annotations

try:
    from kafka.protocol.metadata import MetadataRequest
except ImportError:
    pass

from .._errors import KafkaDrError
from .python_client import PythonClient

# Numbers of the protocol (AclOperation).
OPERATIONS = {3: "READ", 4: "WRITE", 5: "CREATE", 6: "DELETE", 7: "ALTER", 8: "DESCRIBE", 10: "DESCRIBE_CONFIGS", 11: "ALTER_CONFIGS"}
# The bit that stands for "not asked for", with which older brokers answer.
OMITTED = 31
TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC = 29, 3
TOGETHER = 1000


def authorized_operations(client, topics: list[str]) -> dict[int, dict[str, set[str]]]:
    """``{broker: {topic: operations}}`` of the client's principal; a topic that it may not even describe has none.

    :param client: a ``KafkaClient`` of the principal.
    :raises KafkaDrError: a broker did not answer, or does not know the question.
    """
    found: dict[int, dict[str, set[str]]] = {}
    with PythonClient(client) as connection:
        for broker in sorted(client.metadata().brokers):
            found[broker] = {}
            for at in range(0, len(topics), TOGETHER):
                found[broker].update(_ask(connection, broker, topics[at: at + TOGETHER]))
    return found


def _ask(connection, broker, topics):
    what = "ask broker %d what %s may do" % (broker, connection.client.config.get("sasl.username") or "the client")
    request = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name=one) for one in topics], allow_auto_topic_creation=False,
                              include_topic_authorized_operations=True)
    made = {}
    for one in connection.ask(request, what, broker).topics:
        if one.error_code in (TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC):
            made[one.name] = set()
            continue
        if one.authorized_operations is None or OMITTED in one.authorized_operations:
            raise KafkaDrError("Cannot %s" % what, expected="its authorized operations on topic %s" % one.name,
                               found="none told (error code %d)" % one.error_code, remedy="Brokers tell them from Kafka 2.3 on")
        made[one.name] = {OPERATIONS.get(number, str(number)) for number in one.authorized_operations}
    missing = sorted(set(topics) - set(made))
    if missing:
        raise KafkaDrError("Cannot %s" % what, expected="an answer for every topic", found="none for %s" % ", ".join(missing[:5]))
    return made
