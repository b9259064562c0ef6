# SPDX-License-Identifier: GPL-3.0-or-later
"""One partition that no broker leads, or one copy that is hidden: the topic is named, and the others stay watched."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from confluent_kafka.admin import NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import rounds
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import HIDDEN_COPY, LEADERLESS
from tests.real.ledger.guarded import guarded
from tests.real.proof.support import admin, create, some, write
from tests.support.kafka import Kafka, joining

from .watching import Watching, said, side

pytestmark = pytest.mark.real
ROWS = some(200, headers=())


@pytest.fixture
def two_brokers(tmp_path):
    """A running broker, and one that joins it once it is started."""
    first = Kafka(tmp_path / "1", "first").start()
    second = joining(tmp_path / "2", first, 2)
    yield first, second
    for broker in (second, first):
        broker.stop()


def lose(first, second, topic):
    second.kill()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        # A client that takes the dead broker for the controller goes on asking it.
        with suppress(KafkaDrError):
            if describe_topics(KafkaClient(first.client, timeout=5), [topic])[topic]["without_leader"]:
                return
        time.sleep(0.3)
    raise AssertionError(f"{topic} has a leader still")


@pytest.mark.parametrize("where", ["source", "target"])
def test_a_partition_without_a_leader_does_not_end_the_watch_of_the_others(pair, two_brokers, where):
    first, second = two_brokers
    both, watching = {**pair, where: first}, Watching({**pair, where: first}, "w.dead")
    for cluster in both.values():
        create(cluster, {"w.dead.here": (1, {})})
        write(cluster, {"w.dead.here": ROWS})
    # The watch's own topics are on the first broker.
    watching.rounds()
    second.start()
    for name, cluster in both.items():
        given = {"replica_assignment": [[2]]} if name == where else {"replication_factor": 1}
        client = admin(cluster)
        client.create_topics([NewTopic("w.dead.there", 1, **given)])["w.dead.there"].result(30)
        write(cluster, {"w.dead.there": ROWS})
    state = watching.rounds(lambda state: len(state.partitions) == 2)
    assert said(state) == [] and {part.records for part in state.partitions.values()} == {200}
    lose(first, second, "w.dead.there")
    # As its service does once something did not answer.
    watching.open()
    for cluster in both.values():
        write(cluster, {"w.dead.here": ROWS})
    state = watching.rounds(lambda state: state.partitions["w.dead.here", 0].records == 400, seconds=120)
    assert state.not_watched == {"w.dead.there": LEADERLESS} and said(state) == ["watch-leaves-out"]
    assert state.partitions["w.dead.there", 0].records == 200
    second.start()
    state = watching.rounds(lambda state: state.not_watched == {}, seconds=120)
    assert said(state) == [] and state.partitions["w.dead.there", 0].records == 200


def test_a_copy_that_is_hidden_does_not_end_the_watch_of_the_others(pair, tmp_path):
    target, of_user = guarded(tmp_path, "hides", ["watcher"])
    names = {"w.veiled.shown": (1, {}), "w.veiled.not": (1, {})}
    watching = Watching({**pair, "target": target}, "w.veiled")
    try:
        for cluster in (pair["source"], target):
            create(cluster, names)
            write(cluster, dict.fromkeys(names, ROWS))
        watching.rounds()
        may = ["READ", "DESCRIBE", "DESCRIBE_CONFIGS"]
        own = [*may, "WRITE", "CREATE", "ALTER_CONFIGS"]
        rights = [
            {"principal": "watcher", "resource": "topic", "name": "w.veiled.shown", "operations": may},
            {
                "principal": "watcher",
                "resource": "topic",
                "name": "__kafka_dr",
                "pattern": "prefixed",
                "operations": own,
            },
            {"principal": "watcher", "resource": "transactional_id", "name": "*", "operations": ["WRITE", "DESCRIBE"]},
        ]
        ensure_acls(KafkaClient(target.client), rights, "present", False)
        described = {**side(target, "target"), "config": of_user("watcher")}
        options = rounds.Options(**watching.options)
        watching.watch = rounds.Watch(side(pair["source"], "source"), described, options)
        state = watching.rounds()
        assert state.not_watched == {"w.veiled.not": HIDDEN_COPY} and said(state) == ["watch-leaves-out"]
        assert state.partitions["w.veiled.shown", 0].records == 200
    finally:
        target.stop()
