# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters, a mirror as this collection sets one up, its position witness, and consumers that keep a journal: for
tests and benchmarks of offsets.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.commits import commit_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import topic_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_offsets_info import mirror_offsets_info
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.offset_translate import offset_translate
from tests.support.kafka import ROOT, MirrorMaker

ROLE = ROOT / "roles" / "mirror"
PROGRAM = ROLE / "files" / "position_witness.py"
POSITIONS = "__kafka_dr_positions"


def mirror_properties(source, target, topics, alias=("a", "b"), policy="Identity", **more):
    """MM2 as the collection's mirror role sets it up: exactly-once, syncs kept on the target, checkpoints and group
    sync every 5 s.
    """
    a, b = alias
    return {
        "clusters": f"{a},{b}",
        f"{a}.bootstrap.servers": source.bootstrap,
        f"{b}.bootstrap.servers": target.bootstrap,
        f"{a}->{b}.enabled": "true",
        f"{b}->{a}.enabled": "false",
        "topics": topics,
        "groups": ".*",
        "replication.factor": 1,
        "checkpoints.topic.replication.factor": 1,
        "heartbeats.topic.replication.factor": 1,
        "offset-syncs.topic.replication.factor": 1,
        "offset.storage.replication.factor": 1,
        "config.storage.replication.factor": 1,
        "status.storage.replication.factor": 1,
        f"{a}->{b}.offset-syncs.topic.location": "target",
        "replication.policy.class": f"org.apache.kafka.connect.mirror.{policy}ReplicationPolicy",
        f"{b}.exactly.once.source.support": "enabled",
        "dedicated.mode.enable.internal.rest": "true",
        "listeners": "http://127.0.0.1:0",
        f"{a}.consumer.isolation.level": "read_committed",
        f"{a}->{b}.consumer.isolation.level": "read_committed",
        "sync.group.offsets.enabled": "true",
        "sync.group.offsets.interval.seconds": 5,
        "emit.checkpoints.interval.seconds": 5,
        "offset.flush.interval.ms": 5000,
        "refresh.topics.interval.seconds": 5,
        "refresh.groups.interval.seconds": 5,
        "emit.heartbeats.interval.seconds": 1,
        **more,
    }


def create(cluster, *topics):
    """Topics of ``(name, partitions, configs)``."""
    admin = AdminClient(cluster.client)
    for future in admin.create_topics(
        [NewTopic(name, partitions, 1, config=configs) for name, partitions, configs in topics]
    ).values():
        future.result(120)


def prepare_target(target, source_alias="a"):
    """The topics that the mirror role creates beforehand."""
    create(
        target,
        (f"mm2-offset-syncs.{source_alias}.internal", 1, {"cleanup.policy": "delete", "retention.ms": "-1"}),
        (POSITIONS, 1, {"cleanup.policy": "compact"}),
    )


def start_mirror(directory: Path, *words, **more):
    """A running MirrorMaker 2."""
    return MirrorMaker(directory, mirror_properties(*words, **more)).start()


class WitnessProcess:
    """The position witness as the mirror role runs it: its files beside each other, nothing else of the collection."""

    def __init__(self, directory: Path, source, target, interval=2, **more):
        directory.mkdir(parents=True, exist_ok=True)
        for name in yaml.safe_load((ROLE / "vars" / "main.yml").read_text())["__mirror_witness_files"]:
            (directory / Path(name).name).write_bytes((ROLE / name).read_bytes())
        config = directory / "witness.json"
        config.write_text(
            json.dumps({"source": source.client, "target": target.client, "interval_seconds": interval, **more})
        )
        config.chmod(0o600)
        self.log = directory / "witness.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(directory / PROGRAM.name), "--config", str(config)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                cwd=directory,
                env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            )

    def stop(self):
        """SIGTERM; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def lines(self):
        return self.log.read_text().splitlines()


def common(source, target, **more):
    """Options that both modules share, as the argument spec would fill them."""
    return {
        "source_client": source.client if source else None,
        "source_client_secrets": {},
        "target_client": target.client,
        "target_client_secrets": {},
        "source_alias": "a",
        "target_alias": "b",
        "policy": "identity",
        "separator": ".",
        "offsets_topic": None,
        "connector": None,
        "positions_topic": POSITIONS,
        "timeout": 90,
        "topics": ".*",
        **more,
    }


def translate(source, target, check=False, **more):
    """``offset_translate`` as the module calls it; ``source`` None where it is lost."""
    options = {
        "groups": [],
        "groups_regex": ".*",
        "groups_exclude_regex": "",
        "proof_report": None,
        "manifest": None,
        "target_ends": {},
        "accept": ["lower_bound"],
        "switched_groups": [],
        "named_groups": [],
        "on_live_members": "fail",
        "leave_seconds": 0,
        "still_seconds": 0,
        "scan_limit": 1000000,
    }
    return offset_translate(common(source, target, **{**options, **more}), check)


def ends_of(target, *topics):
    """Where the mirror's writing ended, as a stage notes it when the mirror has stopped: for ``target_ends``."""
    client = KafkaClient(target.client, timeout=90)
    bounds = topic_offsets(client, {name: one["partitions"] for name, one in describe_topics(client, topics).items()})
    return {topic: {number: one["stable"] for number, one in numbers.items()} for topic, numbers in bounds.items()}


def info(source, target, **more):
    """``mirror_offsets_info`` as the module calls it."""
    options = {
        "topics_exclude": "",
        "until_caught_up": False,
        "allow_none": False,
        "until_heartbeat": False,
        "max_heartbeat_age": 30,
        "until_witness": False,
        "max_witness_age": 15,
        "details": False,
    }
    return mirror_offsets_info(common(source, target, **{**options, **more}), False)


def await_ready(source, target, seconds=120, **conditions):
    """Poll ``mirror_offsets_info`` until it is ready."""
    end = time.monotonic() + seconds
    while True:
        found = info(source, target, **conditions)
        if found["ready"]:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s still waiting for {found['waiting_for']}")
        time.sleep(0.5)


def until(condition, seconds):
    """Poll until it holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not so after {seconds} s")
        time.sleep(0.5)


def set_positions(cluster, topic, positions):
    """Commit ``{group: {partition: offset}}`` for groups without members."""
    wanted = {
        group: {(topic, number): offset for number, offset in places.items()} for group, places in positions.items()
    }
    failed = commit_positions(KafkaClient(cluster.client, timeout=90), wanted)
    if failed:
        raise next(iter(failed.values()))


def copies(cluster, topic, partitions=3):
    """``{partition: [(offset, value)]}`` of everything committed on a topic."""
    consumer = Consumer(
        {
            **cluster.client,
            "group.id": "reader",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    found, ended = {number: [] for number in range(partitions)}, set()
    while len(ended) < partitions:
        for message in consumer.consume(5000, 0.2):
            if message.error() is None:
                found[message.partition()].append((message.offset(), message.value()))
            else:
                ended.add(message.partition())
    consumer.close()
    return found


def outcome(journal, held, answers):
    """``(reprocessed, skipped)`` of a consumer with this journal going on at ``answers`` ({partition: offset}) over
    :func:`copies`.
    """
    done = {(partition, value) for partition, dummy, value in journal}
    reprocessed = skipped = 0
    for partition, records in held.items():
        begin = answers.get(partition, 0)
        for offset, value in records:
            processed = (partition, value) in done
            reprocessed += processed and offset >= begin
            skipped += not processed and offset < begin
    return reprocessed, skipped
