# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the command ``salvage``, and read what it left."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import worker as salvage_worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.preparing import Wanted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.run import Salvage
from tests.support.sides import side

from . import support

HEADER = "kafka-dr-salvaged"


@dataclass
class Salvaging:
    """A :class:`.support.Job` that salvages, with files of its own."""

    job: support.Job

    def words(self, topics, bounds, actions=(), out="out", more=()):
        base = self.job.directory
        (base / "bounds.json").write_text(json.dumps(bounds))
        (base / "actions.json").write_text(json.dumps(list(actions)))
        words = ["salvage", "--source-config", self.job.source, "--target-config", self.job.target, "--topics", topics]
        words += ["--bounds", str(base / "bounds.json"), "--actions", str(base / "actions.json")]
        words += ["--out", str(base / out), "--report", str(base / "report.json")]
        words += ["--summary", str(base / "summary.json"), "--source-name", "north", "--target-name", "south"]
        return [*words, "--wait-seconds", "1", "--quiet", *more]

    def run(self, topics, bounds, actions=(), out="out", more=()):
        """(exit code, summary, stdout and stderr)."""
        words = self.words(topics, bounds, actions, out, more)
        summary = self.job.directory / "summary.json"
        summary.unlink(missing_ok=True)
        code, told, errors = self.job.run(words)
        return code, json.loads(summary.read_text()) if summary.exists() else None, told + errors

    def exported(self, out="out"):
        """``{(topic, partition): [(offset, key, value, timestamp, headers)]}`` of the files that count."""
        place = Path(self.job.directory) / out
        found = {}
        for name in json.loads((place / "salvage.json").read_text())["files"]:
            for row in pyarrow.parquet.read_table(place / name).to_pylist():
                headers = [(one["name"], one["value"]) for one in row["headers"]]
                fields = (row["offset"], row["key"], row["value"], row["timestamp"], headers)
                found.setdefault((row["topic"], row["partition"]), []).append(fields)
        return found


class InProcess:
    """An engine without Spark: one task after the other, here."""

    parallelism = 1

    def map(self, tasks, label="", total=0):
        return [
            (salvage_worker if task["work"].startswith("salvage_") else worker).run(task, lambda records, size: None)
            for task in tasks
        ]


def salvage_here(source, target, topics, bounds, out, actions=()):
    """The report of a salvage in this process."""
    both = [side(cluster.client, cluster.name) for cluster in (source, target)]
    return Salvage(*both, Wanted(topics, bounds, list(actions), str(out), wait_seconds=1)).run(InProcess())


def held(cluster, topic, partitions=1):
    """``{partition: [(offset, key, value, timestamp, headers)]}`` of everything committed, by a plain consumer."""
    consumer = Consumer(
        {
            **cluster.client,
            "group.id": "held",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(partitions)])
    found, ended = {number: [] for number in range(partitions)}, set()
    while len(ended) < partitions:
        message = consumer.poll(10)
        assert message is not None, f"nothing more came of {topic}"
        if message.error():
            ended.add(message.partition())
        else:
            row = (message.offset(), message.key(), message.value(), message.timestamp()[1], message.headers() or [])
            found[message.partition()].append(row)
    consumer.close()
    return found


def fields(records):
    """What is compared of :class:`.support.Record`."""
    return [(one.key, one.value, one.timestamp, list(one.headers)) for one in records]
