# SPDX-License-Identifier: GPL-3.0-or-later
"""A failover reads the lost region's manifest from an object store: refused before anything is changed where it cannot
be opened, and read by the translation and the proof where it can.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from kafka_dr_lab.lab import Lab
from kafka_dr_lab.landscape import GROUP
from tests.real.hosts.mirrors import until
from tests.real.lab.playing import SOURCE, TARGET
from tests.real.restore.story import Story
from tests.support.committing import commit_places
from tests.support.kafka import free_ports
from tests.support.object_store import VARIABLES, ObjectStore
from tests.support.offsets_lab import POSITIONS, copies

pytestmark = pytest.mark.full
TOPIC, COUNT, POSITION = "flights.stored", 200, 120
# One that the lab's mirror carries.
STORED = f"{GROUP}-stored"


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    directory = tmp_path_factory.mktemp("stored") / "lab"
    try:
        played = Story(directory)
        played.admin_client(SOURCE).create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(30)
        played.went("initial_setup")
        yield played
    finally:
        Lab(directory).down()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    patched = pytest.MonkeyPatch()
    for name, value in VARIABLES.items():
        patched.setenv(name, value)
    store = ObjectStore(tmp_path_factory.mktemp("store") / "log")
    yield store
    store.stop()
    patched.undo()


def fill(story: Story) -> None:
    """Records, a group that stands among them, and a copy of all that."""
    producer = Producer({**story.admin(SOURCE), "enable.idempotence": True})
    for number in range(COUNT):
        producer.produce(TOPIC, b"%d" % number, b"k%d" % number, 0)
    assert producer.flush(60) == 0
    commit_places(story.admin(SOURCE), STORED, [TopicPartition(TOPIC, 0, POSITION)])
    until(lambda: copied(story) == COUNT, "the copies", 120)
    until(lambda: STORED in witnessed(story), "the witness to see the group", 60)


def copied(story: Story) -> int:
    """How many records the copy holds; its offsets count the markers of the mirror's transactions too."""
    if TOPIC not in story.admin_client(TARGET).list_topics(timeout=30).topics:
        return 0
    return len(copies(SimpleNamespace(client=story.admin(TARGET)), TOPIC, 1)[0])


def witnessed(story: Story) -> set[str]:
    return set((read_witness(KafkaClient(story.admin(TARGET)), POSITIONS) or {"groups": {}})["groups"])


def test_a_failover_reads_the_manifest_from_an_object_store(story: Story, store: ObjectStore) -> None:
    fill(story)
    place = store.uri(f"manifests/{SOURCE}")
    saved = story.stage(
        "manifest",
        {
            "manifest_region": SOURCE,
            "manifest_directory": place,
            "manifest_topics": r"flights\..*",
            "manifest_ledger_region": TARGET,
        },
    )
    assert saved.returncode == 0, saved.stdout[-3000:]
    story.lab.lose(SOURCE)
    before = story.state_of_target()
    (port,) = free_ports(1)
    silent = place.replace(f"endpoint_override=127.0.0.1:{store.port}", f"endpoint_override=127.0.0.1:{port}")
    for elsewhere in (store.uri("manifests/nowhere"), silent):
        refused = story.stage("failover", {"failover_manifest": elsewhere})
        text = " ".join(refused.stdout.split())
        assert refused.returncode != 0 and "The manifest of north_america cannot be used" in text, refused.stdout
        assert "Refused, nothing was changed" in text and "Traceback" not in text, refused.stdout
        assert story.state_of_target() == before

    done = story.stage("failover", {"failover_manifest": place})
    assert done.returncode == 0 and "PROVEN" in done.stdout, done.stdout
    known = story.module("ledger_info")
    assert known["active_region"] == TARGET
    assert known["last"]["failover"]["found"]["verdict"] == "PROVEN"
    consumer = Consumer({**story.admin(TARGET), "group.id": STORED})
    assert consumer.committed([TopicPartition(TOPIC, 0)], 30)[0].offset == POSITION
    consumer.close()
