# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror of everything but what it excludes: what it copies is waited for, translated and compared, under the names
that it gives.
"""

from __future__ import annotations

import time

import pytest
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import mirrors as _mirrors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import (
    OTHERS,
    describe_groups,
    memberships,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.mirror_config import checked
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.groups import living_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import comparison, worker
from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.kafka import clusters
from tests.support.witness_program import witness_module

pytestmark = pytest.mark.real

MIRROR = {"name": "all", "source": "a", "target": "b", "topics": [".*"], "topics_exclude": [r"orders\.scratch\..*"]}
COPIED = {
    "orders.a": "orders.a",
    "x.internal": "x.internal",
    "x-internal": "x-internal",
    "mm2-x": "mm2-x",
    "my.heartbeats": "a.my.heartbeats",
}
LEFT_OUT = ("orders.scratch.a", "orders.replica", "__mine")
RECORDS, RECORDS_AGAIN = 40, 20
AGAIN = "again"


def make_again(source, target):
    """The topic whose group has processed everything is deleted and made again; its new records are copied behind the
    old ones.
    """
    lab.set_positions(source, AGAIN, {"idle": {0: RECORDS}})
    lab.until(
        lambda: any(
            (one["group"], one["topic"], one["upstream"]) == ("idle", AGAIN, RECORDS)
            for one in lab.info(source, target, details=True)["checkpoints"] or ()
        ),
        60,
    )
    admin = AdminClient(source.client)
    admin.delete_topics([AGAIN])[AGAIN].result(30)
    lab.until(lambda: AGAIN not in admin.list_topics(timeout=30).topics, 30)
    lab.create(source, (AGAIN, 1, {}))
    traffic.Writer(source, AGAIN, partitions=1).write(RECORDS_AGAIN)
    lab.until(lambda: len(lab.copies(target, AGAIN, 1)[0]) == RECORDS + RECORDS_AGAIN, 120)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """``(source, target)`` after a mirror copied all it was to copy and was stopped; a group stands at 10 in every
    topic.
    """
    base = tmp_path_factory.mktemp("selection")
    made = clusters(["a", "b"], base)
    source, target = made["a"], made["b"]
    topics = (*COPIED, *LEFT_OUT, AGAIN)
    lab.create(source, *((name, 1, {}) for name in topics))
    lab.prepare_target(target)
    for name in topics:
        traffic.Writer(source, name, partitions=1).write(RECORDS)
        lab.set_positions(source, name, {"idle": {0: 10}})
    mirror = lab.start_mirror(
        base / "mm2", source, target, ".*", **{"topics.exclude": ",".join(checked(MIRROR)["topics_exclude"])}
    )
    witness = lab.WitnessProcess(base / "witness", source, target, interval=1)
    try:
        found = lab.await_ready(source, target, 180, until_caught_up=True, topics=_mirrors.topics_pattern(MIRROR))
        make_again(source, target)
        lab.await_ready(source, target, 60, until_witness=True, max_witness_age=5)
        # The slowest refresh has had its chance to copy what it should not.
        time.sleep(6)
    finally:
        mirror.stop()
        witness.stop()
    yield source, target, found
    for one in made.values():
        one.stop()


def compared(source, target):
    """``{topic: verdict}`` of the comparison that the proof makes, and the whole report."""
    specs = [
        {"kind": "kafka", "config": one.client, "name": one.name, "timeout": 30, "rate": None}
        for one in (source, target)
    ]
    options = comparison.Options(_mirrors.topics_pattern(MIRROR), _mirrors.rename_of(MIRROR), wait_seconds=0)
    report = comparison.prepare(*specs, options).run(worker.InProcess())
    return {one["topic"]: one["verdict"] for one in report["topics"]}, report


def test_a_group_that_turns_out_to_be_of_connect_ends_no_round_of_the_witness(pair):
    """Until its first member is in, it is listed as a consumer group."""
    asked = {"groups": [], "groups_exclude": [], "topics": [], "interval_seconds": 1, "source": pair[0].client}
    with witness_module("witness_source") as program:
        source = program.Source(asked)
        source.ask_coordinators(["idle", "b-mm2"])
        assert source.positions(["b-mm2"]) == {"b-mm2": {}}, "it is gone, as what has no position"


def test_a_group_of_connect_that_was_listed_is_no_consumer_group(pair):
    """What reads the positions of every group goes on; who names it as a consumer group is told."""
    source = KafkaClient(pair[0].client)
    _positions, _members, left = living_positions(source, "idle".__eq__, lambda _topic: True, ["idle", "b-mm2"])
    assert "b-mm2" not in left
    assert "b-mm2" not in memberships(source, ["idle", "b-mm2"])
    described = describe_groups(source, ["idle", "b-mm2"], others=True)
    assert {name: group["state"] for name, group in described.items()} == {"idle": "EMPTY", "b-mm2": OTHERS}
    with pytest.raises(KafkaDrError, match="b-mm2"):
        describe_groups(source, ["b-mm2"])


def test_what_is_copied_is_waited_for_and_nothing_else(pair):
    _source, target, found = pair
    assert {row["topic"]: row["target_topic"] for row in found["partitions"]} == {**COPIED, AGAIN: AGAIN}
    assert all(row["caught_up"] and row["mirrored_through"] == RECORDS for row in found["partitions"])
    there = AdminClient(target.client).list_topics(timeout=30).topics
    assert set(COPIED.values()) <= set(there) and not set(LEFT_OUT) & set(there), (
        "the mirror itself copies these, and only these"
    )


@pytest.mark.parametrize("alive", [True, False])
def test_positions_are_translated_where_records_are_copied(pair, alive):
    source, target, dummy = pair
    ends = lab.ends_of(target, *COPIED.values())
    plan = lab.translate(
        source if alive else None, target, check=True, topics=_mirrors.topics_pattern(MIRROR), target_ends=ends
    )["plan"]
    plan = [row for row in plan if row["topic"] != AGAIN]
    assert {(row["topic"], row["target_topic"], row["to"]) for row in plan} == {
        (topic, copy, 10) for topic, copy in COPIED.items()
    }


def test_a_topic_that_was_made_again_is_not_skipped(pair):
    """Its group's position went with the former topic; the checkpoint that is left names the end of that topic."""
    _source, target, _found = pair
    plan = lab.translate(None, target, check=True, topics=AGAIN, target_ends=lab.ends_of(target, AGAIN))["plan"]
    records = lab.copies(target, AGAIN, 1)[0]
    assert [row["position_from"] for row in plan] == ["checkpoint"]
    assert all(row["confidence"] == "lower_bound" and "made again" in row["evidence"] for row in plan)
    assert sum(offset >= plan[0]["to"] for offset, dummy in records) >= RECORDS_AGAIN, (
        "every new record is ahead of the group"
    )


def test_an_absent_copy_with_an_internal_looking_name_is_a_loss(pair):
    source, target, dummy = pair
    verdicts, report = compared(source, target)
    # The copy of what was made again holds the records of both.
    assert {topic: one for topic, one in verdicts.items() if topic != AGAIN} == dict.fromkeys(COPIED, "PROVEN")
    admin = AdminClient(target.client)
    admin.delete_topics(["x-internal"])["x-internal"].result(30)
    lab.until(lambda: "x-internal" not in admin.list_topics(timeout=30).topics, 30)
    verdicts, report = compared(source, target)
    assert (verdicts["x-internal"], report["verdict"]) == ("LOSS", "LOSS")
