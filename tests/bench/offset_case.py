# SPDX-License-Identifier: GPL-3.0-or-later
"""A case of the benchmark of offset translation: one topic, its writer, and a group for each lag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import group_positions
from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.kafka import Kafka

Row = dict[str, Any]
# Of a topic's copies, by partition: records as (offset, value).
Held = dict[int, list[tuple[int, Any]]]
# How many records each group is behind; the benchmark's option replaces them.
LAGS = [0, 100, 10000, 100000]


class Case:
    """One topic with its writer and its groups, one for each lag."""

    def __init__(self, source: Kafka, rate: int, transactional: bool, records: int) -> None:
        self.rate, self.transactional = rate, transactional
        self.topic = f"{'trans' if transactional else 'plain'}-{rate}"
        lab.create(source, (self.topic, 3, {}))
        self.writer = traffic.Writer(source, self.topic, transaction=500 if transactional else 0)
        self.writer.write(records)
        self.before = {}

    def begin(self, source: Kafka, settled: bool) -> list[tuple[str, str, int | None]]:
        """Set each group its lag behind the end, note what it counts as having processed, and let the writer run:
        groups to be consumed.
        """
        held = {} if settled else lab.copies(source, self.topic)
        if settled:
            # A region that is back has its applications where they committed last; what they processed beyond that they
            # process again, mirror or not.
            for group, places in group_positions(KafkaClient(source.client, timeout=90), self.before).items():
                self.before[group] = [row for row in self.before[group] if row[1] < places[(self.topic, row[0])]]
        for lag in [] if settled else LAGS:
            each = lag // 3
            places = {number: records[-each][0] if each else records[-1][0] + 1 for number, records in held.items()}
            group = f"{self.topic}-lag-{lag}"
            self.before[group] = [
                (number, *record)
                for number, records in held.items()
                for record in records
                if record[0] < places[number]
            ]
            lab.set_positions(source, self.topic, {group: places})
        self.writer.go_on(self.rate)
        return [(f"{self.topic}-lag-{lag}", self.topic, self.rate if lag else None) for lag in LAGS]

    def rows(self, plan: list[Row], held: Held, source: str, without: list[Row] | None = None) -> Iterator[Row]:
        for lag in LAGS:
            group = f"{self.topic}-lag-{lag}"
            journal = self.before[group]
            mine = [row for row in plan if row["group"] == group]
            reprocessed, skipped = lab.outcome(journal, held, {row["partition"]: row["to"] for row in mine})
            stock, stock_skipped = lab.outcome(
                journal, held, {row["partition"]: row["from"] for row in mine if row["from"] is not None}
            )
            positions = {row["partition"]: row["source_offset"] for row in mine}
            bare = {row["partition"]: row["to"] for row in without or plan if row["group"] == group}
            yield {
                "lag": lag,
                "rate": self.rate,
                "transactional": self.transactional,
                "source": source,
                "stock_reprocessed": stock,
                "stock_skipped": stock_skipped,
                "stock_without_position": sum(row["from"] is None for row in mine),
                "reprocessed": reprocessed,
                "skipped": skipped,
                "reprocessed_without_manifest": lab.outcome(journal, held, bare)[0],
                "since_checkpoint": sum(offset >= positions[partition] for partition, offset, dummy in journal)
                if source == "lost"
                else 0,
                "reprocess_at_most": sum(row["reprocess_at_most"] for row in mine),
                "confidence": sorted({row["confidence"] for row in mine}),
            }
