# SPDX-License-Identifier: GPL-3.0-or-later
"""A source that was silent at the gate and answers before the target is named active is not given up unfenced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.real.hosts.moved import stage_tasks
from tests.real.hosts.playing import Inventory
from tests.real.ledger.guarded import guarded
from tests.support.kafka import free_ports

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Any:
    broker, of_user = guarded(tmp_path_factory.mktemp("source"), "na", ["stages"])
    yield of_user
    broker.stop()


def asked(directory: Path, client: dict[str, Any], code: int, **more: Any) -> str:
    """What the failover says where it has asked the source again, before it names the target."""
    region = {
        "kafka_dr_platform": "managed",
        "kafka_dr_client_secrets": {},
        "kafka_dr_mirror_directory": "/nowhere/mirrors",
        "kafka_dr_kafka_home": "/nowhere/kafka",
        "kafka_dr_unverified_tls": "a test on one machine",
    }
    target = {**region, "kafka_dr_client": {"bootstrap.servers": f"127.0.0.1:{free_ports(1)[0]}"}}
    mirrors = [{"name": "backup", "source": "na", "target": "eu", "topics": [".*"]}]
    told = {key: value for key, value in client.items() if key != "sasl.password"}
    secrets = {key: value for key, value in client.items() if key == "sasl.password"}
    na = {**region, "kafka_dr_client": told, "kafka_dr_client_secrets": secrets}
    inventory = Inventory(directory, {"na": na, "eu": target}, {"kafka_dr_mirrors": mirrors})
    given = {"failover_source": "na", "failover_target": "eu", **more}
    done = inventory.play("returned", part="failover", check=False, extra=given)
    assert done.returncode == code, done.stdout[-4000:]
    return " ".join(done.stdout.split())


def test_one_that_answers_again_is_not_given_up(source, tmp_path):
    said = asked(tmp_path, source("stages"), 2)
    assert "na answers again" in said and "eu is not yet the active region" in said, said
    assert "failover_planned=true" in said and "failover_accept_source_alive=true" in said


@pytest.mark.full
def test_one_that_does_not_know_the_stages_passes_only_by_name(source, tmp_path):
    stranger = {**source("stages"), "sasl.password": "another one"}
    assert "na answers again" in asked(tmp_path, stranger, 2)
    asked(tmp_path, stranger, 0, failover_accept_unfenced=["na"])
    asked(tmp_path, source("stages"), 2, failover_accept_unfenced=["na"])
    # One whose controllers are gone answers, and nobody can fence it.
    asked(tmp_path, source("stages"), 0, failover_accept_unfenced=["na"], failover_accept_source_alive=True)


def test_one_that_stays_silent_is_given_up(tmp_path):
    asked(tmp_path, {"bootstrap.servers": f"127.0.0.1:{free_ports(1)[0]}"}, 0)


def test_it_is_asked_last_before_the_target_is_named():
    files = [one.get("ansible.builtin.include_tasks") for one in stage_tasks()]
    assert files.index("returned.yml") == files.index("activate.yml") - 1
