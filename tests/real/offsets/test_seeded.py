# SPDX-License-Identifier: GPL-3.0-or-later
"""A region was lost, made again from its backup, and copied to it again by a mirror that goes on from seeds. The topic
of its position witness still tells of the lost region's topics.
"""

from __future__ import annotations

import copy

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.distinct import cluster_id
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_seed import mirror_seed
from tests.support import offsets_lab as lab
from tests.support.offsets_pair import Written, name, now, values

pytestmark = pytest.mark.real
COUNT, HOUR = 300, 3_600_000


@pytest.fixture
def pair(two_clusters):
    return Written(two_clusters, values(COUNT), values(COUNT))


def topic_id(cluster, topic):
    return describe_topics(KafkaClient(cluster.client, timeout=30), [topic])[topic]["id"]


def seed(pair, report):
    """As ``new_backup`` does it; the restore was copied from the target to the source."""
    back = copy.copy(pair)
    back.source, back.target = pair.target, pair.source
    back.proof(report, COUNT)
    whole = {"0": {"source": [0, COUNT], "target": [0, COUNT]}}
    ids = {"source_topic_id": topic_id(pair.target, pair.topic), "target_topic_id": topic_id(pair.source, pair.topic)}
    topic = {"topic": pair.topic, "target_topic": pair.topic, "partitions": whole, **ids}
    return mirror_seed(
        {
            "source_client": pair.source.client,
            "source_client_secrets": {},
            "target_client": pair.target.client,
            "target_client_secrets": {},
            "source_alias": pair.alias,
            "target_alias": "b",
            "separator": ".",
            "proof": {"complete": True, "verdict": "PROVEN", "report": str(report), "topics": [topic]},
            "without_pairs": False,
            "connector": "MirrorSourceConnector",
            "offsets_topic": pair.offsets,
            "positions_topic": pair.positions,
            "replication_factor": 1,
            "timeout": 60,
        },
        False,
    )


def test_seeds_count_though_the_witness_comes_to_know_the_topics_later(pair, tmp_path):
    group = name("group")
    # In its first life the region had another topic of this name.
    pair.witnessed({group: {0: 40}}, at=now() - HOUR)
    assert seed(pair, tmp_path / "report.json")["pairs"] == 2
    # The mirror is exactly-once.
    pair.copied_up_to(COUNT - 1)
    lab.set_positions(pair.source, pair.topic, {group: {0: COUNT}})
    words = {"interval": 1, "topic": pair.positions, "topics": pair.topic}
    words["source_cluster"] = cluster_id(KafkaClient(pair.source.client))
    witness = lab.WitnessProcess(tmp_path / "witness", pair.source, pair.target, **words)
    client = KafkaClient(pair.target.client)
    stands = {pair.topic: {0: COUNT}}
    try:
        lab.until(lambda: read_witness(client, pair.positions)["groups"].get(group, {}).get("positions") == stands, 60)
    finally:
        witness.stop()
    assert read_witness(client, pair.positions)["topics"][pair.topic]["id"] == topic_id(pair.source, pair.topic)
    # Such a topic is too large to be read.
    rows, dummy = pair.plan(group, end=COUNT, scan_limit=50)
    row = rows[(group, 0)]
    assert (row["source_offset"], row["to"], row["confidence"]) == (COUNT, COUNT, "exact_at_end"), row


def test_a_position_of_the_lost_region_is_still_one_of_its_former_topic(pair, tmp_path):
    group = name("group")
    pair.witnessed({group: {0: 40}}, at=now() - HOUR)
    seed(pair, tmp_path / "report.json")
    rows, dummy = pair.plan(group, end=COUNT)
    assert (rows[(group, 0)]["to"], rows[(group, 0)]["confidence"]) == (0, "lower_bound"), rows
    assert not seed(pair, tmp_path / "report.json")["changed"]
