# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading ranges: what belongs to the range is never dropped with what does not."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, Message

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import TimedOutError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import read_events, reader


class Client:
    """A client without Kafka. Its consumer is a script: batches that race with the partition's end cannot be forced."""

    name, heard = "europe", []

    def __init__(self, *batches):
        self.batches = list(batches)
        self.asked = []

    def consumer(self, **extra):
        return self

    def ask(self, what, call):
        return call()

    def assign(self, partitions):
        self.assigned = partitions

    def pause(self, partitions):
        self.paused = partitions

    def resume(self, partitions):
        self.resumed = partitions

    def unassign(self):
        self.assigned = []

    def consume(self, count, timeout):
        self.asked.append(count)
        return self.batches.pop(0) if self.batches else []

    def close(self):
        self.closed = True


def record(offset, topic="t", partition=0):
    return Message(topic=topic, partition=partition, offset=offset, key=b"k", value=b"%d" % offset)


def end(offset, topic="t", partition=0):
    return Message(topic=topic, partition=partition, offset=offset, error=KafkaError(KafkaError._PARTITION_EOF))


def read(client, *ranges, **more):
    found = {}
    for index, messages in reader.read(client, list(ranges), **more):
        found.setdefault(index, []).extend(message.offset() for message in messages)
    return found


def test_a_record_beyond_the_bound_and_the_end_of_the_partition_in_one_batch():
    client = Client([record(0), record(1), record(2), record(5), end(6)])
    assert read(client, ("t", 0, 0, 4)) == {0: [0, 1, 2]} and client.closed


def test_the_same_with_several_partitions_at_once():
    client = Client(
        [record(0), record(1, partition=1), record(1), record(4), end(5), record(7, partition=1), end(8, partition=1)]
    )
    assert read(client, ("t", 0, 0, 3), ("t", 1, 0, 3)) == {0: [0, 1], 1: [1]}


def test_control_records_at_the_end_are_told_by_the_partition_s_end():
    assert read(Client([record(0), record(1)], [end(4)]), ("t", 0, 0, 4)) == {0: [0, 1]}


def test_an_end_before_the_bound_is_not_the_end():
    assert read(Client([record(0), end(1)], [record(1)]), ("t", 0, 0, 2)) == {0: [0, 1]}


def test_it_asks_for_what_is_left():
    client = Client([record(0), record(1)], [record(2)])
    read(client, ("t", 0, 0, 3))
    assert client.asked == [3, 1]


def test_silence_is_never_complete():
    with pytest.raises(TimedOutError, match="t partition 0"):
        read(Client([record(0)]), ("t", 0, 0, 2), timeout=0.2)


def test_an_offset_that_is_gone_is_no_jump():
    gone = Message(topic="t", partition=0, offset=0, error=KafkaError(KafkaError._AUTO_OFFSET_RESET))
    with pytest.raises(read_events.RangeGoneError):
        read(Client([gone]), ("t", 0, 0, 2))


def test_an_empty_range_reads_nothing():
    assert read(Client(), ("t", 0, 5, 5)) == {}


def test_a_session_keeps_its_consumer_until_a_reading_fails():
    client = Client([record(0), end(1)], [record(1), end(2)])
    opened = []
    client.consumer = lambda **extra: opened.append(1) or client
    session = reader.Session(client)
    for low in (0, 1):
        ((index, messages),) = session.read([("t", 0, low, low + 1)])
        assert (index, [message.offset() for message in messages]) == (0, [low])
        assert client.assigned == [], "what stays assigned is fetched on"
    assert len(opened) == 1 and not hasattr(client, "closed")
    with pytest.raises(TimedOutError):
        list(session.read([("t", 0, 2, 3)], timeout=0.01))
    assert client.closed
    client.batches = [[record(2), end(3)]]
    assert len(list(session.read([("t", 0, 2, 3)]))) == 1 and len(opened) == 2
    session.close()
