# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic, its copy and what MirrorMaker 2 and the position witness say of them, written by hand: for tests of
positions that need no mirror.
"""

from __future__ import annotations

import json
import time
import uuid

from confluent_kafka import Consumer, Producer, TopicPartition

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import (
    Checkpoint,
    OffsetSync,
    encode_offset_sync,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import (
    SOURCE_CONNECTOR,
    SourceOffset,
    encode_source_offset,
)
from tests.support import offsets_lab as lab
from tests.support.committing import commit_places
from tests.support.mm2_records import encode_checkpoint


def now():
    return int(time.time() * 1000)


def name(kind):
    return f"{kind}-{uuid.uuid4().hex[:8]}"


def values(count, mark=""):
    """Values of records, no two of them alike; those of one mark are the same each time."""
    return [f"{mark}{number}".encode() for number in range(count)]


def write(cluster, topic, rows):
    """Rows of (partition, key, value, timestamp), in order."""
    producer = Producer({**cluster.client, "enable.idempotence": True})
    for partition, key, value, timestamp in rows:
        producer.produce(topic, value, key, partition=partition, timestamp=timestamp)
    assert producer.flush(30) == 0


class Pair:
    """A topic of so many equal records on both sides, copied to its end by an exactly-once mirror."""

    def __init__(self, source, target, partitions=1, count=50):
        records = values(count)
        self.begin(source, target, records, records, partitions)
        for number in range(partitions):
            self.pairs((0, 0), (count - 1, count - 1), partition=number)
        self.copied_up_to(count - 1)

    def begin(self, source, target, theirs, copies, partitions=1):
        """A topic with these values in each partition, its copy with those, and the mirror's own topics, empty."""
        self.source, self.target, self.count, self.partitions = source, target, len(theirs), partitions
        self.topic, self.alias = name("pair"), name("a")
        self.positions, self.offsets = name("positions"), name("mm2-offsets")
        self.checkpoints = f"{self.alias}.checkpoints.internal"
        self.syncs = f"mm2-offset-syncs.{self.alias}.internal"
        at = now()
        for cluster, held in ((source, theirs), (target, copies)):
            lab.create(cluster, (self.topic, partitions, {}))
            write(cluster, self.topic, [(number, b"k", value, at) for number in range(partitions) for value in held])
        lab.create(target, (self.checkpoints, 1, {"cleanup.policy": "compact"}))
        lab.create(target, *((kept, 1, {}) for kept in (self.positions, self.offsets, self.syncs)))

    def pairs(self, *pairs, at=None, partition=0):
        """Offset syncs of (source offset, target offset), in the order written."""
        rows = [encode_offset_sync(OffsetSync(self.topic, partition, *pair)) for pair in pairs]
        write(self.target, self.syncs, [(0, *row, at or now()) for row in rows])

    def copied_up_to(self, last):
        """Connect's offsets of the last records copied, written in a transaction."""
        producer = Producer({**self.target.client, "transactional.id": self.topic, "log_level": 0})
        producer.init_transactions(30)
        producer.begin_transaction()
        for number in range(self.partitions):
            key, value = encode_source_offset(SourceOffset(SOURCE_CONNECTOR, self.alias, self.topic, number, last))
            producer.produce(self.offsets, value, key, partition=0)
        producer.commit_transaction(30)

    def checkpoint(self, group, places, metadata="", at=None):
        """As the mirror writes them, an hour ago: ``{partition: offset}``, or ``{partition: (source's, target's)}``."""
        both = {number: at if isinstance(at, tuple) else (at, at) for number, at in places.items()}
        rows = [
            encode_checkpoint(Checkpoint(group, self.topic, number, *offsets, metadata))
            for number, offsets in both.items()
        ]
        write(self.target, self.checkpoints, [(0, *row, at or now() - 3_600_000) for row in rows])

    def witnessed(self, groups, at=None, recreated=0, **more):
        """A whole round of the position witness: ``{group: {partition: offset}}``."""
        at = at or now()
        partitions = max(self.partitions, *(number + 1 for places in groups.values() for number in places), 1)
        rows = [witness.encode_cluster(at, "C"), witness.encode_topic(self.topic, at, "id", recreated)]
        rows += [witness.encode_group(group, at, {self.topic: places}, **more) for group, places in groups.items()]
        ends = {self.topic: dict.fromkeys(range(partitions), self.count)}
        rows += [witness.encode_ends(at, ends), witness.encode_round(at, 0, len(groups), 1)]
        write(self.target, self.positions, [(0, key, value, at) for key, value in rows])

    def translate(self, *groups, alive=True, check=False, **more):
        """``offset_translate`` of these groups."""
        options = {
            "topics": self.topic,
            "source_alias": self.alias,
            "offsets_topic": self.offsets,
            "positions_topic": self.positions,
            "groups_regex": "",
        }
        return lab.translate(
            self.source if alive else None, self.target, check, groups=list(groups), **{**options, **more}
        )

    def commit(self, cluster, group, places, metadata=""):
        """As a consumer without membership does it."""
        offsets = [TopicPartition(self.topic, number, at, metadata=metadata) for number, at in places.items()]
        commit_places(cluster.client, group, offsets)

    def committed(self, cluster, group, partitions=1):
        """``{partition: (offset, metadata)}`` as a consumer of the group reads it."""
        consumer = Consumer({**cluster.client, "group.id": group})
        found = consumer.committed([TopicPartition(self.topic, number) for number in range(partitions)], 30)
        consumer.close()
        return {place.partition: (place.offset, place.metadata or "") for place in found if place.offset >= 0}


class Written(Pair):
    """A topic and its copy whose records, offset syncs and Connect offsets a test writes itself."""

    def __init__(self, clusters, theirs, copies, partitions=1):
        self.begin(clusters["source"], clusters["target"], theirs, copies, partitions)

    def plan(self, *groups, alive=False, end=None, **more):
        """``({(group, partition): row of the plan}, others by name)`` in check mode.

        :param end: where the mirror's writing ended in partition 0.
        """
        ends = {} if end is None else {"target_ends": {self.topic: {"0": end}}}
        found = self.translate(*groups, alive=alive, check=True, **ends, **more)
        others = [row for row in found["others"] if row["group"] != "*"]
        return {(row["group"], row["partition"]): row for row in found["plan"]}, others

    def proof(self, file, count):
        """The report of a proof that found the first records of both sides equal; its path."""
        described = [
            describe_topics(KafkaClient(cluster.client, timeout=30), [self.topic])[self.topic]
            for cluster in (self.source, self.target)
        ]
        whole = {"source_offset": 0, "target_offset": 0, "count": count}
        ranges = {"source_range": [0, count], "target_range": [0, count]}
        topic = {
            "topic": self.topic,
            "target_topic": self.topic,
            "source_topic_id": described[0]["id"],
            "target_topic_id": described[1]["id"],
            "timestamps_compared": True,
            "partitions": [{"partition": 0, **ranges, "offset_map": [whole]}],
        }
        file.write_text(json.dumps({"topics": [topic]}))
        return str(file)
