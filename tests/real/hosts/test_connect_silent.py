# SPDX-License-Identifier: GPL-3.0-or-later
"""A Connect cluster that runs a mirror and does not answer ends no unplanned failover."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.connectors import Connectors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.http import Workers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.connectors import connector_names
from tests.real.hosts.moved import AWAY, THERE
from tests.real.hosts.told import Told
from tests.support.connect import ConnectWorker
from tests.support.kafka import free_ports

from .mirrors import until
from .test_half_dead import SHOW, STOP, TRY
from .test_left_behind import caught_up, grant, left, may

pytestmark = pytest.mark.real
CLUSTER = "the Connect cluster"
HEARTBEATS = connector_names(THERE)["heartbeat"]


def on_connect(hosts: dict[str, Any], url: str, **more: Any) -> None:
    """The mirror runs on the Connect cluster at this address, without a witness beside it."""
    hosts["eu"].update({"kafka_dr_mirror_platform": "connect", "kafka_dr_connect": {"urls": [url], **more}})


def nowhere() -> str:
    return f"http://127.0.0.1:{free_ports(1)[0]}"


def connectors(worker: ConnectWorker) -> dict[str, Any]:
    seen: dict[str, Any] = Connectors(Workers({"urls": [worker.url], "timeout": 10})).every()
    return seen


@pytest.fixture
def worker(tmp_path: Path, regions: Told) -> Iterator[ConnectWorker]:
    """A worker beside eu that runs the mirror's heartbeats."""
    made = ConnectWorker(tmp_path / "worker", "worker", {"bootstrap.servers": regions.brokers["eu"].bootstrap})
    try:
        workers = Workers({"urls": [made.start().url], "timeout": 5})
        made.await_ready(lambda: workers.get("connectors") is not None, 90)
        config = {
            "connector.class": "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector",
            "source.cluster.alias": "na",
            "target.cluster.alias": "eu",
            "source.cluster.bootstrap.servers": regions.brokers["eu"].bootstrap,
            "target.cluster.bootstrap.servers": regions.brokers["eu"].bootstrap,
            "replication.factor": 1,
            "heartbeats.topic.replication.factor": 1,
        }
        workers.call("PUT", ["connectors", HEARTBEATS, "config"], {key: str(value) for key, value in config.items()})
        until(lambda: connectors(made).get(HEARTBEATS, {}).get("state") == "RUNNING", "the heartbeats to run", 60)
        yield made
    finally:
        made.stop(5)


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    made = Told(tmp_path, ("na", "eu"), [THERE])
    yield made
    made.down()


@pytest.mark.parametrize("unplanned", [True, pytest.param(False, marks=pytest.mark.full)])
def test_it_is_shut_out_and_named(regions, unplanned):
    on_connect(regions.hosts, nowhere())
    grant(regions, "WRITE")
    facts = {"name": "Know", "ansible.builtin.set_fact": {**STOP, "mirror_accept_silent": unplanned}}
    said = regions.play([facts, TRY, SHOW], **AWAY)
    assert ("REFUSED" not in said) == unplanned, said
    if unplanned:
        assert f"NOT REACHED, and left for a later run of this stage: {CLUSTER} (" in said, said
        assert CLUSTER in said.split("LEFT")[1] and may(regions, "WRITE") == [], said
    else:
        assert f"Mirror there could not be stopped in {CLUSTER}: " in said and may(regions, "WRITE") != [], said


@pytest.mark.full
def test_workers_that_write_as_themselves_have_to_be_gone(regions, worker):
    on_connect(regions.hosts, nowhere(), own_client=False, group="connect")
    facts = {"name": "Know", "ansible.builtin.set_fact": {**STOP, "mirror_accept_silent": True}}
    tasks = [facts, TRY, SHOW]
    said = regions.play(tasks, **AWAY)
    assert "REFUSED" in said and "is not at rest in eu" in said and "connect" in said.split("still missing: ")[1], said
    worker.stop(20)
    said = regions.play(tasks, **AWAY)
    assert "REFUSED" not in said and CLUSTER in said.split("LEFT")[1], said


def test_a_later_run_stops_the_connectors(regions, worker):
    left(regions, mirror={CLUSTER: "no answer"})
    on_connect(regions.hosts, nowhere())
    said, found = caught_up(regions)
    assert set(found["unreached"]["mirror"]) == {CLUSTER} and f"NOT REACHED: {CLUSTER}. Once they answer" in said, said
    on_connect(regions.hosts, worker.url)
    said, found = caught_up(regions)
    assert found["unreached"] == {"mirror": {}, "applications": {}} and "NOT REACHED" not in said, said
    assert connectors(worker)[HEARTBEATS]["state"] == "STOPPED"


@pytest.mark.full
def test_one_that_the_inventory_has_no_more_is_given_up(regions):
    left(regions, mirror={CLUSTER: "no answer"})
    said, found = caught_up(regions)
    assert found["given_up"]["mirror"] == [CLUSTER] and f"GIVEN UP: {CLUSTER} is not in the inventory" in said, said
