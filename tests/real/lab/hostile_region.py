# SPDX-License-Identifier: GPL-3.0-or-later
"""What others can write into a region of the lab, full of hostile texts, and what has to be so after each stage."""

from __future__ import annotations

from pathlib import Path

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    NewTopic,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import ensure_quotas
from kafka_dr_lab.waiting import until
from tests.real.hosts.mirrors import read
from tests.real.lab.playing import SOURCE, Playground
from tests.support.hostile import commands, steers_terminal, without_null

# All that Kafka allows in a topic's name, in shapes that mean something to somebody.
TOPICS = [
    "flights.-rf",
    "flights.--help",
    "flights...",
    "flights.null",
    "flights.1e5",
    "flights.true",
    "flights.__kafka_dr_ledger",
    "flights.mm2-offsets.x.internal",
    "flights." + "x" * 241,
]
# MirrorMaker 2 copies no topic whose name ends so.
NEVER_COPIED = {"flights.mm2-offsets.x.internal"}
COPIED = sorted(set(TOPICS) - NEVER_COPIED)
# How many records one call of write leaves in a topic.
EACH = len(commands("")) + 1
VERBOSE = ("-vvv", "--diff")
GROUP = "flights-dashboard"


def write(config: dict, topics: list[str], mark: str) -> None:
    """Every text as key, value and header of a record in each of these topics."""
    producer = Producer(config)
    for topic in topics:
        for text in commands(mark):
            raw = text.encode()
            producer.produce(topic, raw, raw, headers=[(text.replace("\0", ""), raw), ("kafka-dr-salvaged", raw)])
        producer.produce(topic, b"\xff\xfe\x00", b"\xc3\x28")
    assert producer.flush(60) == 0


def copied(ground: Playground, region: str, topic: str) -> int:
    """How many records a region has of a topic; none before it is there."""
    try:
        return len(read(ground.admin(region), topic))
    except KafkaException:
        return 0


def await_copies(ground: Playground, region: str) -> None:
    """Wait until a region has what one call of :func:`fill` wrote in the other."""
    until("the copies", lambda: [copied(ground, region, one) for one in COPIED] == [EACH] * len(COPIED), 180)


def fill(ground: Playground, mark: str, region: str = SOURCE) -> list[str]:
    """Topics, records and groups in a region; the names of the groups."""
    config = ground.admin(region)
    admin = AdminClient(config)
    for future in admin.create_topics([NewTopic(one, 1, 1) for one in TOPICS]).values():
        future.result(60)
    write(config, TOPICS, mark)
    groups = [GROUP + text for text in without_null(commands(mark))]
    for group in groups:
        asked = [ConsumerGroupTopicPartitions(group, [TopicPartition(TOPICS[0], 0, 5)])]
        found = next(iter(admin.alter_consumer_group_offsets(asked).values())).result(60)
        assert not found.topic_partitions[0].error, group
    return groups


def strangers(mark: str, operations: list[str]) -> list[dict]:
    """Rights of principals whom no inventory names, on a topic."""
    return [
        {"principal": f"User:{one}", "resource": "topic", "name": TOPICS[0], "operations": operations}
        for one in without_null(commands(mark))
    ]


def grant(ground: Playground, mark: str, region: str = SOURCE) -> None:
    """Users, rights and quotas whose names are hostile: strangers may read, and an application may from such a host.

    No right is about a hostile name: with some of them, brokers of Kafka 4.3.1 did not come back from their authorizer.
    """
    texts = without_null(commands(mark))
    client = KafkaClient(ground.admin(region))
    acls = strangers(mark, ["READ"]) + [
        {"principal": "departures-consumer", "resource": "group", "name": GROUP, "operations": ["READ"], "host": one}
        for one in texts
    ]
    ensure_acls(client, acls, "present", False)
    ensure_quotas(
        client,
        [{"entity": {"client-id": one}, "limits": {"consumer_byte_rate": 50_000_000}} for one in texts],
        "present",
        False,
    )
    changes = [
        UserScramCredentialUpsertion(one, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), b"not-guessed-7")
        for one in texts
    ]
    # Kept: a client that is dropped ends its futures.
    admin = AdminClient(ground.admin(region))
    for future in admin.alter_user_scram_credentials(changes).values():
        future.result(60)


def connected(ground: Playground, mark: str, region: str = SOURCE) -> list[Consumer]:
    """Members of groups of their own whose client ids are hostile; keep them, and close them."""
    members = []
    for number, text in enumerate(without_null(commands(mark))):
        one = Consumer({**ground.admin(region), "group.id": f"strangers-{number}", "client.id": text[:200]})
        one.subscribe([TOPICS[0]])
        one.poll(0.1)
        members.append(one)
    return members


def untouched(ground: Playground, mark: Path, *said: str) -> None:
    """Nothing that was written there ran, and no output steers a terminal."""
    assert not mark.exists() and not list(ground.lab.directory.parent.glob("mark*")), mark
    assert not [one["name"] for one in ground.lab.supervisor.processes() if "evil" in one["name"]]
    for text in said:
        assert not steers_terminal(text), [text[max(0, text.find(one) - 200) :][:400] for one in steers_terminal(text)]
