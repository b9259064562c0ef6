# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as written after a mirror had stopped: data does; markers and aborted records take offsets and do not; an
open transaction is not decided.
"""

from __future__ import annotations

import uuid

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.late_records_info import late_records_info
from tests.real.hosts.mirrors import until
from tests.real.ledger.guarded import guarded
from tests.support.offsets_lab import create
from tests.support.transactions import end_transaction

pytestmark = pytest.mark.real


def transactional(client, topic, count, commit):
    """Records in a transaction that is committed, aborted (``commit`` false) or left open (None)."""
    producer = Producer({**client, "transactional.id": uuid.uuid4().hex, "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    for number in range(count):
        producer.produce(topic, b"%d" % number, partition=0)
    producer.flush(30)
    if commit is not None:
        end_transaction(producer, client, topic, commit=commit)
    return producer


def records_beyond(client, topic, through, **more):
    asked = {"client": client, "client_secrets": {}, "timeout": 30, "topics": topic, "through": through}
    return late_records_info({"topic_ids": {}, "at_rest": {}, **asked, **more}, False)


def test_data_counts_and_markers_do_not(two_clusters):
    client, topic = two_clusters["source"].client, f"late-{uuid.uuid4().hex[:8]}"
    admin = AdminClient(client)
    admin.create_topics([NewTopic(topic, 2, 1)])[topic].result(30)

    def late(through):
        return records_beyond(client, topic, {topic: {"0": through, "1": 0}})

    transactional(client, topic, 5, True)
    # Five records and their marker: the mirror's own offset stands after the fifth.
    seen = late(5)
    assert seen["ready"] and seen["total"] == 0 and seen["late"] == []
    transactional(client, topic, 3, False)
    assert late(5)["ready"], "aborted records were never there"
    seen = late(3)
    assert not seen["ready"] and seen["late"] == [{"topic": topic, "partition": 0, "begin": 3, "records": 2}]
    assert seen["exact"]
    assert seen["begins"] == {topic: {"0": 3}}
    transactional(client, topic, 4, True)
    seen = late(5)
    assert seen["total"] == 4 and seen["waiting_for"] == f"{topic}-0 has 4 from offset 5"
    # The topic was made again, or its leader lost records: what there is now may be anything.
    seen = late(500)
    assert (
        not seen["ready"]
        and seen["shorter"] == [{"topic": topic, "partition": 0, "through": 500, "end": 15}]
        and "made again" in seen["waiting_for"]
    )
    assert late(15)["ready"] and late(15)["shorter"] == []
    # A partition that nobody knew of counts from its beginning.
    assert records_beyond(client, topic, {})["total"] == 9
    still_open = transactional(client, topic, 1, None)
    seen = late(15)
    assert not seen["ready"] and seen["total"] == 0 and seen["undecided"] == [f"{topic}-0"]
    end_transaction(still_open, client, topic, commit=False)
    assert late(15)["ready"]


def test_a_topic_that_was_made_again_with_as_many_records_is_late(two_clusters):
    """Deleted after its mirror stopped, and written anew: the offsets alone look as if nothing had happened."""
    client, topic = two_clusters["source"].client, f"again-{uuid.uuid4().hex[:8]}"
    admin = AdminClient(client)
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    transactional(client, topic, 5, True)
    former = {topic: describe_topics(KafkaClient(client), [topic])[topic]["id"]}
    assert records_beyond(client, topic, {topic: {"0": 6}}, topic_ids=former)["ready"]
    admin.delete_topics([topic])[topic].result(30)
    until(lambda: topic not in describe_topics(KafkaClient(client), [topic]), "the topic to go", 30)
    assert records_beyond(client, topic, {topic: {"0": 6}}, topic_ids=former)["ready"], "nothing was written"
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    transactional(client, topic, 5, True)
    seen = records_beyond(client, topic, {topic: {"0": 6}}, topic_ids=former)
    assert not seen["ready"] and seen["made_again"] == [topic] and seen["total"] == 5, seen
    assert f"{topic} was made again" in seen["waiting_for"], seen
    assert seen["late"] == [{"topic": topic, "partition": 0, "begin": 0, "records": 5}]
    assert seen["begins"] == {}, "a comparison up to its beginning would find nothing wrong"


def test_a_log_that_has_begun_since_is_compared_from_where_it_was_copied(two_clusters):
    """A bound at its beginning would leave nothing to compare, and nothing to find wrong."""
    client, topic = two_clusters["source"].client, f"begun-{uuid.uuid4().hex[:8]}"
    admin = AdminClient(client)
    admin.create_topics([NewTopic(topic, 2, 1)])[topic].result(30)
    transactional(client, topic, 9, True)
    admin.delete_records([TopicPartition(topic, 0, 7)])[TopicPartition(topic, 0)].result(30)
    seen = records_beyond(client, topic, {topic: {"0": 5}})
    assert seen["late"] == [{"topic": topic, "partition": 0, "begin": 7, "records": 2}]
    assert seen["begins"] == {topic: {"0": 5}} and not seen["exact"]
    assert records_beyond(client, topic, {})["begins"] == {}, "no copy of it was known"


def test_what_expired_after_the_source_had_come_to_rest_came_too_late_and_what_did_before_was_copied(two_clusters):
    """A mirror's own offset stands before the marker of a transaction: whether that or a record has expired, only the
    end tells at which everything was seen to be copied.
    """
    client, topic = two_clusters["source"].client, f"rest-{uuid.uuid4().hex[:8]}"
    admin = AdminClient(client)
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    copied, at_rest = {topic: {"0": 5}}, {topic: {"0": 6}}

    def expired(offset):
        admin.delete_records([TopicPartition(topic, 0, offset)])[TopicPartition(topic, 0)].result(30)
        return [records_beyond(client, topic, copied, **more)["exact"] for more in ({}, {"at_rest": at_rest})]

    transactional(client, topic, 5, True)
    assert expired(6) == [False, True]
    transactional(client, topic, 3, True)
    assert records_beyond(client, topic, copied, at_rest=at_rest)["total"] == 3
    assert expired(10) == [False, False]


def test_what_was_deleted_since_the_source_had_come_to_rest_may_have_had_late_records(two_clusters):
    client, topic = two_clusters["source"].client, f"late-{uuid.uuid4().hex[:8]}"
    # A mirror remembers topics that were deleted long before.
    assert records_beyond(client, topic, {topic: {"0": 5}})["exact"]
    seen = records_beyond(client, topic, {topic: {"0": 5}}, at_rest={topic: {"0": 5}})
    assert (seen["ready"], seen["exact"], seen["total"]) == (True, False, 0)


def test_a_late_record_in_a_partition_that_was_empty_is_left_out_of_a_comparison(two_clusters):
    """A mirror has no offset of it, and its topic is known all the same."""
    client, topic = two_clusters["source"].client, f"empty-{uuid.uuid4().hex[:8]}"
    admin = AdminClient(client)
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    ids = {topic: describe_topics(KafkaClient(client), [topic])[topic]["id"]}
    transactional(client, topic, 2, True)
    assert records_beyond(client, topic, {}, topic_ids=ids)["begins"] == {topic: {"0": 0}}
    assert records_beyond(client, topic, {topic: {"1": 4}})["begins"] == {topic: {"0": 0}}


def test_a_copied_topic_that_the_source_hides_is_not_shown_to_have_nothing(tmp_path):
    source, of_user = guarded(tmp_path, "hides-late", ["looker"])
    try:
        create(source, *((topic, 1, {}) for topic in ("o.shown", "o.hidden")))
        through = {topic: {"0": 0} for topic in ("o.shown", "o.hidden", "o.deleted")}
        rights = [{"principal": "looker", "resource": "topic", "name": "o.shown", "operations": ["READ", "DESCRIBE"]}]
        # A topic that is not there tells those who may know.
        rights.append({**rights[0], "name": "o.deleted"})
        ensure_acls(KafkaClient(source.client), rights, "present", False)
        assert records_beyond(source.client, "o[.].*", through)["ready"]
        seen = records_beyond(of_user("looker"), "o[.].*", through)
        assert not seen["ready"] and seen["hidden"] == ["o.hidden"], seen
        assert "o.hidden" in seen["waiting_for"] and "DESCRIBE" in seen["waiting_for"], seen
    finally:
        source.stop()
