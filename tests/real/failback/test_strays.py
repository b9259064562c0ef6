# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that reach the region while a failback runs, from somebody whom no fence stops, are saved before their topic
is deleted.
"""

from __future__ import annotations

import time

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from kafka_dr_lab.drill import MIRROR
from kafka_dr_lab.journals import topic_ids
from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.playing import SOURCE, TARGET, playground

pytestmark = pytest.mark.full
# Nobody has ever written to it when the failback looks at the region.
QUIET = "flights.diverted"


@pytest.fixture(scope="module")
def returned(tmp_path_factory):
    """A lab whose source was lost with nothing that only it has, and is back."""
    directory = tmp_path_factory.mktemp("strays")
    with playground(directory) as ground:
        admin = AdminClient(ground.admin(SOURCE))
        for future in admin.create_topics([NewTopic(QUIET, 2, 1)]).values():
            future.result(30)
        done = ground.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3000:]
        ground.lab.halt("departures-producer")
        end = time.monotonic() + 60
        while held(ground, SOURCE) != held(ground, TARGET):
            assert time.monotonic() < end
            time.sleep(0.5)
        time.sleep(5)
        ground.lose_and_return()
        yield ground


def held(ground, region):
    return topic_ids(ground.admin(region), list(TOPICS))


def write(ground, *values, topic=QUIET):
    producer = Producer(ground.admin(SOURCE))
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(30) == 0


def saved(ground):
    """What stands in the side topic in the region that works."""
    consumer = Consumer({**ground.admin(TARGET), "group.id": "looks", "isolation.level": "read_committed"})
    consumer.assign([TopicPartition(f"{QUIET}.salvaged", 0, OFFSET_BEGINNING)])
    found = []
    while message := consumer.poll(5):
        found.append(message.value())
    consumer.close()
    return found


def rights(ground):
    """What the stages' user may write in the region that works, by an ACL for one topic."""
    every = AclBindingFilter(
        ResourceType.TOPIC,
        None,
        ResourcePatternType.LITERAL,
        "User:kdr-stages",
        None,
        AclOperation.WRITE,
        AclPermissionType.ALLOW,
    )
    admin = AdminClient(ground.admin(TARGET))
    return {one.name for one in admin.describe_acls(every).result(30)}


@pytest.fixture(scope="module")
def back(tmp_path_factory):
    return {
        "failback_region": SOURCE,
        "failback_from": TARGET,
        "failback_salvage": [{"topics": QUIET, "action": "side_topic"}],
        "failback_accept_side_topics": ["north-america-to-europe-back", "User:departures-consumer"],
        "failback_salvage_directory": str(tmp_path_factory.mktemp("salvage")),
    }


def test_what_comes_late_is_saved(returned, back):
    # Somebody gave the stages' user a right that the salvage would give it too.
    acl = AclBinding(
        ResourceType.TOPIC,
        f"{QUIET}.salvaged",
        ResourcePatternType.LITERAL,
        "User:kdr-stages",
        "*",
        AclOperation.WRITE,
        AclPermissionType.ALLOW,
    )
    admin = AdminClient(returned.admin(TARGET))
    for future in admin.create_acls([acl]).values():
        future.result(30)
    before = rights(returned)
    returned.kill_after("failback", "Hold off deletion in the region", back)
    write(returned, b"after the first look")
    returned.kill_after("failback", "Find out what only the region has", back)
    assert saved(returned) == [b"after the first look"]
    write(returned, b"after it was saved")
    returned.kill_when_gone("failback", MIRROR, back)
    assert saved(returned) == [b"after the first look", b"after it was saved"]
    assert rights(returned) == before


def test_what_reaches_a_topic_that_is_continued_has_a_way_out(returned, back):
    """What was decided stands by then, and the records that were proven are not all that the topic holds any more."""
    decided = returned.module("ledger_info")["done"]["failback"]["compared"]["found"]
    assert TOPICS[0] in decided["kept"] and decided["again"] == [QUIET]
    write(returned, b"to a topic that is continued", topic=TOPICS[0])
    refused = returned.stage("failback", back)
    told = " ".join(refused.stdout.split())
    assert refused.returncode == 2 and f"{TOPICS[0]}-0 ends at" in told and "delete it" in told, refused.stdout
    # As the refusal advises.
    admin = AdminClient(returned.admin(SOURCE))
    admin.delete_topics([TOPICS[0]])[TOPICS[0]].result(30)
    done = returned.stage("failback", back)
    assert done.returncode == 0, done.stdout
    ended = returned.module("ledger_info")["last"]["failback"]["found"]
    assert (ended["verdict"], ended["again"], ended["salvaged"]) == ("PROVEN", sorted([QUIET, TOPICS[0]]), 2)
