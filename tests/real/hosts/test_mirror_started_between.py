# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror that writes while it is being stopped for good: somebody starts it again after it was seen to rest, or a
machine out of reach runs on. What it wrote until its rights were gone belongs to the ends, and nothing comes after.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import workers_of
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls
from kafka_dr_lab.supervisor import Supervisor
from tests.real.hosts.mirrors import Mirror, create, ends, send, until
from tests.real.hosts.playing import Inventory
from tests.real.ledger.guarded import guarded, password
from tests.support.kafka import ROOT, Kafka, free_ports

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


def retired(inventory: Inventory, between: str, act: Callable[[], None], **extra: Any) -> tuple[str, int]:
    """What a stop for good says, and the end of the copy that it found; ``act`` is called as soon as it says
    ``between``.
    """
    told, env = "", {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    process = subprocess.Popen(
        inventory.command("stop", "mirror", {"mirror_retire": True, **extra}, "-v"),
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
        if between in line:
            act()
    assert process.wait(60) == 0, told[-4000:]
    told = " ".join(told.split())
    found = re.findall(r'"mirror_copied": .*?"target": \{"orders.items": (?:\{"0": |\[)(\d+)', told)
    assert len(found) == 1, told[-3000:]
    return told, int(found[0])


def test_the_ends_are_those_after_its_rights_are_gone(target, keeper, tmp_path):
    assert written(target("mirror"))

    def start_again() -> None:
        assert written(target("mirror"))

    dummy, end = retired(described(tmp_path, target("stages"), keeper), BETWEEN, start_again)
    assert not written(target("mirror"))
    assert end == 2


@contextmanager
def running(directory: Path, client: dict[str, Any]) -> Iterator[Kafka]:
    """A mirror of a source that is written to all the time, with the least rights in the target; the source."""
    source = Kafka(directory / "source", "na").start()
    create(source.client, TOPIC)
    secrets = {"eu": {"sasl.password": client["sasl.password"]}}
    clients = {"na": source.client, "eu": {key: value for key, value in client.items() if key != "sasl.password"}}
    mirror = Mirror(directory, {**MIRROR, "tuning": {"replication_factor": 1}}, clients, secrets)
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(0.3):
            send(source.client, TOPIC, [b"order"])

    writer = threading.Thread(target=write)
    try:
        mirror.start()
        writer.start()
        yield source
    finally:
        ended.set()
        writer.join()
        mirror.stop()
        source.stop()


@pytest.mark.full
@pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here")
def test_a_machine_out_of_reach_that_runs_on_has_stopped_once_its_rights_are_gone(target, keeper, tmp_path):
    stages = target("stages")
    ensure_acls(KafkaClient(stages), service_acls("mirror", "mirror", MIRROR, "target"), "present", False)
    inventory = described(tmp_path, stages, keeper)
    inventory.hosts["eu"]["kafka_dr_mirror_hosts"] = ["eu", "far"]
    inventory.hosts["far"] = {
        "ansible_connection": "ssh",
        "ansible_host": "127.0.0.1",
        "ansible_port": free_ports(1)[0],
    }
    with running(tmp_path / "far", target("mirror")) as source:
        until(lambda: ends(stages, TOPIC)[1] > 10, "copies", 120)
        left_out: list[int] = []
        told, end = retired(
            inventory,
            "NOT REACHED",
            lambda: left_out.append(ends(stages, TOPIC)[1]),
            mirror_accept_silent=True,
            mirror_answer_timeout=5,
        )
        assert left_out[0] < end, "it went on copying after it was left out"
        assert "left for a later run of this stage: far (Failed to connect" in told, told[-4000:]
        assert workers_of(KafkaClient(stages), "na-mm2") == ("Empty", [])
        assert ends(stages, TOPIC)[1] == end and not written(target("mirror"))
        late = ends(source.client, TOPIC)[1]
        until(lambda: ends(source.client, TOPIC)[1] > late + 10, "records that nobody copies any more")
        assert ends(stages, TOPIC)[1] == end
