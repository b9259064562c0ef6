# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest is saved in an object store while a topic has all of its records, the oldest of them expire, and then the
region is lost. The restore is proven against the manifest: the ledger has where the backup's logs began, and when.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import content
from kafka_dr_lab.lab import Lab
from tests.real.hosts.mirrors import until
from tests.real.lab.playing import SOURCE, TARGET
from tests.real.restore.story import Story
from tests.support.object_store import VARIABLES, ObjectStore

pytestmark = pytest.mark.full
TOPIC, COUNT, WEEK = "flights.aged", 200, 7 * 24 * 3600 * 1000


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    directory = tmp_path_factory.mktemp("aged") / "lab"
    try:
        made = Story(directory)
        topic = NewTopic(TOPIC, 1, 1, config={"retention.ms": str(WEEK)})
        made.admin_client(SOURCE).create_topics([topic])[TOPIC].result(30)
        made.went("initial_setup")
        yield made
    finally:
        Lab(directory).down()


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the manifest is kept; stages have the credentials by their environment."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    store = ObjectStore(tmp_path / "log")
    yield store.uri("manifests/north_america")
    store.stop()


def write(story: Story) -> tuple[int, int]:
    """Records that expire within a minute, and as many of now: one segment, so that the source deletes none of them.
    The time when the last of the first has expired, and that of the others, in milliseconds.
    """
    now = int(time.time() * 1000)
    producer = Producer({**story.admin(SOURCE), "enable.idempotence": True})
    for word, begin in ((b"old", now - WEEK + 60_000 - COUNT), (b"young", now)):
        for at in range(COUNT):
            producer.produce(TOPIC, b"%s-%d" % (word, at), b"k%d" % at, 0, timestamp=begin + at)
    assert producer.flush(60) == 0
    return now + 60_000, now


def copy_of(story: Story, at: int) -> int | None:
    """Offset in the backup of the first copy as young as this; None until all are there."""
    consumer = Consumer({**story.admin(TARGET), "group.id": "reader"})
    try:
        # One by one: a partition has one answer in a request.
        first, last = (
            consumer.offsets_for_times([TopicPartition(TOPIC, 0, one)], 30)[0].offset for one in (at, at + COUNT - 1)
        )
        return first if last >= 0 else None
    except KafkaException:
        return None
    finally:
        consumer.close()


def test_what_expired_after_the_manifest_was_saved_is_not_missed(story: Story, manifest: str) -> None:
    expired_at, young = write(story)
    cut = until(lambda: copy_of(story, young), "the copies", 120)
    extra = {"manifest_region": SOURCE, "manifest_directory": manifest}
    extra.update({"manifest_topics": r"flights\..*", "manifest_ledger_region": TARGET})
    saved = story.stage("manifest", extra)
    assert saved.returncode == 0, saved.stdout[-3000:]
    (span,) = content.load(manifest)["topics"][TOPIC]["partitions"].values()
    assert (span["low"], span["high"]) == (0, 2 * COUNT)

    time.sleep(max(0.0, expired_at / 1000 - time.time()))
    # What the backup's brokers do sooner or later.
    place = TopicPartition(TOPIC, 0, cut)
    next(iter(story.admin_client(TARGET).delete_records([place]).values())).result(30)
    story.lab.lose(SOURCE)
    told = story.went("recreate_from_backup", recreate_from_backup_manifest=manifest)
    assert "PROVEN" in told

    known = story.module("ledger_info")
    held = known["done"]["recreate_from_backup"]["held"]["found"]
    assert held["starts"][TOPIC] == {"0": cut} and held["at"] >= expired_at
    assert known["last"]["recreate_from_backup"]["found"]["verdict"] == "PROVEN"
    values = [value for dummy, value, dummy2, dummy3 in story.records(SOURCE, TOPIC)[0]]
    assert values == [b"young-%d" % at for at in range(COUNT)]
