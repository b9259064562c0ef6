# SPDX-License-Identifier: GPL-3.0-or-later
"""A failback that was asked for wrongly, or meets what it cannot save: refused by name, and nothing is deleted."""

from __future__ import annotations

import threading
import time
import uuid

import pytest
import yaml
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import cluster_state
from kafka_dr_lab.landscape import TOPICS
from tests.real.hosts.mirrors import read
from tests.real.lab.playing import SOURCE, TARGET, playground
from tests.support.configuring import configure

pytestmark = [pytest.mark.real, pytest.mark.full]
NEVER_LEFT = "asia"
EXPORT, REPLAY = ([{"topics": ".*", "action": action}] for action in ("export", "replay"))


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    """A lab that is set up, and whose target is the copy of a further region too, which the applications never left."""
    directory = tmp_path_factory.mktemp("bad_input")
    with playground(directory, further=[NEVER_LEFT]) as lab:
        described = lab.lab.inventory.load()
        mirrors = described["all"]["vars"]["kafka_dr_mirrors"]
        # Each mirror into a region has a witness of its own.
        own = {"name": "asia-to-europe", "positions_topic": "__kafka_dr_positions-asia"}
        mirrors.append({**mirrors[0], **own, "source": NEVER_LEFT, "topics": ["planes"]})
        lab.lab.inventory.regions_file.write_text(yaml.safe_dump(described, sort_keys=False))
        done = lab.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3500:]
        yield lab


@pytest.fixture(scope="module")
def returned(ground):
    ground.lose_and_return()
    write(ground, TOPICS[0], b"only here")
    return ground


def write(ground, topic: str, *values: bytes) -> None:
    producer = Producer(ground.admin(SOURCE))
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(30) == 0


def held(ground) -> dict:
    """Ids and ends of the topics of the region that is back."""
    state = cluster_state(KafkaClient(ground.admin(SOURCE)), ["topics", "offsets"], topics=r"flights\..*")["topics"]
    return {name: (topic["id"], topic["offsets"]) for name, topic in state.items()}


def refused(ground, *words: str, region: str = SOURCE, active: str = TARGET, **given) -> None:
    """The stage refuses with these words, and all that the region holds is still there."""
    before = held(ground)
    done = ground.stage("failback", {"failback_region": region, "failback_from": active, **given})
    told = " ".join(done.stdout.split())
    assert done.returncode != 0 and not [part for part in words if part not in told], done.stdout
    now = held(ground)
    assert {name: topic_id for name, (topic_id, dummy) in now.items()} == {
        name: topic_id for name, (topic_id, dummy) in before.items()
    }
    assert all(
        part["end"] >= before[name][1][number]["end"]
        for name, (dummy, parts) in now.items()
        for number, part in parts.items()
    )


def test_1_a_region_that_was_never_the_active_one(ground, tmp_path):
    refused(ground, f"is {SOURCE}: expected {TARGET}", failback_salvage_directory=str(tmp_path / "out"))


def test_2_regions_that_are_exchanged(returned, tmp_path):
    refused(
        returned,
        "Exchange failback_region and failback_from",
        region=TARGET,
        active=SOURCE,
        failback_salvage_directory=str(tmp_path / "out"),
    )


def test_3_a_region_that_was_not_left(returned, tmp_path):
    told = f"{NEVER_LEFT} is not the region that the applications left for {TARGET}"
    refused(returned, told, region=NEVER_LEFT, failback_salvage_directory=str(tmp_path / "out"))


def test_4_a_place_with_files_of_something_else(returned, tmp_path):
    place = tmp_path / "out" / "records"
    place.mkdir(parents=True)
    (place / "notes.txt").write_text("mine")
    refused(returned, "holds files of something else", failback_salvage_directory=str(tmp_path / "out"))
    assert [path.name for path in place.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("place", ["file", "file/out", "nothing/out"])
def test_5_a_place_that_cannot_be_written(returned, tmp_path, place):
    (tmp_path / "file").write_text("")
    told = "or a directory that can be written to, found"
    refused(returned, told, failback_salvage_directory=str(tmp_path / place))


def test_6_a_record_that_is_larger_than_the_active_region_accepts(returned, tmp_path):
    limit(returned, "2000")
    write(returned, TOPICS[0], b"x" * 3000)
    refused(
        returned,
        f"is larger than '{TOPICS[0]}' accepts: expected at most 2000 bytes",
        failback_salvage=REPLAY,
        failback_salvage_directory=str(tmp_path / "out"),
    )
    limit(returned, "1048588")


def limit(ground, size: str) -> None:
    """What the topic takes in the region that works."""
    configure(ground.admin(TARGET), TOPICS[0], {"max.message.bytes": size})


def test_7_somebody_whom_no_fence_stops_writes_on(returned, tmp_path):
    ended = threading.Event()

    def writing() -> None:
        while not ended.is_set():
            write(returned, TOPICS[1], b"stray")
            time.sleep(0.1)

    thread = threading.Thread(target=writing)
    thread.start()
    try:
        refused(
            returned,
            "does not come to rest although its applications are fenced",
            "such as a super user",
            failback_settle_timeout=10,
            failback_salvage_directory=str(tmp_path / "out"),
        )
    finally:
        ended.set()
        thread.join()


def test_8_a_topic_that_was_made_again_is_saved_before_it_is_deleted(returned, tmp_path):
    admin, name = AdminClient(returned.admin(SOURCE)), TOPICS[2]
    for future in admin.delete_topics([name]).values():
        future.result(30)
    time.sleep(2)
    for future in admin.create_topics([NewTopic(name, 3, 1)]).values():
        future.result(30)
    value = uuid.uuid4().hex.encode()
    write(returned, name, value)
    done = returned.stage(
        "failback",
        {
            "failback_region": SOURCE,
            "failback_from": TARGET,
            "failback_salvage": [{"topics": name, "action": "side_topic"}, *EXPORT],
            "failback_accept_side_topics": ["north-america-to-europe-back", "User:departures-consumer"],
            "failback_salvage_directory": str(tmp_path / "out"),
        },
    )
    told = " ".join(done.stdout.split())
    assert done.returncode == 0 and f"{name} was made again there since it was left" in told, done.stdout
    assert [record.value() for record in read(returned.admin(TARGET), f"{name}.salvaged")] == [value]
    ended = returned.module("ledger_info")["last"]["failback"]["found"]
    assert ended["verdict"] == "PROVEN" and name in ended["again"]
