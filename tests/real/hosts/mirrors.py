# SPDX-License-Identifier: GPL-3.0-or-later
"""Real mirrors out of real descriptions: what the filters render is what MirrorMaker 2 runs."""

from __future__ import annotations

import time
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import properties
from tests.support.committing import commit_places
from tests.support.kafka import JavaProcess, free_ports
from tests.support.transactions import end_transaction


class Mirror(JavaProcess):
    """Dedicated MirrorMaker 2 from mirror descriptions.

    :param mirrors: one description or several (``kafka_dr_mirrors``).
    :param clients: ``{region: librdkafka keys}``.
    :param secrets: ``{region: secret keys}``; written into the second file.
    :param override: properties set, or with None taken out, after rendering (faults are planted so).
    """

    def __init__(
        self,
        directory: Path,
        mirrors,
        clients: dict,
        secrets: dict | None = None,
        override: dict | None = None,
        name: str = "mm2",
    ):
        super().__init__(directory, name)
        self.settings = self.directory / f"{name}.properties"
        self.secrets_file = self.directory / f"{name}-secrets.properties"
        made = properties.mirror_properties(mirrors, clients, str(self.secrets_file), rest_port=free_ports(1)[0])
        made.update(override or {})
        self.properties = {key: value for key, value in made.items() if value is not None}
        self.secrets_file.write_text(properties.render_properties(properties.mirror_secrets(secrets or {})))
        self.secrets_file.chmod(0o600)

    def start(self) -> Mirror:
        self.settings.write_text(properties.render_properties(self.properties))
        self.launch("org.apache.kafka.connect.mirror.MirrorMaker", str(self.settings))
        return self


def until(condition, what: str, seconds: float = 60, pause: float = 0.3):
    """The first true value of ``condition()``; a failure that says what was last seen."""
    end = time.monotonic() + seconds
    seen = None
    while time.monotonic() < end:
        try:
            seen = condition()
        except KafkaException as error:  # a topic just made has no leader for a moment
            seen = error
        else:
            if seen:
                return seen
        time.sleep(pause)
    raise AssertionError(f"after {seconds} s still not: {what}; last seen {seen!r}")


def create(client: dict, *topics: str, partitions: int = 1, config: dict | None = None) -> None:
    admin = AdminClient(client)  # kept: a dropped client ends its futures
    futures = admin.create_topics([NewTopic(topic, partitions, 1, config=config or {}) for topic in topics])
    for future in futures.values():
        future.result(30)


def send(client: dict, topic: str, values, partition: int = 0, headers=None, **config) -> None:
    """Write ``values`` in order; in one transaction where ``transactional.id`` is given."""
    producer = Producer({"linger.ms": 20, **client, **config})
    transactional = "transactional.id" in config
    if transactional:
        producer.init_transactions(30)
        producer.begin_transaction()
    for value in values:
        while True:
            try:
                producer.produce(topic, value=value, key=value, partition=partition, headers=headers)
                break
            except BufferError:
                producer.poll(0.2)
    if producer.flush(60):
        raise AssertionError(f"not all records reached {topic}")
    if transactional:
        end_transaction(producer, client, topic, partition)


def send_aborted(client: dict, topic: str, values, partition: int = 0) -> None:
    producer = Producer({**client, "transactional.id": f"aborting-{topic}"})
    producer.init_transactions(30)
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value=value, partition=partition)
    end_transaction(producer, client, topic, partition, commit=False)


def ends(client: dict, topic: str, partition: int = 0) -> tuple[int, int]:
    """Log start and high watermark."""
    consumer = Consumer({**client, "group.id": "ends"})
    try:
        return consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=15)
    finally:
        consumer.close()


def read(client: dict, topic: str, partition: int = 0, isolation: str = "read_committed", seconds: float = 30) -> list:
    """Every record that a reader gets, up to the end as it is now."""
    consumer = Consumer(
        {
            **client,
            "group.id": "reader",
            "enable.auto.commit": False,
            "isolation.level": isolation,
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
        }
    )
    low = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=15)[0]
    consumer.assign([TopicPartition(topic, partition, low)])
    records, end = [], time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error():
                return records
            records.append(message)
        raise AssertionError(f"{topic}-{partition} was not read to its end in {seconds} s")
    finally:
        consumer.close()


def topic_config(client: dict, topic: str) -> dict:
    resource, admin = ConfigResource("topic", topic), AdminClient(client)
    return {name: one.value for name, one in admin.describe_configs([resource])[resource].result(15).items()}


def exists(client: dict, topic: str) -> bool:
    return topic in topics_of(client)


def topics_of(client: dict) -> set[str]:
    return set(AdminClient(client).list_topics(timeout=15).topics)


def commit(client: dict, group: str, topic: str, offset: int, partition: int = 0) -> None:
    commit_places(client, group, [TopicPartition(topic, partition, offset)])


def committed(client: dict, group: str, topic: str, partition: int = 0) -> int | None:
    consumer = Consumer({**client, "group.id": group, "enable.auto.commit": False})
    try:
        found = consumer.committed([TopicPartition(topic, partition)], timeout=15)[0].offset
        return found if found >= 0 else None
    finally:
        consumer.close()
