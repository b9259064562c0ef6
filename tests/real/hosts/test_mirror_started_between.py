# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody starts a mirror again after it was seen to rest, and before it loses its rights: what it wrote until then
belongs to the ends.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls
from kafka_dr_lab.supervisor import Supervisor
from tests.real.hosts.mirrors import create
from tests.real.hosts.playing import Inventory
from tests.real.ledger.guarded import guarded, password
from tests.support.kafka import ROOT, free_ports

pytestmark = pytest.mark.real
TOPIC = "orders.items"
MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders\\..*"], "groups": [".*"]}
BETWEEN = "revoke_mirror | Read what the mirror may do"


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Any:
    supers = {"super.users": "User:ANONYMOUS;User:stages"}
    broker, of_user = guarded(tmp_path_factory.mktemp("target"), "eu", ["stages", "mirror"], supers)
    create(broker.client, TOPIC)
    ensure_acls(KafkaClient(broker.client), service_acls("mirror", "mirror", MIRROR, "target"), "present", False)
    yield of_user
    broker.stop()


def written(client: dict[str, Any]) -> bool:
    """Whether a mirror with these credentials can write one record."""
    told: list[bool] = []
    producer = Producer(client)
    producer.produce(TOPIC, b"copied", on_delivery=lambda error, dummy: told.append(error is None))
    producer.flush(20)
    return told == [True]


@pytest.fixture
def keeper(tmp_path: Path) -> Any:
    """What keeps the mirror: it does not run any more."""
    made = Supervisor(tmp_path / "services")
    made.programs.mkdir(parents=True)
    for name in ("mirror-backup", "witness-backup"):
        (made.programs / f"{name}.conf").write_text(f"[program:{name}]\ncommand=sleep 600\nautostart=false\n")
    made.start()
    yield made
    made.stop()


def described(directory: Path, client: dict[str, Any], keeper: Supervisor) -> Inventory:
    region = {
        "kafka_dr_platform": "managed",
        "kafka_dr_client": {"bootstrap.servers": f"127.0.0.1:{free_ports(1)[0]}"},
        "kafka_dr_client_secrets": {},
        "kafka_dr_mirror_directory": "/nowhere/mirrors",
        "kafka_dr_kafka_home": "/nowhere/kafka",
    }
    users = [
        {"name": name, "password": password(name), "purpose": purpose}
        for name, purpose in (("stages", "stages"), ("mirror", "mirror"))
    ]
    eu = {
        **region,
        "kafka_dr_users": users,
        "kafka_dr_services": {
            "manager": "supervisord",
            "socket": keeper.socket_file.read_text().strip(),
            "directory": str(keeper.programs),
        },
        "kafka_dr_client": {key: value for key, value in client.items() if key != "sasl.password"},
        "kafka_dr_client_secrets": {"sasl.password": client["sasl.password"]},
    }
    return Inventory(directory, {"na": region, "eu": eu}, {"kafka_dr_mirrors": [MIRROR]})


def test_the_ends_are_those_after_its_rights_are_gone(target, keeper, tmp_path):
    inventory, told = described(tmp_path, target("stages"), keeper), ""
    assert written(target("mirror"))
    env = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    process = subprocess.Popen(
        inventory.command("stop", "mirror", {"mirror_retire": True}, "-v"),
        env={**env, **inventory.environment(), "PYTHONUNBUFFERED": "1"},
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        told += line
        if BETWEEN in line:
            assert written(target("mirror"))
    assert process.wait(60) == 0, told[-4000:]
    assert not written(target("mirror"))
    ends = re.findall(r'"mirror_copied": .*?"target": \{"orders.items": (?:\{"0": |\[)(\d+)', " ".join(told.split()))
    assert ends == ["2"], ends or told[-3000:]
