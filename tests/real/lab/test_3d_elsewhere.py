# SPDX-License-Identifier: GPL-3.0-or-later
"""A region that is mirrored to several: stages look at the ledgers of all, and the highest epoch counts."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.ledger import read_ledger
from kafka_dr_lab.landscape import TOPICS
from kafka_dr_lab.ports import free_ports
from tests.real.lab.playing import SOURCE, TARGET
from tests.support.kafka import Kafka

pytestmark = pytest.mark.real
LEDGER = "__kafka_dr_ledger"
PLANNED = {"failover_planned": True}


@pytest.fixture(scope="module")
def asia(tmp_path_factory):
    """A third region, to which the source is mirrored as well."""
    made = Kafka(tmp_path_factory.mktemp("asia"), "asia").start()
    yield made
    made.kill()


def mirrored_to(bootstrap: str):
    """A change of the inventory: the source is mirrored to a region at this address too."""

    def change(described: dict) -> None:
        described["hosts"]["asia"] = {
            "kafka_dr_platform": "managed",
            "kafka_dr_client": {"bootstrap.servers": bootstrap},
            "kafka_dr_client_secrets": {},
            "kafka_dr_mirror_directory": "/nowhere/mirrors",
            "kafka_dr_kafka_home": "/nowhere/kafka",
        }
        described["vars"]["kafka_dr_mirrors"].append(
            {"name": "to-asia", "source": SOURCE, "target": "asia", "topics": list(TOPICS)}
        )

    return change


def write(ground, broker: Kafka, step: str, state: str, about: str, region: str = "", **more) -> None:
    client, secrets = KafkaClient(broker.client, None, 30), [ground.secrets["kafka_dr_ledger_secret"]]
    entry = {
        "run": "another-run",
        "stage": "failover",
        "step": step,
        "state": state,
        "about": about,
        "region": region or about,
        "found": {},
        "by": "",
        "fenced": True,
        "collection": "0.1.0",
        **more,
    }
    heads = read_ledger(client, LEDGER, secrets).entries
    append(client, LEDGER, entry, False, 1, secrets, heads[-1]["hash"] if heads else "")


def said(done) -> str:
    return " ".join(done.stdout.split())


@pytest.mark.full
def test_a_move_is_refused_while_another_one_of_the_same_region_is_under_way_or_done(ground, set_up, asia):
    assert set_up.returncode == 0, set_up.stdout[-3000:]
    change, before = mirrored_to(asia.bootstrap), ground.state()
    held = ground.stage("failover", PLANNED, "--check", change=change)
    assert held.returncode == 0, held.stdout[-3000:]
    write(ground, asia, "stage", "started", f"{SOURCE} to asia")
    done = ground.stage("failover", PLANNED, change=change)
    assert done.returncode != 0 and "has not ended in its ledger" in said(done), done.stdout
    assert f"asia stage failover ({SOURCE} to asia), begun at" in said(done)
    before_it = ground.module("ledger_info")["moves"][-1]
    assert before_it["region"] == SOURCE
    moved = {
        "epoch": before_it["epoch"] + 1,
        "epoch_from": {"epoch": before_it["epoch"], "region": TARGET, "hash": before_it["hash"]},
    }
    write(ground, asia, "active_region", "active", "asia", **moved)
    write(ground, asia, "stage", "done", f"{SOURCE} to asia")
    for stage, extra, told in (
        ("failover", PLANNED, f"by the ledgers (epoch {moved['epoch']}) is asia: expected {SOURCE}"),
        ("initial_setup", {}, f"asia is the active region by the ledgers (epoch {moved['epoch']}): expected {SOURCE}"),
    ):
        done = ground.stage(stage, {**extra, f"{stage}_accept_elsewhere": ["asia"]}, change=change)
        assert done.returncode != 0 and told in said(done), done.stdout
    assert ground.state() == before and ground.module("ledger_info")["active_region"] == SOURCE


def test_a_ledger_that_cannot_be_read_is_no_empty_one(ground, set_up):
    done = ground.stage("failover", PLANNED, change=mirrored_to(f"127.0.0.1:{free_ports(1)[0]}"))
    assert (
        done.returncode != 0
        and "asia its ledger cannot be read: " in said(done)
        and "failover_accept_elsewhere" in said(done)
    ), done.stdout
