# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as written after a mirror had stopped: data does; markers and aborted records take offsets and do not; an
open transaction is not decided.
"""

from __future__ import annotations

import uuid

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.late_records_info import late_records_info

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
        (producer.commit_transaction if commit else producer.abort_transaction)(30)
    return producer


def records_beyond(client, topic, through):
    return late_records_info(
        {"client": client, "client_secrets": {}, "timeout": 30, "topics": topic, "through": through}, False
    )


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
    still_open.abort_transaction(30)
    assert late(15)["ready"]
