# SPDX-License-Identifier: GPL-3.0-or-later
"""A consumer that reads what is not committed yet stands beyond all that was copied when its region is lost. What an
open transaction hides in Connect's offsets is no sign that the mirror came no further.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.support import offsets_lab as lab
from tests.support.offsets_pair import Written, name, values

from .test_made_again import in_transaction, with_copies
from .test_stale_evidence import copied

pytestmark = pytest.mark.real


def test_a_position_in_an_open_transaction_is_not_one_of_a_former_topic(two_clusters: Any, tmp_path: Path) -> None:
    source, target, group = two_clusters["source"], two_clusters["target"], name("eager")
    more = with_copies(source, target)
    topic, positions = more["topics"], more["positions_topic"]
    in_transaction(target, more["offsets_topic"], *copied(more["source_alias"], topic, 49))
    hanging = Producer({**source.client, "transactional.id": topic, "transaction.timeout.ms": 120_000})
    hanging.init_transactions(30)
    hanging.begin_transaction()
    for number in range(20):
        hanging.produce(topic, b"open-%d" % number, partition=0)
    assert hanging.flush(30) == 0
    lab.set_positions(source, topic, {group: {0: 65}})
    witness = lab.WitnessProcess(tmp_path / "witness", source, target, interval=1, topic=positions, topics=topic)

    def seen() -> dict[str, Any]:
        return lab.info(None, target, **more)["witness"]

    try:
        lab.until(lambda: seen()["groups"] and seen()["ends"] == {topic: {"0": 50}}, 60)
    finally:
        witness.stop()
        hanging.abort_transaction(30)
    ends = {topic: {"0": 50}}
    (row,) = lab.translate(None, target, groups=[group], groups_regex="", target_ends=ends, **more)["plan"]
    assert (row["source_offset"], row["to"], row["confidence"]) == (65, 50, "exact_at_end"), row


def test_a_connect_offset_behind_an_open_transaction_is_not_taken_for_the_last(two_clusters: Any) -> None:
    """The source was written a record a transaction, so that each second offset holds one: 0, 2 and so on to 28."""
    pair, group = Written(two_clusters, [], values(15)), name("group")
    pair.count = 30
    pair.pairs((0, 0))
    pair.copied_up_to(20)
    # A task of the same mirror whose machine was lost between its row and its commit.
    key, value = copied(pair.alias, "another", 7)
    hanging = Producer({**pair.target.client, "transactional.id": name("task"), "transaction.timeout.ms": 120_000})
    hanging.init_transactions(30)
    hanging.begin_transaction()
    hanging.produce(pair.offsets, value, key, partition=0)
    assert hanging.flush(30) == 0
    pair.copied_up_to(28)
    pair.witnessed({group: {0: 20}})
    try:
        ends = {pair.topic: {"0": 15}}
        (row,) = pair.translate(group, alive=False, check=True, target_ends=ends)["plan"]
    finally:
        hanging.abort_transaction(30)
    # Of the record at 20 the copy is at 10.
    assert row["to"] <= 10, row
    (row,) = pair.translate(group, alive=False, check=True, target_ends=ends)["plan"]
    assert row["to"] <= 10, row
