# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence that contradicts other evidence: no answer that rests on it is exact, and none skips a record."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer

from tests.support import offsets_lab as lab
from tests.support.offsets_pair import Written, name, now, values

pytestmark = pytest.mark.real


def lost_its_end(two_clusters, *pairs):
    """The copy held 0..49, lost 30..49 in an unclean election, and the mirror went on with 50."""
    every = values(100)
    here = Written(two_clusters, every, every[:30] + every[50:])
    here.pairs(*pairs)
    here.copied_up_to(99)
    return here


def test_a_proof_that_the_offset_syncs_contradict_is_none(two_clusters, tmp_path):
    here, group = lost_its_end(two_clusters, (0, 0), (49, 49), (50, 30), (99, 79)), name("g")
    lab.set_positions(here.source, here.topic, {group: {0: 40}})
    report = here.proof(tmp_path / "report.json", 50)
    row = here.plan(group, alive=True, proof_report=report)[0][(group, 0)]
    assert row["to"] <= 30, row


@pytest.mark.parametrize("synced", [True, False])
def test_a_copy_that_lost_its_end_is_compared_with_a_living_source(two_clusters, synced):
    """``synced``: the mirror wrote an offset sync where the copy went back, as it does."""
    here = lost_its_end(two_clusters, (0, 0), (49, 49), *([(50, 30)] if synced else []), (99, 79))
    places = {name("g"): at for at in (10, 29, 35, 49, 50, 60, 98)}
    lab.set_positions(here.source, here.topic, {group: {0: at} for group, at in places.items()})
    found = here.plan(*places, alive=True, end=80)[0]
    for group, at in places.items():
        row, truth = found[(group, 0)], at if at < 30 else max(30, at - 20)
        assert row["to"] <= truth and (row["to"] == truth or row["confidence"] == "lower_bound"), row


@pytest.mark.parametrize("position", [30, 55])
def test_a_source_that_holds_other_records_is_not_counted(two_clusters, position):
    """The source lost 20..49 in an unclean election, and others were written in their place."""
    every = values(60)
    here, group = Written(two_clusters, every[:20] + values(30, "new") + every[50:], every), name("g")
    here.pairs((0, 0), (55, 55))
    here.copied_up_to(59)
    lab.set_positions(here.source, here.topic, {group: {0: position}})
    row = here.plan(group, alive=True)[0][(group, 0)]
    assert row["to"] <= max(20, position if position > 50 else 0), row
    assert position > 50 or row["confidence"] == "lower_bound", row


def test_a_checkpoint_beyond_all_that_is_known_gives_way_to_the_witness(two_clusters):
    """Another mirror of this name wrote it, or somebody else."""
    here, group = Written(two_clusters, values(50), values(50)), name("g")
    here.pairs((0, 0), (49, 49))
    here.copied_up_to(49)
    here.witnessed({group: {0: 5}}, at=now() - 3000)
    here.checkpoint(group, {0: (900_000, 900_000)}, at=now())
    row = here.plan(group, end=50)[0][(group, 0)]
    assert (row["source_offset"], row["position_from"], row["to"]) == (5, "witness", 5), row


def test_a_position_inside_of_an_open_transaction_is_not_of_a_former_topic(two_clusters):
    """Consumers that read uncommitted records stand beyond the last stable offset."""
    here, group = Written(two_clusters, values(50), values(50)), name("g")
    here.pairs((0, 0), (49, 49))
    here.copied_up_to(49)
    hanging = Producer({**here.source.client, "transactional.id": here.topic, "transaction.timeout.ms": 120_000})
    hanging.init_transactions(30)
    hanging.begin_transaction()
    for number in range(20):
        hanging.produce(here.topic, b"open-%d" % number, partition=0)
    assert hanging.flush(30) == 0
    lab.set_positions(here.source, here.topic, {group: {0: 65}})
    try:
        row = here.plan(group, alive=True, end=50)[0][(group, 0)]
    finally:
        hanging.abort_transaction(30)
    assert row["to"] == 50, row
