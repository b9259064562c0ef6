# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages that bring positions over name the groups whose they do not: one of an application, of which nobody saw a
position, and one that reads the backup itself.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from confluent_kafka import Consumer, TopicPartition

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.other_groups import OWN, UNSEEN
from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import AWAY, RETURN, THERE, TOPIC, World, ledger_of
from tests.support.committing import commit_places
from tests.support.kafka import ROOT
from tests.support.offsets_lab import until

pytestmark = pytest.mark.real
POSITIONS = "__kafka_dr_positions"
ENDS = {"target": {TOPIC: {"0": 0}}}
# What the stages have learnt by then.
FACTS = {
    "failover": {
        "__failover_ends": ENDS,
        "__failover_done": {},
        "__failover_moved_back": False,
        "__failover_watch_stands": False,
    },
    "recreate_from_backup": {
        "__recreate_from_backup_ends": ENDS,
        "recreate_from_backup_mirror": THERE,
        "recreate_from_backup_more_groups": [],
        "recreate_from_backup_accept_positions": ["lower_bound"],
        "recreate_from_backup_manifest": "",
    },
}


@pytest.fixture
def lost(world: World) -> World:
    """The source is lost, and the witness had seen the group of one application of two."""
    application = {"kind": "process", "role": "consumer", "environment_file": "/nowhere/env", "principals": ["shop"]}
    world.hosts["eu"]["kafka_dr_applications"] = [
        {**application, "name": "billing", "groups": ["billing"]},
        {**application, "name": "nightly", "role": "both", "groups": ["nightly"]},
        {**application, "name": "till", "role": "producer", "groups": ["till"]},
    ]
    eu = world.brokers["eu"].client
    create(eu, POSITIONS)
    seen = [witness.encode_group("billing", 5000, {TOPIC: {0: 0}}), witness.encode_ends(5000, {TOPIC: {0: 0}})]
    write(KafkaClient(eu), POSITIONS, [(0, *row) for row in (*seen, witness.encode_round(5000, 0, 1, 1))])
    world.brokers["na"].kill()
    return world


def translating(stage: str) -> tuple[Any, ...]:
    """What brings positions over, of the stage that does more in the same file, and what it says of it."""
    if stage == "failover":
        return ("positions.yml",)
    tasks = yaml.safe_load((ROOT / "roles" / stage / "tasks" / "stop_backup.yml").read_text())
    names = [task["name"] for task in tasks]
    first = names.index("stop_backup | Translate the groups' positions to the backup")
    return tuple(tasks[first : first + 3])


@pytest.mark.parametrize(
    ("stage", "step"), [("failover", "positions"), ("recreate_from_backup", "positions_in_backup")]
)
def test_a_group_of_an_application_without_a_position_is_told_and_kept(lost, stage, step):
    said = lost.play(stage, THERE, translating(stage), FACTS[stage], **AWAY)
    told = said.partition("NOT BROUGHT OVER:")[2]
    assert f"'nightly' (unknown, of an application): {UNSEEN[0]}" in told, said[-3000:]
    assert "'billing'" not in told and "'till'" not in told, told
    found = ledger_of(lost.brokers["eu"])["done"][stage][step]["found"]
    assert [one["group"] for one in found["others"] if one["named"]] == ["nightly"], found


def test_a_reader_of_the_backup_goes_on_there_and_the_restore_ends(lost):
    """The patterns of the mirror match its group too, and it was never in the region that was lost."""
    facts = FACTS["recreate_from_backup"]
    lost.play("recreate_from_backup", THERE, translating("recreate_from_backup"), facts, **AWAY)
    reader = Consumer({**lost.brokers["eu"].client, "group.id": "dashboard", "auto.offset.reset": "earliest"})
    reader.subscribe([TOPIC])
    until(lambda: reader.poll(0.2) or reader.assignment(), 60)
    # A person has set the position of the other one, as the stage had told.
    for group in ("billing", "nightly"):
        commit_places(lost.brokers["eu"].client, group, [TopicPartition(TOPIC, 0, 0)])
    reader.commit(offsets=[TopicPartition(TOPIC, 0, 0)], asynchronous=False)
    lost.brokers["na"].start()
    tasks = yaml.safe_load((ROOT / "roles" / "recreate_from_backup" / "tasks" / "positions.yml").read_text())
    (first,) = [at for at, task in enumerate(tasks) if task["name"].endswith("Translate from the backup and commit")]
    # No proof is played here.
    del tasks[first]["streamsafe.kafka_dr.offset_translate"]["proof_report"]
    said = lost.play(
        "recreate_from_backup",
        THERE,
        tuple(tasks[first:]),
        {**facts, "__recreate_from_backup_reverse": RETURN, "recreate_from_backup_from": "eu"},
        **AWAY,
    )
    reader.close()
    told = said.partition("NOT BROUGHT OVER:")[2]
    assert f"'dashboard' (classic): {OWN[0]}" in told and "nightly" not in told, said[-3000:]
    found = ledger_of(lost.brokers["eu"])["done"]["recreate_from_backup"]["positions"]["found"]
    assert found["groups"] == 2 and {"billing", "nightly"} <= set(found["translations"][0]["known"]), found
