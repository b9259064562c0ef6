# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence of another time: clocks that differ, reports of topics that were made again, a copy that lost its end. None
of it makes an answer exact.
"""

from __future__ import annotations

import json
import time

import pytest
from confluent_kafka import TopicPartition

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_source_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import (
    SOURCE_CONNECTOR,
    SourceOffset,
    encode_source_offset,
)
from tests.support import offsets_lab as lab
from tests.support.committing import commit_places
from tests.support.offsets_pair import name, write

pytestmark = pytest.mark.real

NOW = int(time.time() * 1000)


def create(cluster, topic, partitions=1):
    lab.create(cluster, (topic, partitions, {}))


def copied(alias, topic, offset):
    return encode_source_offset(SourceOffset(SOURCE_CONNECTOR, alias, topic, 0, offset))


def test_the_last_row_of_a_key_counts_whatever_the_workers_clocks_say(two_clusters):
    """A task moves to a worker whose clock is behind: its rows follow the other's, and have older timestamps."""
    target, topic = two_clusters["target"], name("mm2-offsets")
    create(target, topic, 2)
    rows = [
        (0, *copied("a", "items", 100), NOW + 60000),
        (0, *copied("a", "items", 200), NOW),
        (0, *copied("a", "gone", 7), NOW + 60000),
        (0, copied("a", "gone", 7)[0], None, NOW),
    ]
    write(target, topic, rows)
    client = KafkaClient(target.client, timeout=30)
    found = read_source_offsets(client, topic, "a")
    assert found["offsets"] == {("items", 0): 200} and found["conflicts"] == []
    # Of two partitions nothing but time says which came last.
    write(target, topic, [(1, *copied("a", "items", 150), NOW + 1000)])
    found = read_source_offsets(client, topic, "a")
    assert found["offsets"] == {("items", 0): 150} and found["conflicts"] == [("items", 0)]


@pytest.fixture
def mirrored(two_clusters):
    """Ten records on both sides, and a group that has processed three: ``(source, target, topic, group, ids)``."""
    source, target = two_clusters["source"], two_clusters["target"]
    topic, group = name("items"), name("group")
    for cluster in (source, target):
        create(cluster, topic)
        write(cluster, topic, [(0, b"k", b"%d" % number, NOW + number) for number in range(10)])
    commit_places(source.client, group, [TopicPartition(topic, 0, 3)])
    ids = [
        describe_topics(KafkaClient(cluster.client, timeout=30), [topic])[topic]["id"] for cluster in (source, target)
    ]
    return source, target, topic, group, ids


def planned(mirrored, tmp_path, ids, first_copy=5, **more):
    source, target, topic, group, dummy = mirrored
    report = tmp_path / "report.json"
    partition = {
        "partition": 0,
        "source_range": [0, 10],
        "target_range": [0, 10],
        "offset_map": [{"source_offset": 0, "target_offset": first_copy, "count": 5}],
    }
    report.write_text(
        json.dumps(
            {
                "topics": [
                    {
                        "topic": topic,
                        "target_topic": topic,
                        "source_topic_id": ids[0],
                        "target_topic_id": ids[1],
                        "timestamps_compared": True,
                        "partitions": [partition],
                    }
                ]
            }
        )
    )
    (plan,) = lab.translate(
        source, target, True, groups=[group], groups_regex="", topics=topic, proof_report=str(report), **more
    )["plan"]
    return plan


@pytest.mark.parametrize("former", [(0,), (1,), (0, 1)])
def test_the_proof_of_a_topic_that_was_made_again_says_nothing(mirrored, tmp_path, former):
    """Its map would skip records 3 to 7."""
    plan = planned(
        mirrored,
        tmp_path,
        ["AAAAAAAAAAAAAAAAAAAAAA" if side in former else one for side, one in enumerate(mirrored[4])],
    )
    assert plan["to"] <= 3 and "proof" not in plan["evidence"], plan


def test_the_proof_of_these_very_topics_is_believed(mirrored, tmp_path):
    plan = planned(mirrored, tmp_path, mirrored[4], first_copy=0)
    assert (plan["to"], plan["confidence"], plan["evidence"]) == (3, "exact_verified", "offset map of a proof")
