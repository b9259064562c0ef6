# SPDX-License-Identifier: GPL-3.0-or-later
"""A backup is gone on with after a restore: nothing copied again, nothing left out, groups translated; and what is
refused.
"""

from __future__ import annotations

import copy
import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import (
    delete_groups,
    every_group,
    group_positions,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import codec_connect
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import seeds
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_seed import mirror_seed
from tests.support import offsets_lab as lab
from tests.support import traffic

from .conftest import TOPICS

pytestmark = pytest.mark.real
PARTITIONS = 4


def seed(restored, check=False, proof=None, **more):
    return mirror_seed(
        {
            "source_client": restored["region"].client,
            "source_client_secrets": {},
            "target_client": restored["backup"].client,
            "target_client_secrets": {},
            "source_alias": "a",
            "target_alias": "b",
            "separator": ".",
            "proof": proof or restored["proof"],
            "without_pairs": False,
            "connector": "MirrorSourceConnector",
            "offsets_topic": None,
            "replication_factor": 1,
            "timeout": 60,
            **more,
        },
        check,
    )


def changed(proof, change):
    other = copy.deepcopy(proof)
    change(other["topics"][0], other)
    return other


def nothing_written(restored):
    rows = lab.info(restored["region"], restored["backup"], topics=TOPICS)["partitions"]
    return {one["mirrored_through"] for one in rows} == {None}


def held(cluster):
    return {topic: lab.copies(cluster, topic, PARTITIONS) for topic in TOPICS.split("|")}


def values(copies):
    return {
        (topic, number): [value for dummy, value in records]
        for topic, numbers in copies.items()
        for number, records in numbers.items()
    }


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda topic, proof: proof.update(complete=False, verdict="LOSS"), "found LOSS"),
        (lambda topic, proof: proof.update(report="/nowhere/report.json"), "The offset map of the proof is not here"),
        (lambda topic, proof: topic.update(source_topic_id="another"), "is not the one that was proven"),
        (lambda topic, proof: topic.update(target_topic_id="another"), "is not the one that was proven"),
        (
            lambda topic, proof: topic["partitions"]["0"]["source"].__setitem__(1, 7),
            "The backup is not as the proof saw it",
        ),
        (
            lambda topic, proof: topic["partitions"]["0"]["target"].__setitem__(1, 10**9),
            "The active region is not as the proof saw it",
        ),
    ],
)
def test_what_the_proof_does_not_cover_is_refused(restored, change, said):
    with pytest.raises(KafkaDrError, match=said):
        seed(restored, proof=changed(restored["proof"], change))
    assert nothing_written(restored)


def test_an_open_transaction_is_waited_out(restored):
    from confluent_kafka import Producer

    producer = Producer({**restored["region"].client, "transactional.id": "hanging"})
    producer.init_transactions(30)
    producer.begin_transaction()
    # The partition that nobody else writes to, so that what follows is not disturbed by its record.
    producer.produce("orders", b"never committed", partition=3)
    producer.flush(30)
    try:
        with pytest.raises(RefusedError, match="has an open transaction"):
            seed(restored)
        # Where applications work, transactions are open; what was proven lies before them.
        assert seed(restored, check=True, source_in_use=True)["changed"]
    finally:
        producer.abort_transaction(30)
    lab.until(lambda: not _refused(restored), 60)


def _refused(restored):
    try:
        seed(restored, check=True)
    except RefusedError:
        return True
    return False


def test_check_mode_says_and_writes_nothing(restored):
    told = seed(restored, check=True)
    assert told["changed"] and told["partitions"] >= 6 and told["pairs"] >= told["partitions"]
    assert nothing_written(restored)


def test_what_another_mirror_wrote_is_refused_but_where_one_only_looks(restored):
    target, topic = KafkaClient(restored["backup"].client, timeout=60), "mm2-offsets.a.internal"
    row = seeds.source_offsets(restored["proof"], "a", "MirrorSourceConnector")[0]
    described = [{"name": topic, "partitions": 25, "replication_factor": 1, "configs": {"cleanup.policy": "compact"}}]
    ensure_topics(target, described, "present", False)
    write(target, topic, [(None, *codec_connect.encode_source_offset(row._replace(offset=row.offset + 7)))])
    try:
        with pytest.raises(RefusedError, match="holds what another mirror wrote"):
            seed(restored)
        told = seed(restored, check=True)
        assert told["changed"] and told["diff"]["before"] != told["diff"]["after"] == told["source_offsets"]
    finally:
        ensure_topics(target, described, "absent", False)
    lab.until(lambda: nothing_written(restored), 30)


@pytest.mark.full
def test_the_backup_goes_on(restored):
    """Seed, then start the mirror three times: new records only, each once, in order; idle and lagging groups
    translated without skipping.
    """
    region, backup, base = restored["region"], restored["backup"], restored["base"]
    lab.prepare_target(backup, "a")
    before = values(held(backup))
    assert sum(map(len, before.values())) == 6000
    groups = _groups(region)
    assert seed(restored)["changed"] and not seed(restored)["changed"]
    writers = {
        topic: traffic.Writer(region, topic, transaction=size) for topic, size in (("orders", 0), ("payments", 7))
    }
    for start in range(3):
        mirror = lab.start_mirror(base / f"mm2-{start}", region, backup, TOPICS)
        try:
            if start == 0:
                _refused_while_a_worker_runs(restored)
            for writer in writers.values():
                writer.write(600)
            lab.await_ready(region, backup, 180, until_caught_up=True, topics=TOPICS)
            _await_groups(region, backup, groups)
        finally:
            mirror.stop()
        after = values(held(backup))
        assert after == values(held(region))
        assert all(after[key][: len(records)] == records for key, records in before.items())
        assert sum(map(len, after.values())) == 6000 + (start + 1) * 1200
        _nothing_skipped(region, backup, groups)


def _groups(region):
    """One group at the end of what was restored, one in the middle of it."""
    middle = {
        topic: {number: records[len(records) // 2][0] for number, records in numbers.items() if records}
        for topic, numbers in held(region).items()
    }
    ends = {
        topic: {number: records[-1][0] + 1 for number, records in numbers.items() if records}
        for topic, numbers in held(region).items()
    }
    for name, places in (("idle", ends), ("lagging", middle)):
        for topic, numbers in places.items():
            lab.set_positions(region, topic, {f"{name}-{topic}": numbers})
    return {
        f"{name}-{topic}": (topic, numbers)
        for name, places in (("idle", ends), ("lagging", middle))
        for topic, numbers in places.items()
    }


def _await_groups(region, backup, groups):
    client = KafkaClient(backup.client, timeout=60)
    end = time.monotonic() + 60
    while True:
        there = group_positions(client, groups)
        missing = [
            (name, number)
            for name, (topic, numbers) in groups.items()
            for number in numbers
            if (topic, number) not in there.get(name, {})
        ]
        if not missing:
            return
        assert time.monotonic() < end, f"never synced: {missing}"
        time.sleep(1)


def _nothing_skipped(region, backup, groups):
    """By MirrorMaker 2's own sync, which holds 64 pairs and may send a group back; by the collection's translation,
    which reads them all, not even that.
    """
    synced = group_positions(KafkaClient(backup.client, timeout=60), groups)
    planned = {(row["group"], row["partition"]): row["to"] for row in lab.translate(region, backup, check=True)["plan"]}
    originals, copies = held(region), held(backup)
    for name, (topic, numbers) in groups.items():
        for number, position in numbers.items():
            left = [value for offset, value in originals[topic][number] if offset >= position]
            goes_on = [value for offset, value in copies[topic][number] if offset >= synced[name][(topic, number)]]
            assert goes_on[len(goes_on) - len(left) :] == left, f"{name} skips records of {topic}-{number}"
            assert [value for offset, value in copies[topic][number] if offset >= planned[(name, number)]] == left, (
                f"{name} is not exact in {topic}-{number}"
            )


def _refused_while_a_worker_runs(restored):
    client = KafkaClient(restored["backup"].client)
    lab.until(lambda: every_group(client).get("a-mm2") == 1, 60)
    with pytest.raises(RefusedError, match="A worker of the mirror still runs"):
        seed(restored)
    # A stage that only looks has not removed the old mirror.
    assert seed(restored, check=True)["partitions"] == len(
        [part for topic in restored["proof"]["topics"] for part in topic["partitions"]]
    )


@pytest.mark.full
def test_a_worker_s_group_can_be_deleted_once_it_is_empty(restored):
    client = KafkaClient(restored["backup"].client)
    lab.until(lambda: every_group(client).get("a-mm2") == 0, 60)
    assert delete_groups(client, ["a-mm2", "no-such-group"]) == ["a-mm2"]
    assert "a-mm2" not in every_group(client)
