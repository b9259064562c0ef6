# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest of one topic, written as the proof job writes them, without Kafka and Spark."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import content, portions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.place import locate, private, sha256

FILE = "data/one.parquet"


def make(place: str, cluster_id: str = "c") -> str:
    """Write it; its digest."""
    system, inside = locate(place)
    row = {"topic": "orders", "topic_id": "id", "partition": 0, "first_offset": 0, "last_offset": 9, "count": 10}
    row.update({name: b"" for name in ("runs", "rows", "rows_without_timestamps")})
    with private():
        system.create_dir(f"{inside}/data", recursive=True)
        pq.write_table(pa.Table.from_pylist([row], portions.schema()), f"{inside}/{FILE}", filesystem=system)
    partitions = {"0": {"low": 0, "high": 10, "records": 10, "files": [FILE]}}
    return content.store(
        place,
        {
            "format": 1,
            "cluster_id": cluster_id,
            "saved_at": 1,
            "runs": [],
            "digests": {FILE: sha256(system, f"{inside}/{FILE}")},
            "topics": {"orders": {"topic_id": "id", "detail": "records", "config": {}, "partitions": partitions}},
        },
    )


def forge(place: str) -> None:
    """Let one record less be in it, as somebody could who may write there."""
    changed = content.load(place)
    changed["topics"]["orders"]["partitions"]["0"].update(high=9, records=9)
    content.store(place, changed)
