# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults planted in a live mirror, one after the other, each found by name; and nothing on a healthy one."""

from __future__ import annotations

import json
import os
import sys

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions

from .doctor import checks
from .doctored import Live, playbook
from .mirrors import Mirror, commit, committed, create, exists, read, send, until

MIRROR = {
    "name": "backup",
    "source": "source",
    "target": "target",
    "topics": ["doc\\..*"],
    "groups": ["doc-.*"],
    "tuning": {"replication_factor": 1, "refresh_seconds": 5, "checkpoint_seconds": 1},
}
SYNCS = "mm2-offset-syncs.source.internal"
TOPICS = [
    "doc.recreated",
    "doc.overtaken",
    "doc.stamped",
    "doc.small",
    "doc.copygone",
    "doc.short",
    "doc.open",
    "doc.many",
    "doc.group",
    "doc.idle",
]


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    from tests.support.kafka import clusters

    kafkas = clusters(["source", "target"], tmp_path_factory.mktemp("clusters"))
    source, target = kafkas["source"].client, kafkas["target"].client
    create(target, SYNCS, config={"cleanup.policy": "delete"})
    create(source, *TOPICS)
    for topic in TOPICS:
        send(source, topic, [b"%d" % number for number in range(100)])
    commit(source, "doc-group", "doc.group", 100)
    mirror = Mirror(tmp_path_factory.mktemp("mirror"), MIRROR, {"source": source, "target": target}).start()
    until(lambda: all(exists(target, topic) for topic in TOPICS), "all topics", 240)
    until(lambda: all(len(read(target, topic)) == 100 for topic in TOPICS), "all records", 120)
    until(lambda: committed(target, "doc-group", "doc.group"), "the group's position", 120)
    yield Live(source, target, mirror)
    mirror.stop(5)
    for one in kafkas.values():
        one.stop(5)


@pytest.mark.real
def test_00_nothing_on_a_healthy_mirror(live):
    result = live.examine(logs=[str(live.mirror.log)], configuration=live.mirror.settings.read_text())
    assert result["findings"] == [] or result["healthy"], result["findings"]
    assert checks(result, "error", "warning") == set(), result["findings"]
    assert (
        result["lag"] == 0 and result["exactly_once_seen"] and {one["state"] for one in result["tasks"]} == {"RUNNING"}
    )


@pytest.mark.real
def test_00_no_topic_to_be_seen_is_not_well(live):
    result = live.examine(topics="nothing\\..*", watch_seconds=0)
    assert "no-topics" in checks(result, "error") and result["lag"] is None and not result["healthy"]


@pytest.mark.real
def test_00_the_playbook_says_so_too_and_fails_by_severity(live, tmp_path):
    well = playbook(live, MIRROR, tmp_path)
    assert well.returncode == 0 and "is well: lag 0 records" in well.stdout, well.stdout + well.stderr
    assert json.loads((tmp_path / "doctor.json").read_text())["backup"]["healthy"]
    # This mirror has no position witness: where one is looked for, as by default, the mirror is not well.
    alone = playbook(live, MIRROR, tmp_path, doctor_max_witness_age=60)
    assert alone.returncode == 2 and "witness-missing" in alone.stdout and "is well" not in alone.stdout, alone.stdout
    known = {"doctor_known_topics": {"source/doc.idle": "another"}}
    lost = playbook(live, MIRROR, tmp_path, **known)
    assert lost.returncode == 2 and "topic-id-changed" in lost.stdout, lost.stdout
    assert playbook(live, MIRROR, tmp_path, **known, doctor_fail_on="never").returncode == 0


@pytest.mark.real
@pytest.mark.parametrize("log", ["a pipe that nobody writes to", "a directory", "not there"])
def test_00_a_log_that_is_not_read_is_named(live, tmp_path, log):
    directory = tmp_path / "mirrors" / MIRROR["name"]
    directory.mkdir(parents=True)
    if log == "a directory":
        (directory / "mm2.log").mkdir()
    elif log != "not there":
        os.mkfifo(directory / "mm2.log")
    machine = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    seen = playbook(
        live,
        MIRROR,
        tmp_path,
        machine={**machine, "kafka_dr_mirror_directory": str(directory.parent)},
        doctor_fail_on="warning",
        __doctor_log_seconds=3 if log == "a pipe that nobody writes to" else 60,
    )
    if log == "a pipe that nobody writes to":
        # What still waits to open it ends.
        os.close(os.open(directory / "mm2.log", os.O_RDWR | os.O_NONBLOCK))
    assert "log-unread (on-target)" in seen.stdout, seen.stdout + seen.stderr
    assert seen.returncode == (0 if log == "not there" else 2), seen.stdout + seen.stderr


@pytest.mark.real
def test_01_a_consumer_on_the_passive_side_blocks_its_group(live):
    consumer = Consumer({**live.target, "group.id": "doc-group", "auto.offset.reset": "earliest"})
    consumer.subscribe(["doc.group"])
    until(lambda: consumer.poll(0.5) is not None or consumer.assignment(), "the consumer to join")
    try:
        assert "group-sync-blocked" in checks(live.examine(watch_seconds=0), "error")
    finally:
        consumer.close()
    until(lambda: "group-sync-blocked" not in checks(live.examine(watch_seconds=0)), "the finding to go", 30)


@pytest.mark.full
def test_02_a_transaction_left_open_at_the_source(live):
    producer = Producer({**live.source, "transactional.id": "hanging"})
    producer.init_transactions(15)
    producer.begin_transaction()
    producer.produce("doc.open", b"open")
    producer.flush(10)
    assert "open-transaction" in checks(live.examine())
    producer.abort_transaction(15)


@pytest.mark.real
def test_03_the_target_stamps_its_own_times(live):
    live.alter(live.target, "doc.stamped", message_timestamp_type="LogAppendTime")
    assert "timestamps-overwritten" in checks(live.examine(watch_seconds=0), "error")
    live.alter(live.target, "doc.stamped", message_timestamp_type="CreateTime")


@pytest.mark.full
def test_04_the_target_takes_only_smaller_records(live):
    live.alter(live.target, "doc.small", max_message_bytes="1000")
    assert "smaller-records-only" in checks(live.examine(watch_seconds=0), "error")


@pytest.mark.real
def test_05_the_target_deletes_sooner(live):
    live.alter(live.target, "doc.short", retention_ms="60000")
    assert "shorter-retention" in checks(live.examine(watch_seconds=0), "error")


@pytest.mark.full
def test_06_offset_syncs_compacted(live):
    live.alter(live.target, SYNCS, cleanup_policy="compact")
    assert "offset-syncs-compacted" in checks(live.examine(watch_seconds=0))
    live.alter(live.target, SYNCS, cleanup_policy="delete")


@pytest.mark.full
def test_07_a_topic_that_the_mirror_leaves_out(live):
    create(live.source, "docleftout")
    send(live.source, "docleftout", [b"x"])
    assert "topic-not-mirrored" in checks(live.examine(watch_seconds=0, topics="doc.*"), "error")
    live.delete(live.source, "docleftout")


@pytest.mark.real
def test_08_positions_written_with_another_partitioner(live):
    key = b'["MirrorSourceConnector",{"cluster":"source","partition":0,"topic":"doc.idle"}]'
    for partition in (1, 2):
        producer = Producer(live.target)
        producer.produce("mm2-offsets.source.internal", key=key, value=b'{"offset":99}', partition=partition)
        producer.flush(10)
    assert "conflicting-positions" in checks(live.examine(watch_seconds=0), "error")


@pytest.mark.full
def test_09_a_group_whose_position_is_not_brought_over(live):
    commit(live.source, "doc-late", "doc.group", 100)
    until(lambda: "no-position" not in checks(live.examine(watch_seconds=0)), "the position to arrive by itself", 30)
    commit(live.source, "other-group", "doc.group", 100)
    assert "no-position" in checks(live.examine(watch_seconds=0, groups=".*"))


@pytest.mark.full
def test_10_the_copy_was_made_again(live):
    live.delete(live.target, "doc.copygone")
    create(live.target, "doc.copygone")
    assert "copy-recreated" in checks(live.examine(watch_seconds=0), "error")


@pytest.mark.full
def test_11_a_record_too_large_stops_the_task(live):
    live.alter(live.target, "doc.small", max_message_bytes="1000")
    send(live.source, "doc.small", [b"x" * 5000])

    def seen():
        one = live.examine(watch_seconds=0)
        return one if "task-failed" in checks(one) else None

    result = until(seen, "the task to fail", 90)
    failed = next(one for one in result["findings"] if one["check"] == "task-failed")
    assert "larger" in failed["cause"], failed
    assert "log-record-too-large" in checks(live.examine(watch_seconds=0, logs=[str(live.mirror.log)]), "error")


@pytest.mark.full
def test_12_records_wait_and_none_moves(live):
    for topic in TOPICS:
        send(live.source, topic, [b"waiting"])
    assert "stuck" in checks(live.examine(), "error")
    waiting = live.caught_up()["waiting_for"]
    assert "MirrorSourceConnector task" in waiting and "RecordTooLargeException" in waiting, waiting


@pytest.mark.full
def test_13_more_partitions_at_the_source(live):
    admin = AdminClient(live.source)
    live.mirror.kill()
    for future in admin.create_partitions([NewPartitions("doc.many", 4)]).values():
        future.result(15)
    assert "fewer-partitions" in checks(live.examine(watch_seconds=0), "error")


@pytest.mark.full
def test_14_the_mirror_is_dead(live):
    live.mirror.kill()
    until(
        lambda: "heartbeat-stale" in checks(live.examine(watch_seconds=0), "error"), "the heartbeat to grow old", 60, 2
    )


@pytest.mark.full
def test_15_retention_overtakes_the_mirror(live):
    send(live.source, "doc.overtaken", [b"%d" % number for number in range(50)])
    admin = AdminClient(live.source)
    for future in admin.delete_records([TopicPartition("doc.overtaken", 0, 140)]).values():
        future.result(15)
    assert "overtaken-by-retention" in checks(live.examine(watch_seconds=0), "error")


@pytest.mark.full
def test_16_a_topic_of_the_source_was_made_again(live):
    known = live.examine(watch_seconds=0)["topics"]
    live.delete(live.source, "doc.recreated")
    create(live.source, "doc.recreated")
    found = checks(live.examine(watch_seconds=0, known_topics=known), "error")
    assert {"recreated-at-source", "topic-id-changed"} <= found


@pytest.mark.full
def test_17_a_cluster_that_does_not_answer(live):
    found = checks(
        live.examine(source_client={"bootstrap.servers": "127.0.0.1:9"}, timeout=5, watch_seconds=0), "error"
    )
    assert "cannot-read-unreachable" in found


@pytest.mark.full
def test_18_a_mirror_that_never_ran_under_this_name(live):
    assert "never-ran" in checks(live.examine(source_alias="elsewhere", watch_seconds=0), "error")
