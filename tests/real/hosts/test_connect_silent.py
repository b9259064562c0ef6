# SPDX-License-Identifier: GPL-3.0-or-later
"""A Connect cluster that runs a mirror and does not answer ends no unplanned failover."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.connectors import Connectors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.http import Workers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.connectors import connector_names
from kafka_dr_lab.machine import Machine
from tests.real.hosts.moved import ANYBODY, AWAY, THERE, played
from tests.real.hosts.told import Told
from tests.support.connect import ConnectWorker
from tests.support.kafka import free_ports

from .mirrors import until
from .test_half_dead import SHOW, STOP, TRY
from .test_left_behind import caught_up, grant, left, may
from .test_machines import run, until_state

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
    """A worker beside eu, which runs nothing yet."""
    made = ConnectWorker(tmp_path / "worker", "worker", {"bootstrap.servers": regions.brokers["eu"].bootstrap})
    try:
        workers = Workers({"urls": [made.start().url], "timeout": 5})
        made.await_ready(lambda: workers.get("connectors") is not None, 90)
        yield made
    finally:
        made.stop(5)


def run_heartbeats(worker: ConnectWorker, bootstrap: str) -> None:
    config = {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector",
        "source.cluster.alias": "na",
        "target.cluster.alias": "eu",
        "source.cluster.bootstrap.servers": bootstrap,
        "target.cluster.bootstrap.servers": bootstrap,
        "replication.factor": "1",
        "heartbeats.topic.replication.factor": "1",
    }
    Workers({"urls": [worker.url], "timeout": 10}).call("PUT", ["connectors", HEARTBEATS, "config"], config)
    until(lambda: connectors(worker).get(HEARTBEATS, {}).get("state") == "RUNNING", "the heartbeats to run", 60)


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
@pytest.mark.parametrize("more", [{"own_client": False}, {}], ids=["as-themselves", "accepted"])
def test_workers_that_no_right_shuts_out_have_to_be_gone(regions, worker, more):
    on_connect(regions.hosts, nowhere(), group="connect", **more)
    accepted = [] if more else ANYBODY
    facts = {**STOP, "mirror_accept_silent": True, "mirror_accept_unfenced": accepted}
    tasks = [{"name": "Know", "ansible.builtin.set_fact": facts}, TRY, SHOW]
    said = regions.play(tasks, **AWAY)
    assert "REFUSED" in said and "is not at rest in eu" in said and "connect" in said.split("still missing: ")[1], said
    worker.stop(20)
    said = regions.play(tasks, **AWAY)
    assert "REFUSED" not in said and CLUSTER in said.split("LEFT")[1], said
    assert "has to be seen gone from its group" in said
    assert ("RIGHTS KEPT: the workers" in said) == (said.count("loses its rights") == 0) == bool(more), said


@pytest.mark.full
def test_a_later_run_stops_the_connectors(regions, worker):
    """Also where the mirror has been given another platform meanwhile."""
    left(regions, mirror={CLUSTER: "no answer"})
    on_connect(regions.hosts, worker.url)
    said, found = caught_up(regions)
    assert found["unreached"]["mirror"] == {CLUSTER: "it answers, and has no connector of the mirror"}, said
    assert f"NOT REACHED: {CLUSTER}. Once they answer" in said
    run_heartbeats(worker, regions.brokers["eu"].bootstrap)
    del regions.hosts["eu"]["kafka_dr_mirror_platform"]
    said, found = caught_up(regions)
    assert found["unreached"] == {"mirror": {}, "applications": {}} and "NOT REACHED" not in said, said
    assert connectors(worker)[HEARTBEATS]["state"] == "STOPPED" and found["given_up"]["mirror"] == []


@pytest.mark.full
def test_one_that_the_inventory_has_no_more_is_given_up(regions):
    left(regions, mirror={CLUSTER: "no answer"})
    said, found = caught_up(regions)
    assert found["given_up"]["mirror"] == [CLUSTER] and f"GIVEN UP: {CLUSTER} is not in the inventory" in said, said


@pytest.mark.full
def test_a_planned_move_whose_target_is_named_goes_on_without_it(regions):
    regions.mirrored("na", "eu")
    regions.entry("eu", "1", "failover", "stage", "started", "na to eu", found={"planned": True})
    regions.ends("eu", "1", "na to eu")
    regions.move("1", "eu", tell=["na"])
    on_connect(regions.hosts, nowhere())
    given = {"failover_planned": True, "failover_accept_unfenced": ANYBODY, **AWAY}
    done = played(regions.directory, regions.hosts, regions.mirrors, "streamsafe.kafka_dr.failover", given)
    said = " ".join((done.stdout + done.stderr).split())
    assert f"{CLUSTER} (No Connect worker answers" in said and "eu is the active region" in said, said[-3000:]
    assert done.returncode == 0 and f"NOT REACHED: {CLUSTER}" in said


@pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here")
@pytest.mark.full
def test_a_machine_that_is_left_is_stopped_where_connect_runs_the_mirror_by_now(regions, tmp_path):
    machine = Machine(tmp_path / "m1", free_ports(1)[0])
    try:
        machine.files.mkdir(parents=True)
        machine.keeper.programs.mkdir(parents=True)
        for name in ("mirror-there", "witness-there"):
            run(machine, name)
        machine.start()
        for name in ("mirror-there", "witness-there"):
            until_state(machine, name, "RUNNING")
        regions.hosts["m1"] = machine.variables()
        on_connect(regions.hosts, nowhere())
        facts = {**STOP, "mirror_accept_silent": True, "mirror_left": ["m1"]}
        said = regions.play([{"name": "Know", "ansible.builtin.set_fact": facts}, TRY, SHOW], **AWAY)
        assert "REFUSED" not in said and "LEFT {}" in said, said
        assert {machine.keeper.info(name)["statename"] for name in ("mirror-there", "witness-there")} == {"STOPPED"}
    finally:
        machine.remove()
