# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shape under examples/topologies, played by the stages: checked, set up and moved as planned, with what each
leaves out and renames.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import yaml
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import group_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from kafka_dr_lab.lab import Lab
from tests.real.lab.playing import ROOT, SOURCE, TARGET, Playground
from tests.support import offsets_lab, traffic

pytestmark = [pytest.mark.real, pytest.mark.full]
RECORDS, POSITION = 40, 10
GROUPS = ("orders-app", "orders-test-1")
# Which region of the lab plays which of an example, and each topic of the source with the name of its copy, or None.
PLAYED: dict[str, tuple[dict, dict]] = {
    "active_active": ({}, {"orders": "north_america.orders", "orders.eu": None}),
    "active_passive": (
        {},
        {"orders.eu": "orders.eu", "stock.internal": "stock.internal", "orders.scratch.tmp": None, "prices": None},
    ),
    "aggregate": ({"central": TARGET}, {"sales.eu": "north_america-sales.eu"}),
    "broadcast": ({"central": SOURCE}, {"prices.gold": "prices.gold", "prices.mm2-gold": "prices.mm2-gold"}),
    "custom_policy": ({}, {"anything": "anything", "x-internal": "x-internal"}),
    "migration": (
        {"old_cluster": SOURCE, "new_cluster": TARGET},
        {"anything": "anything", "shop.heartbeats": "north_america.shop.heartbeats", "orders.replica": None},
    ),
}
# No mirror leads back from a copy that MirrorMaker 2 renames: that is said before anything is changed.
ONE_WAY = {"migration": "found that MirrorMaker 2 renames shop.heartbeats"}
# What an example's own patterns leave out of the groups.
LEFT_OUT = {"active_passive": {"orders-test-1"}}


def test_every_example_is_played():
    assert {path.stem for path in (ROOT / "examples" / "topologies").glob("*.yml")} == set(PLAYED)


def cast(name: str) -> list[dict]:
    """The example's mirrors between the lab's two regions, quick enough for a test."""
    names = {SOURCE: SOURCE, TARGET: TARGET, **PLAYED[name][0]}
    described = yaml.safe_load((ROOT / "examples" / "topologies" / f"{name}.yml").read_text())["kafka_dr_mirrors"]
    played = [
        {
            **one,
            "source": names[one["source"]],
            "target": names[one["target"]],
            "config": {"worker": {"plugin.discovery": "service_load"}},
            "tuning": {"replication_factor": 1, "refresh_seconds": 3, "checkpoint_seconds": 2},
        }
        for one in described
    ]
    return [one for one in played if one["source"] != one["target"]]


def describe(ground: Playground, name: str) -> None:
    """The lab's inventory with the example's mirrors, its topics in the source, and no application."""
    described = ground.lab.inventory.load()
    everything = described["all"]
    everything["vars"]["kafka_dr_mirrors"] = cast(name)
    everything["hosts"][SOURCE]["kafka_dr_topics"] = [
        {"name": topic, "partitions": 1, "replication_factor": 1} for topic in PLAYED[name][1]
    ]
    everything["hosts"][TARGET]["kafka_dr_topics"] = []
    for host in everything["hosts"].values():
        host.pop("kafka_dr_applications", None)
    ground.lab.inventory.regions_file.write_text(yaml.safe_dump(described, sort_keys=False))


def fill(source: SimpleNamespace, topics: dict) -> None:
    """Records in every topic, also in those that the example leaves out, and groups that stand in them."""
    offsets_lab.create(source, *((topic, 1, {}) for topic in topics))
    for topic in topics:
        traffic.Writer(source, topic, partitions=1).write(RECORDS)
        offsets_lab.set_positions(source, topic, {group: {0: POSITION} for group in GROUPS})


def played(ground: Playground, stage: str, *words: str, **more) -> str:
    done = ground.stage(stage, more, *words)
    assert done.returncode == 0, done.stdout
    return " ".join(done.stdout.split())


def set_up(directory, name: str) -> tuple[Playground, SimpleNamespace]:
    """A lab whose mirror is the example's and has copied all that it is to copy; and the target."""
    topics = PLAYED[name][1]
    ground = Playground(directory)
    describe(ground, name)
    source, target = (SimpleNamespace(client=ground.admin(region)) for region in (SOURCE, TARGET))
    fill(source, topics)
    played(ground, "initial_setup", "--check")
    told = played(ground, "initial_setup")
    assert f"carries {len([one for one in topics.values() if one])} partitions from {SOURCE} to {TARGET}" in told, told
    return ground, target


def told_of(told: str) -> list[str]:
    return [group for group in GROUPS if f"'{group}'" in told.partition("NOT BROUGHT OVER")[2]]


@pytest.mark.parametrize("name", sorted(PLAYED))
def test_an_example_is_checked_set_up_and_moved(name, tmp_path):
    topics = PLAYED[name][1]
    copies = {copy for copy in topics.values() if copy}
    try:
        ground, target = set_up(tmp_path / "lab", name)
        move = {"failover_planned": True}
        if name in ONE_WAY:
            refused = ground.stage("failover", move)
            text = " ".join(refused.stdout.split())
            assert refused.returncode != 0 and ONE_WAY[name] in text and "Refused, nothing was changed" in text, text
            move["failover_reverse"] = False
        played(ground, "failover", "--check", **move)
        told = played(ground, "failover", **move)
        assert "PROVEN" in told and f"{TARGET} is the active region" in told, told
        assert name not in ONE_WAY or f"NOT PROTECTED: no mirror copies it to {SOURCE}" in told, told
        there = AdminClient(target.client).list_topics(timeout=30).topics
        assert copies <= set(there) and not {topic for topic, copy in topics.items() if copy is None} & set(there)
        assert {copy: len(offsets_lab.copies(target, copy, 1)[0]) for copy in copies} == dict.fromkeys(copies, RECORDS)
        moved = set(GROUPS) - LEFT_OUT.get(name, set())
        assert group_positions(KafkaClient(target.client), GROUPS) == {
            group: {(copy, 0): POSITION for copy in copies} for group in moved
        }
        assert told_of(told) == sorted(set(GROUPS) - moved), told
    finally:
        Lab(tmp_path / "lab").down()


def test_a_failover_names_the_groups_that_the_example_leaves_out(tmp_path):
    try:
        ground, target = set_up(tmp_path / "lab", "active_passive")
        # A mirror knows of copied offsets once it flushed them, and the witness looks for such groups with its first
        # round.
        offsets_lab.until(
            lambda: set(GROUPS) <= set(read_witness(KafkaClient(target.client), offsets_lab.POSITIONS)["groups"]), 60
        )
        ground.lab.lose(SOURCE)
        told = played(ground, "failover")
        assert f"{TARGET} is the active region" in told and told_of(told) == ["orders-test-1"], told
        assert told.count("NOT BROUGHT OVER") == 2, "before the applications start, and at the end"
        assert set(group_positions(KafkaClient(target.client), GROUPS)) == {"orders-app"}
        assert [
            one["group"] for one in ground.module("ledger_info")["done"]["failover"]["positions"]["found"]["others"]
        ] == ["orders-test-1"]
    finally:
        Lab(tmp_path / "lab").down()
