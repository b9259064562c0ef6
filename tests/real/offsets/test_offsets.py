# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions carried over by a real MirrorMaker 2: a planned switch, a loss, the way back, and what is refused."""

from __future__ import annotations

import struct
import threading
import time

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import group_positions
from tests.support import offsets_lab as lab

from .conftest import TOPICS

pytestmark = pytest.mark.real


def outcomes(world, plan):
    held = {topic: lab.copies(world["target"], topic) for topic in ("orders", "payments")}
    for group, journal in world["journals"].items():
        answers = {row["partition"]: row["to"] for row in plan if row["group"] == group}
        yield group, len(answers), lab.outcome(journal, held[group.split("-")[0]], answers)


def test_caught_up_says_so_although_control_records_are_left(world):
    found = lab.info(world["source"], world["target"], topics=TOPICS, until_caught_up=True)
    assert found["ready"] and found["exactly_once_seen"] and found["lag"] == 0
    ends = {(one["topic"], one["partition"]): one for one in found["partitions"]}
    assert any(one["source_end"] > one["mirrored_through"] for one in ends.values() if one["topic"] == "payments")


def test_what_does_not_exist_is_absent(world):
    found = lab.info(None, world["target"], offsets_topic="no-such-topic", positions_topic="nor-this", source_alias="z")
    assert (
        found["exists"] == {"source_offsets": False, "witness": False} and found["partitions"] == [] and found["ready"]
    )
    found = lab.info(None, world["target"], source_alias="z", until_heartbeat=True)
    assert not found["ready"] and "first heartbeat of mirror z -> b" in found["waiting_for"]


def test_heartbeats_of_a_mirror_that_has_ended_do_not_make_a_living_one_old(world):
    """A mirror from here into the source wrote heartbeats there, they were copied, and it has ended since."""

    def text(value: str) -> bytes:
        return struct.pack(">h", len(value)) + value.encode()

    lab.create(world["target"], ("c.heartbeats", 1, {}))
    producer, now = Producer(world["target"].client), time.time_ns() // 1_000_000
    producer.produce("c.heartbeats", struct.pack(">hq", 0, now - 9_000_000), text("b") + text("c"))
    producer.produce("heartbeats", struct.pack(">hq", 0, now), text("c") + text("b"))
    assert producer.flush(30) == 0
    found = lab.info(None, world["target"], source_alias="c")["heartbeat"]
    assert (found["copied_at"], found["emitted_at"]) == ((now - 9_000_000) / 1000, now / 1000)
    assert found["age"] < 9000, found


def test_source_alive_is_exact_and_committed_once(world):
    before = group_positions(KafkaClient(world["target"].client), world["journals"])
    planned = lab.translate(world["source"], world["target"], check=True)
    assert group_positions(KafkaClient(world["target"].client), world["journals"]) == before
    done = lab.translate(world["source"], world["target"])
    assert done["changed"] and done["committed"] == len(
        {row["group"] for row in planned["plan"] if row["to"] != row["from"]}
    )
    assert [row["to"] for row in done["plan"]] == [row["to"] for row in planned["plan"]]
    assert {row["confidence"] for row in done["plan"]} <= {"exact_verified", "exact_at_end"}
    for group, partitions, (reprocessed, skipped) in outcomes(world, done["plan"]):
        assert (partitions, reprocessed, skipped) == (3, 0, 0), group
    again = lab.translate(world["source"], world["target"])
    assert not again["changed"] and again["committed"] == 0


def test_source_lost_skips_nothing_and_repeats_no_more_than_it_says(world):
    plan = lab.translate(
        None, world["target"], check=True, target_ends=lab.ends_of(world["target"], "orders", "payments")
    )["plan"]
    assert {row["position_from"] for row in plan} <= {"witness", "checkpoint"}
    for group, partitions, (reprocessed, skipped) in outcomes(world, plan):
        most = sum(row["reprocess_at_most"] for row in plan if row["group"] == group)
        assert partitions == 3 and skipped == 0 and reprocessed <= most, (group, reprocessed, skipped, most)
        if group.startswith("orders"):
            assert reprocessed == 0, group


def test_live_members_on_the_target_are_refused_by_name_and_nobody_is_committed(world):
    target = world["target"]
    client = KafkaClient(target.client)
    group = "orders-0.5"
    consumer = Consumer(
        {**target.client, "group.id": group, "enable.auto.commit": False, "auto.offset.reset": "earliest"}
    )
    consumer.subscribe(["orders"])
    try:
        end = time.monotonic() + 30
        while not consumer.assignment():
            consumer.poll(0.1)
            assert time.monotonic() < end
        lab.set_positions(target, "orders", {"orders-0.31": {0: 1}})
        before = group_positions(client, world["journals"])
        with pytest.raises(RefusedError, match=r"orders-0\.5: 1 live members on b"):
            lab.translate(world["source"], target)
        assert group_positions(client, world["journals"]) == before
        planned = lab.translate(world["source"], target, check=True)
        assert [one["group"] for one in planned["refused"]] == [group] and not planned["changed"]
        done = lab.translate(world["source"], target, on_live_members="skip")
        assert (
            done["committed"] == 1 and next(one for one in done["groups"] if one["group"] == group)["state"] == "left"
        )
        lab.set_positions(target, "orders", {"orders-0.31": {0: 1}})
        done = lab.translate(world["source"], target, switched_groups=[group])
        assert done["committed"] == 1 and not done["refused"]
    finally:
        consumer.close()


def test_a_consumer_without_membership_is_seen_by_its_moving_position(world):
    target = world["target"]
    consumer = Consumer({**target.client, "group.id": "orders-0.5", "enable.auto.commit": False})
    consumer.assign([TopicPartition("orders", 0, 0)])
    stop = time.monotonic() + 6

    def move():
        offset = 0
        while time.monotonic() < stop:
            offset += 1
            consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
            time.sleep(0.3)

    mover = threading.Thread(target=move)
    mover.start()
    try:
        with pytest.raises(RefusedError, match=r"orders-0\.5: its position on orders-0 of the target moves"):
            lab.translate(world["source"], target, still_seconds=3)
    finally:
        mover.join()
        consumer.close()
    assert lab.translate(world["source"], target)["committed"] == 1


def test_unaccepted_confidence_is_refused(world):
    with pytest.raises(RefusedError, match="is lower_bound"):
        lab.translate(None, world["target"], scan_limit=0, accept=[])


@pytest.mark.full
def test_the_witness_survives_its_sources_absence_and_ends_on_sigterm(world):
    source, target, witness = world["source"], world["target"], world["witness"]
    before = len(witness.lines())
    source.kill()
    time.sleep(12)
    trouble = [line for line in witness.lines()[before:] if "no round for" in line]
    assert witness.process.poll() is None and 1 <= len(trouble) <= 3, witness.lines()
    plan = lab.translate(None, target, check=True)["plan"]
    assert {row["group"] for row in plan} == set(world["journals"])
    source.start()
    lab.set_positions(source, "orders", {"orders-0.5": {0: 7}})
    end = time.monotonic() + 60
    while not any("rounds go on" in line for line in witness.lines()[before:]):
        # Its group coordinator is not at once there again; whoever asks too early ends by a signal.
        assert witness.process.poll() is None and time.monotonic() < end, witness.lines()
        time.sleep(0.5)
    lab.await_ready(None, target, 60, until_witness=True, max_witness_age=3)
    row = next(
        row
        for row in lab.translate(None, target, check=True)["plan"]
        if (row["group"], row["topic"], row["partition"]) == ("orders-0.5", "orders", 0)
    )
    assert (row["source_offset"], row["position_from"]) == (7, "witness")
    assert witness.stop() == 0
