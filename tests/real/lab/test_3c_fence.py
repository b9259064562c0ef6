# SPDX-License-Identifier: GPL-3.0-or-later
"""A fence takes what is there, whatever the inventory says; what it cannot take is refused by name; what it took comes
back.
"""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from kafka_dr_lab.journals import topic_ids
from kafka_dr_lab.landscape import TOPICS
from kafka_dr_lab.ports import free_ports
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.real
APPLICATIONS = ("departures-producer", "departures-consumer")
STRANGER = {
    "principal": "stranger",
    "resource": "topic",
    "name": "flights.",
    "pattern": "prefixed",
    "operations": ["WRITE"],
}
EVERYBODY = {"principal": "*", "resource": "topic", "name": TOPICS[0], "operations": ["WRITE"]}


def rights(ground, *principals: str) -> list:
    """ACLs of principals in the source."""
    return describe_acls(KafkaClient(ground.client(SOURCE), ground.client_secrets(SOURCE), 60, SOURCE), principals)


def said(done) -> str:
    return " ".join(done.stdout.split())


def test_who_cannot_be_fenced_is_named_before_anything_is_changed(ground, set_up):
    assert set_up.returncode == 0, set_up.stdout[-3000:]
    secret = {"client": ground.client(SOURCE), "client_secrets": ground.client_secrets(SOURCE)}
    ground.module("acls", acls=[STRANGER, EVERYBODY], **secret)
    try:
        before = ground.state()
        done = ground.stage("failover", {"failover_planned": True, "failover_accept_unfenced": ["User:*"]})
        assert (
            done.returncode != 0
            and "User:stranger (in north_america) is not among kafka_dr_users "
            "and has ALLOW WRITE topic:flights. PREFIXED"
            in said(done)
        )
        assert """-e '{"failover_accept_unfenced": ["User:*", "User:stranger"]}'""" in said(done).replace('\\"', '"')
        assert ground.state() == before
    finally:
        ground.module("acls", acls=[STRANGER, EVERYBODY], state="absent", **secret)


@pytest.mark.parametrize(
    ("stage", "regions"),
    [("failover", {"failover_planned": True}), ("fence", {"fence_region": SOURCE, "fence_survivor": TARGET})],
)
def test_who_may_write_to_the_ledger_is_named_before_anything_is_changed(ground, set_up, stage, regions):
    stray = {**STRANGER, "name": "__kafka_dr_ledger", "pattern": "literal"}
    secret = {"client": ground.client(TARGET), "client_secrets": ground.client_secrets(TARGET)}
    ground.module("acls", acls=[stray], **secret)
    try:
        before = ground.state()
        done = ground.stage(stage, regions)
        assert done.returncode != 0 and "found User:stranger may WRITE __kafka_dr_ledger" in said(done), done.stdout
        assert f"-e {stage}_accept_ledger_writers=true" in said(done)
        assert ground.state() == before
    finally:
        ground.module("acls", acls=[stray], state="absent", **secret)


def test_a_source_that_only_the_controller_cannot_reach_is_not_lost(ground, set_up):
    def out_of_reach(described):
        described["hosts"][SOURCE]["kafka_dr_client"]["bootstrap.servers"] = f"127.0.0.1:{free_ports(1)[0]}"

    before = ground.state()
    done = ground.stage("failover", change=out_of_reach)
    assert done.returncode != 0 and "north_america still lives: expected it to be lost" in said(done), done.stdout
    # Whichever sign comes first.
    assert any(
        sign in said(done)
        for sign in ("the position witness saw it", "a heartbeat of it came", "the mirror copied", "the mirror noted")
    )
    assert "failover_accept_source_alive=true" in done.stdout
    assert ground.state() == before


@pytest.mark.full
def test_a_late_write_stops_a_planned_move_and_the_way_out_gives_back_what_was_taken(ground, set_up):
    had = rights(ground, *APPLICATIONS)
    assert ("User:departures-producer", "topic", "*", "LITERAL", "ALL", "ALLOW", "*") in had
    planned = {"failover_source": SOURCE, "failover_target": TARGET, "failover_planned": True}
    ground.kill_after("failover", "Stop the mirror for good", planned)
    assert rights(ground, *APPLICATIONS) == []
    known = ground.module("ledger_info")
    assert known["open"] and sorted(one["resource"] for one in known["taken"][SOURCE]) == sorted(one[1] for one in had)
    assert (
        known["done"]["failover"]["revoking"]["found"]["mirror"]
        and known["done"]["failover"]["revoking"]["found"]["removed"]
    )
    # As the brokers' own administrator, whom no fence reaches.
    failed: list = []
    producer = Producer(ground.admin(SOURCE))
    producer.produce(
        TOPICS[0],
        b'{"id": "late"}',
        partition=1,
        on_delivery=lambda error, message: failed.append(error) if error else None,
    )
    assert producer.flush(30) == 0 and failed == []
    unplanned = ground.stage("failover")
    assert unplanned.returncode != 0 and "north_america still answers: expected it to be lost" in said(unplanned)
    done = ground.stage("failover", {"failover_planned": True})
    assert done.returncode != 0 and f"found {TOPICS[0]}-1 has 1 from offset" in said(done), done.stdout
    assert ground.module("ledger_info")[
        "active_region"
    ] == SOURCE and "-e initial_setup_accept_open_stage=true" in said(done)
    closed = ground.stage("initial_setup")
    assert closed.returncode != 0 and "Another stage is open in the ledger" in said(closed)
    back = ground.stage("initial_setup", {"initial_setup_accept_open_stage": True})
    assert back.returncode == 0, back.stdout
    assert rights(ground, *APPLICATIONS) == had and ground.module("ledger_info")["taken"] == {}
    end = time.monotonic() + 60
    while not topic_ids(ground.admin(TARGET), [TOPICS[0]])[TOPICS[0]]["late"]:
        assert time.monotonic() < end, "the late record was not copied"
        time.sleep(0.5)
