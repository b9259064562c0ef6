# SPDX-License-Identifier: GPL-3.0-or-later
"""When a mirror has caught up: not by an offset of a topic that was made again, and whatever was aborted at the end."""

from __future__ import annotations

import json
import uuid
from types import SimpleNamespace

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.real.ledger.guarded import guarded
from tests.support.offsets_lab import create, info
from tests.support.offsets_pair import name

from .test_late_records import transactional
from .test_stale_evidence import copied

pytestmark = pytest.mark.real


@pytest.fixture
def pair(two_clusters):
    """A source topic, and what Connect says of it: ``(topic, say(offset of the last record copied), asked())``."""
    source, target = two_clusters["source"], two_clusters["target"]
    topic, offsets, alias = name("caught"), name("mm2-offsets"), uuid.uuid4().hex[:8]
    create(source, (topic, 1, {}))
    create(target, (offsets, 1, {}))

    def say(offset):
        producer = Producer(target.client)
        key, value = copied(alias, topic, offset)
        producer.produce(offsets, value, key)
        assert producer.flush(30) == 0

    def asked():
        return info(
            source,
            target,
            source_alias=alias,
            offsets_topic=offsets,
            topics=topic,
            until_caught_up=True,
            positions_topic=name("none"),
        )

    asked.alias = alias
    return source.client, topic, say, asked


def test_an_offset_of_a_topic_that_was_made_again_is_not_caught_up(pair):
    client, topic, say, asked = pair
    transactional(client, topic, 5, True)
    say(9999)
    found = asked()
    assert found["partitions"][0]["stale"] and not found["ready"], found["waiting_for"]
    assert f"{topic}-0" in found["waiting_for"] and "made again" in found["waiting_for"]
    say(4)
    assert asked()["ready"]


def test_a_task_that_failed_is_named_while_records_wait(pair, two_clusters):
    client, topic, say, asked = pair
    transactional(client, topic, 5, True)
    say(1)
    alias = asked.alias
    # As Connect 4.3.1 writes it.
    failed = {
        "state": "FAILED",
        "trace": "org.apache.kafka.connect.errors.ConnectException: Failed to read\n\tat x",
        "worker_id": "a:8083",
        "generation": 3,
    }
    target = two_clusters["target"]
    assert asked()["failed_tasks"] is None, "nobody knows where no state is"
    create(target, (f"mm2-status.{alias}.internal", 1, {"cleanup.policy": "compact"}))
    producer = Producer(target.client)
    for number, state in ((0, failed), (1, {**failed, "state": "RUNNING"})):
        producer.produce(
            f"mm2-status.{alias}.internal", json.dumps(state), f"status-task-MirrorSourceConnector-{number}"
        )
    assert producer.flush(30) == 0
    found = asked()
    reason = "org.apache.kafka.connect.errors.ConnectException: Failed to read"
    assert found["failed_tasks"] == [{"connector": "MirrorSourceConnector", "task": 0, "reason": reason}]
    assert "MirrorSourceConnector task 0" in found["waiting_for"] and "restart the mirror" in found["waiting_for"]
    say(4)
    assert asked()["ready"], "nothing is waited for, so that no task is missed"


def test_what_was_aborted_at_the_end_is_not_waited_for(pair):
    """A transaction that its producer did not end, as one that was stopped for the move: the mirror never copies it,
    however long it is.
    """
    client, topic, say, asked = pair
    transactional(client, topic, 5, True)
    transactional(client, topic, 5000, False)
    say(4)
    found = asked()
    assert found["ready"] and found["lag"] == 0, found["waiting_for"]
    transactional(client, topic, 1, True)
    found = asked()
    assert not found["ready"] and found["lag"] > 0
    say(5007)
    assert asked()["ready"]


def test_a_source_that_shows_no_topic_is_not_caught_up(pair, two_clusters):
    """A pattern that matches nothing, and a principal that Kafka shows nothing, look the same."""
    client, topic, say, dummy = pair
    transactional(client, topic, 5, True)
    say(4)

    def asked(topics, **more):
        return info(two_clusters["source"], two_clusters["target"], topics=topics, until_caught_up=True, **more)

    found = asked(topic + "-mistyped")
    assert not found["ready"] and found["waiting_for"].startswith("a topic of "), found
    assert "patterns match" in found["waiting_for"] and "DESCRIBE" in found["waiting_for"]
    assert asked(topic + "-mistyped", allow_none=True)["ready"]


def test_a_copied_topic_that_the_source_hides_among_others_is_not_caught_up(two_clusters, tmp_path):
    """One that was deleted is not waited for, and one of which the source tells nothing is none of those."""
    target, alias, offsets = two_clusters["target"], uuid.uuid4().hex[:8], name("mm2-offsets")
    source, of_user = guarded(tmp_path, "hides-one", ["looker"])
    try:
        create(source, *((topic, 1, {}) for topic in ("o.shown", "o.hidden", "o.deleted")))
        create(target, (offsets, 1, {}))
        producer = Producer(target.client)
        for topic in ("o.shown", "o.hidden", "o.deleted"):
            key, value = copied(alias, topic, 4)
            producer.produce(offsets, value, key)
        assert producer.flush(30) == 0
        for topic in ("o.shown", "o.hidden"):
            transactional(source.client, topic, 5, True)
        # Kept: a client that is dropped ends its futures.
        admin = AdminClient(source.client)
        admin.delete_topics(["o.deleted"])["o.deleted"].result(30)
        rights = [
            {"principal": "looker", "resource": "topic", "name": topic, "operations": ["READ", "DESCRIBE"]}
            for topic in ("o.shown", "o.deleted")
        ]
        ensure_acls(KafkaClient(source.client), rights, "present", False)
        asked = {"source_alias": alias, "offsets_topic": offsets, "topics": "o[.].*", "until_caught_up": True}
        asked["positions_topic"] = name("none")
        assert info(source, target, **asked)["ready"]
        found = info(SimpleNamespace(client=of_user("looker")), target, **asked)
        assert not found["ready"] and found["hidden"] == ["o.hidden"], found
        assert "o.hidden" in found["waiting_for"] and "DESCRIBE" in found["waiting_for"], found["waiting_for"]
        assert "o.deleted" not in found["waiting_for"]
    finally:
        source.stop()


def test_a_source_whose_topics_this_principal_may_not_describe_is_not_caught_up(two_clusters, tmp_path):
    source, of_user = guarded(tmp_path, "hides", ["looker"])
    try:
        create(source, ("hidden", 1, {}))
        transactional(source.client, "hidden", 5, True)
        looker = SimpleNamespace(client=of_user("looker"))
        seen, found = (
            info(one, two_clusters["target"], topics="hidden", until_caught_up=True) for one in (source, looker)
        )
        assert not seen["ready"] and "hidden-0 at 0 of" in seen["waiting_for"], seen
        assert not found["ready"] and "may DESCRIBE" in found["waiting_for"], found
    finally:
        source.stop()
