# SPDX-License-Identifier: GPL-3.0-or-later
"""Write records exactly as a case needs them, and run the Spark job as a person would."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.support.configuring import configure as configured

ROOT = Path(__file__).resolve().parents[3]
MAIN = ROOT / "spark" / "main.py"
NOW = int(time.time() * 1000)
KINDS = (
    "missing_head",
    "missing_tail",
    "missing",
    "duplicated",
    "reordered",
    "altered",
    "foreign",
    "aborted",
    "beyond",
)


@dataclass(frozen=True)
class Record:
    """One record; ``group`` puts neighbours of one number into one transaction, negative numbers abort it."""

    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: tuple = ()
    partition: int = 0
    group: int = 0

    def but(self, **changes):
        return replace(self, **changes)

    def fields(self):
        """What a producer takes."""
        return {
            "key": self.key,
            "value": self.value,
            "timestamp": self.timestamp,
            "headers": list(self.headers),
            "partition": self.partition,
        }


def some(count, prefix="v", start=NOW, partition=0, headers=(("type", b"a"), ("trace", b"x"))):
    """Records that differ from each other."""
    return [
        Record(b"k%d" % (i % 17), b"%s-%d" % (prefix.encode(), i), start + i, headers, partition) for i in range(count)
    ]


@dataclass
class Case:
    """What the two sides hold and what has to be said about it."""

    name: str
    source: list
    target: list | None
    verdict: str
    counts: dict = field(default_factory=dict)
    reason: str = ""
    differences: list = field(default_factory=list)
    config: dict = field(default_factory=dict)
    source_config: dict = field(default_factory=dict)
    target_config: dict = field(default_factory=dict)
    partitions: int = 1
    target_partitions: int = 0
    delete_source_to: int = 0
    delete_target_to: int = 0
    transactional: tuple = ()


def admin(cluster):
    return AdminClient({**cluster.client, "log_level": 0})


def create(cluster, topics):
    """Topics as {name: (partitions, config)}."""
    listed = [
        NewTopic(name, partitions, 1, config={str(k): str(v) for k, v in config.items()})
        for name, (partitions, config) in topics.items()
    ]
    client = admin(cluster)
    for at in range(0, len(listed), 250):
        for future in client.create_topics(listed[at : at + 250], operation_timeout=60, request_timeout=90).values():
            future.result()


def configure(cluster, topic, config):
    """Set topic configs, as an operator does."""
    configured({**cluster.client, "log_level": 0}, topic, config)


def drop(cluster, topics):
    """Delete topics and wait until they are gone."""
    client = admin(cluster)
    for future in client.delete_topics(topics, operation_timeout=30).values():
        future.result()
    end = time.monotonic() + 30
    while time.monotonic() < end and set(topics) & set(client.list_topics(timeout=10).topics):
        time.sleep(0.2)


def delete_before(cluster, topic, partition, offset):
    """Move the log start, as retention would."""
    client = admin(cluster)
    for future in client.delete_records([TopicPartition(topic, partition, offset)]).values():
        future.result()


def write(cluster, records_by_topic, transactional=False):
    """Write records in order; with transactions where their groups say so."""
    settings = {**cluster.client, "linger.ms": 5, "message.max.bytes": 12000000, "log_level": 0}
    if not transactional:
        # Otherwise a batch that is sent again after a leader's change comes behind the next one; the proof sees that.
        producer = Producer({**settings, "enable.idempotence": True})
        for topic, records in records_by_topic.items():
            for record in records:
                while True:
                    try:
                        producer.produce(topic, **record.fields())
                        break
                    except BufferError:
                        producer.poll(0.1)
            producer.poll(0)
        left = producer.flush(60)
        if left:
            raise RuntimeError(f"{left} records were not written")
        return
    for topic, records in records_by_topic.items():
        producer = Producer({**settings, "transactional.id": uuid.uuid4().hex})
        producer.init_transactions(30)
        at = 0
        while at < len(records):
            group = records[at].group
            producer.begin_transaction()
            while at < len(records) and records[at].group == group:
                record = records[at]
                producer.produce(topic, **record.fields())
                at += 1
            producer.flush(30)
            if group < 0:
                producer.abort_transaction(30)
            else:
                producer.commit_transaction(30)


def set_up(clusters, cases):
    """Create and fill the topics of all cases, in a few requests and one pass a side."""
    source, target = clusters["source"], clusters["target"]
    create(source, {case.name: (case.partitions, {**case.config, **case.source_config}) for case in cases})
    create(
        target,
        {
            case.name: (case.target_partitions or case.partitions, {**case.config, **case.target_config})
            for case in cases
            if case.target is not None
        },
    )
    for side, cluster in (("source", source), ("target", target)):
        wanted = {case.name: getattr(case, side) for case in cases if getattr(case, side)}
        plain = {
            case.name: wanted[case.name] for case in cases if case.name in wanted and side not in case.transactional
        }
        write(cluster, plain)
        write(cluster, {name: records for name, records in wanted.items() if name not in plain}, transactional=True)
    for case in cases:
        if case.delete_source_to:
            delete_before(source, case.name, 0, case.delete_source_to)
        if case.delete_target_to:
            delete_before(target, case.name, 0, case.delete_target_to)


def config_file(directory, name, client):
    """A client configuration as the job wants it."""
    path = Path(directory) / f"{name}.json"
    path.write_text(json.dumps(client))
    path.chmod(0o600)
    return str(path)


class Job:
    """The Spark job on files of its own: in a process of its own where ``spark`` is None, else on that context (which
    saves its start).
    """

    def __init__(self, directory, source=None, target=None, spark=None):
        self.directory = Path(directory)
        self.source = config_file(directory, "source", source.client) if source else None
        self.target = config_file(directory, "target", target.client) if target else None
        self.report_path = self.directory / "report.json"
        self.spark = spark

    def words(self, topics, *more, source=True):
        words = [
            "compare",
            "--target-config",
            self.target,
            "--topics",
            topics,
            "--report",
            str(self.report_path),
            "--quiet",
        ]
        return words + (["--source-config", self.source] if source else []) + list(more)

    def run(self, words, timeout=240):
        """(exit code, stdout, stderr)."""
        if self.spark is None:
            done = subprocess.run(
                [sys.executable, str(MAIN), *words],
                capture_output=True,
                text=True,
                timeout=timeout,
                env=environment(),
                check=False,
            )
            return done.returncode, done.stdout, done.stderr
        from kafka_dr_spark.cli import main

        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words, None, self.spark)
        return code, out.getvalue(), err.getvalue()

    def compare(self, topics, *more, timeout=240, source=True):
        """(exit code, report, stderr)."""
        self.report_path.unlink(missing_ok=True)
        code, dummy, errors = self.run(self.words(topics, *more, source=source), timeout)
        return code, json.loads(self.report_path.read_text()) if self.report_path.exists() else None, errors

    def manifest(self, out, topics, *more):
        """(exit code, stdout and stderr)."""
        code, told, errors = self.run(
            ["manifest", "--config", self.source, "--topics", topics, "--out", str(out), "--quiet", *more]
        )
        return code, told + errors


def environment():
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


def topic_of(report, name):
    return next(topic for topic in report["topics"] if topic["topic"] == name)


def read_back(cluster, partitions):
    """{(topic, partition): {offset: (key, value, timestamp)}} of everything committed, by a plain consumer: the judge
    of an offset map.
    """
    consumer = Consumer(
        {
            **cluster.client,
            "group.id": uuid.uuid4().hex,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "log_level": 0,
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for topic, partition in partitions])
    found = {name: {} for name in partitions}
    ended = set()
    while len(ended) < len(found):
        message = consumer.poll(10)
        if message is None:
            raise RuntimeError(f"nothing more came of {sorted(set(found) - ended)}")
        name = (message.topic(), message.partition())
        if message.error():
            ended.add(name)
        else:
            found[name][message.offset()] = (message.key(), message.value(), message.timestamp()[1])
    consumer.close()
    return found
