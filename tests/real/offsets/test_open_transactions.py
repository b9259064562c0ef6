# SPDX-License-Identifier: GPL-3.0-or-later
"""A consumer that reads what is not committed yet stands beyond all that was copied when its region is lost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import OffsetSync, encode_offset_sync
from tests.support import offsets_lab as lab

from .test_made_again import in_transaction, rows
from .test_stale_evidence import copied, create, name, write

pytestmark = pytest.mark.real


def test_a_position_in_an_open_transaction_is_not_one_of_a_former_topic(two_clusters: Any, tmp_path: Path) -> None:
    source, target = two_clusters["source"], two_clusters["target"]
    topic, offsets, positions, alias, group = (
        name(kind) for kind in ("open", "mm2-offsets", "positions", "a", "eager")
    )
    syncs = f"mm2-offset-syncs.{alias}.internal"
    for cluster in (source, target):
        create(cluster, topic)
        write(cluster, topic, rows(0, 50))
    for kept in (offsets, positions, syncs):
        create(target, kept)
    now = int(time.time() * 1000)
    write(target, syncs, [(0, *encode_offset_sync(OffsetSync(topic, 0, at, at)), now) for at in (0, 49)])
    in_transaction(target, offsets, *copied(alias, topic, 49))
    hanging = Producer({**source.client, "transactional.id": topic, "transaction.timeout.ms": 120_000})
    hanging.init_transactions(30)
    hanging.begin_transaction()
    for number in range(20):
        hanging.produce(topic, b"open-%d" % number, partition=0)
    assert hanging.flush(30) == 0
    lab.set_positions(source, topic, {group: {0: 65}})
    more = {"positions_topic": positions, "topics": topic, "source_alias": alias, "offsets_topic": offsets}
    witness = lab.WitnessProcess(tmp_path / "witness", source, target, interval=1, topic=positions, topics=topic)

    def seen() -> dict[str, Any]:
        return lab.info(None, target, **more)["witness"]

    try:
        lab.until(lambda: seen()["groups"] and seen()["ends"] == {topic: {"0": 50}}, 60)
    finally:
        witness.stop()
        hanging.abort_transaction(30)
    (row,) = lab.translate(None, target, groups=[group], groups_regex="", target_ends={topic: {"0": 50}}, **more)[
        "plan"
    ]
    assert (row["source_offset"], row["to"], row["confidence"]) == (65, 50, "exact_at_end"), row
