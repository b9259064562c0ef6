# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions that the target has and the source has not: what the mirror's group sync left is taken away, so that no
consumer skips what nobody processed. What may be a group's own work on the target is named and stays.
"""

from __future__ import annotations

from contextlib import closing

import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import list_groups
from tests.support import offsets_lab as lab
from tests.support.offsets_pair import Pair, name

pytestmark = pytest.mark.real


@pytest.fixture
def pair(two_clusters):
    return Pair(two_clusters["source"], two_clusters["target"], partitions=2)


def offsets(pair, group):
    return {number: place[0] for number, place in pair.committed(pair.target, group, 2).items()}


def said_of(found, group):
    (row,) = [row for row in found["others"] if row["group"] == group]
    return row


def test_a_position_that_the_group_sync_left_in_a_partition_is_taken_away(pair):
    group = name("partly")
    pair.commit(pair.source, group, {0: 20})
    pair.checkpoint(group, {0: 20, 1: 45})
    pair.commit(pair.target, group, {0: 19, 1: 45})
    looked = pair.translate(group, check=True)
    assert [(row["partition"], row["offset"], row["state"]) for row in looked["left_over"]] == [(1, 45, "planned")]
    assert looked["changed"] and looked["diff"]["after"][group] == {f"{pair.topic}-0": 20, f"{pair.topic}-1": None}
    assert offsets(pair, group) == {0: 19, 1: 45}
    found = pair.translate(group)
    assert offsets(pair, group) == {0: 20}
    assert [row["state"] for row in found["left_over"]] == ["removed"] and found["summary"]["to_remove"] == 1
    said = said_of(found, group)
    assert f"{pair.topic}-1 (45)" in said["why"] and "taken away" in said["why"], said
    again = pair.translate(group)
    assert not again["changed"] and again["left_over"] == [], again


@pytest.mark.parametrize("named", [True, False])
def test_all_positions_of_a_group_that_was_deleted_to_process_again_are_taken_away(pair, named):
    group, other = name("anew"), name("other")
    pair.commit(pair.source, other, {0: 20})
    pair.checkpoint(group, {0: 45, 1: 45})
    pair.commit(pair.target, group, {0: 45, 1: 45})
    found = pair.translate(group, other, named_groups=[group] if named else [])
    assert offsets(pair, group) == {} and group not in list_groups(KafkaClient(pair.target.client))
    assert [row["state"] for row in found["left_over"]] == ["removed"] * 2 and found["committed"] == 1
    assert said_of(found, group)["named"] is named


@pytest.mark.parametrize("moves", [True, False])
def test_one_of_unknown_origin_stops_a_group_that_goes_on_in_the_target(pair, moves):
    """Whether it moves, or an application names it."""
    group, other = name("doubtful"), name("other")
    pair.commit(pair.source, other, {0: 20})
    if moves:
        pair.commit(pair.source, group, {0: 20})
    pair.checkpoint(group, {1: 40})
    pair.commit(pair.target, group, {1: 45})
    options = {} if moves else {"named_groups": [group]}
    with pytest.raises(RefusedError, match="nothing shows that the mirror brought this one") as caught:
        pair.translate(group, other, **options)
    assert {row["kind"] for row in caught.value.facts["refused"]} == {"left_over"}
    found = pair.translate(group, other, accept=["lower_bound", "left_over"], **options)
    assert offsets(pair, group) == ({0: 20, 1: 45} if moves else {1: 45})
    said = said_of(found, group)
    assert f"{pair.topic}-1 at 45" in said["why"] and "auto.offset.reset" not in said["remedy"], said


def test_what_a_group_of_the_target_alone_has_there_stays_and_is_named(pair):
    """A nightly job of the target's region that reads the copies."""
    group, other = name("nightly"), name("other")
    pair.commit(pair.source, other, {0: 20})
    pair.commit(pair.target, group, {0: 30})
    found = pair.translate(group, other)
    assert offsets(pair, group) == {0: 30} and found["committed"] == 1
    assert [row["state"] for row in found["left_over"]] == ["doubtful"] and said_of(found, group)


def test_a_group_that_works_on_the_target_keeps_what_it_has(pair):
    group, other = name("working"), name("other")
    pair.commit(pair.source, other, {0: 20})
    pair.checkpoint(group, {0: 45})
    pair.commit(pair.target, group, {0: 45})
    with closing(Consumer({**pair.target.client, "group.id": group, "enable.auto.commit": False})) as consumer:
        consumer.subscribe([pair.topic])
        lab.until(lambda: consumer.poll(0.5) or consumer.assignment(), 60)
        found = pair.translate(group, other, named_groups=[group])
    assert offsets(pair, group) == {0: 45}
    assert "members on the target" in said_of(found, group)["why"]


def test_one_in_a_topic_that_the_source_has_lost_stays_and_is_named(pair):
    """The copy holds what the group has not processed."""
    group = name("orphaned")
    pair.checkpoint(group, {0: 45})
    pair.commit(pair.target, group, {0: 45})
    admin = AdminClient(pair.source.client)
    admin.delete_topics([pair.topic])[pair.topic].result(30)
    lab.until(lambda: pair.topic not in admin.list_topics(timeout=30).topics, 30)
    found = pair.translate(group, named_groups=[group])
    assert offsets(pair, group) == {0: 45} and "does not have the partition" in said_of(found, group)["why"]


def test_a_group_that_a_stage_has_switched_keeps_what_it_has(pair):
    group = name("switched")
    pair.commit(pair.source, group, {0: 20})
    pair.checkpoint(group, {0: 20, 1: 45})
    pair.commit(pair.target, group, {0: 45, 1: 45})
    found = pair.translate(group, switched_groups=[group])
    assert offsets(pair, group) == {0: 45, 1: 45} and found["left_over"] == [] and not found["changed"]
