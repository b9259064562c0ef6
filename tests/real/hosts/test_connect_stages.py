# SPDX-License-Identifier: GPL-3.0-or-later
"""Set-up and failover where the mirror runs on an existing Kafka Connect cluster: SASL_SSL, ACLs in force, real
applications, the source destroyed.
"""

from __future__ import annotations

import json

import pytest
import yaml
from confluent_kafka import Consumer, TopicPartition

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.connectors import Connectors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.http import Workers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.java_client import java_client
from kafka_dr_lab.journals import Journals
from kafka_dr_lab.lab import Lab
from tests.real.lab.playing import SOURCE, TARGET, Playground
from tests.support.connect import ConnectWorker

from .mirrors import until

pytestmark = [pytest.mark.real, pytest.mark.full]
GROUP = "workers"


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    """The lab, with two Connect workers beside the target that belong to somebody else: they have a principal of their
    own.
    """
    directory = tmp_path_factory.mktemp("lab")
    workers = []
    try:
        made = Playground(directory)
        admin = made.admin(TARGET)
        own = java_client(admin, lambda key: "${{file:{}:{}}}".format(directory / "worker-secrets", key))
        (directory / "worker-secrets").write_text(f"sasl.password={admin['sasl.password']}\n")
        (directory / "worker-secrets").chmod(0o600)
        clients = {
            f"{prefix}{key}": value for prefix in ("", "producer.", "consumer.", "admin.") for key, value in own.items()
        }
        workers = [ConnectWorker(directory / name, name, clients, GROUP).start() for name in ("one", "two")]
        made.urls = [worker.url for worker in workers]
        for worker in workers:
            worker.await_ready(
                lambda url=worker.url: Workers({"urls": [url], "timeout": 5}).get("connectors") is not None, 90
            )
        described = made.lab.inventory.load()
        described["all"]["hosts"][TARGET].update(
            {"kafka_dr_mirror_platform": "connect", "kafka_dr_connect": {"urls": made.urls, "group": GROUP}}
        )
        for mirror in described["all"]["vars"]["kafka_dr_mirrors"]:
            # What a worker looks for plugins in is its owner's to say.
            mirror["config"].pop("worker", None)
        made.lab.inventory.regions_file.write_text(yaml.safe_dump(described))
        yield made
    finally:
        for worker in workers:
            worker.stop(5)
        Lab(directory).down()


def connectors(ground) -> dict:
    return Connectors(Workers({"urls": ground.urls, "timeout": 30})).every()


def test_initial_setup_runs_the_mirror_on_connect(ground):
    done = ground.stage("initial_setup")
    assert done.returncode == 0, done.stdout[-3500:]
    seen = connectors(ground)
    assert {name.rpartition(".")[2] for name in seen} == {
        "MirrorSourceConnector",
        "MirrorCheckpointConnector",
        "MirrorHeartbeatConnector",
    }
    assert {one["state"] for one in seen.values()} == {"RUNNING"} and not [
        task for one in seen.values() for task in one["tasks"] if task["state"] != "RUNNING"
    ]
    assert "exactly-once in force" in done.stdout


def test_again_nothing_changes(ground):
    again = ground.stage("initial_setup")
    assert again.returncode == 0, again.stdout[-3000:]
    before = connectors(ground)
    check = ground.stage("initial_setup", None, "--check")
    assert check.returncode == 0, check.stdout[-3000:]
    assert {name: one["config"] for name, one in connectors(ground).items()} == {
        name: one["config"] for name, one in before.items()
    }


def test_connects_own_topics_hold_no_password(ground):
    consumer = Consumer(
        {**ground.admin(TARGET), "group.id": "look", "enable.partition.eof": True, "auto.offset.reset": "earliest"}
    )
    consumer.assign([TopicPartition(f"{GROUP}-configs", 0, 0)])
    values = []
    while (message := consumer.poll(15)) is not None and not message.error():
        values.append(message.value() or b"")
    consumer.close()
    assert any(b"jaas" in one for one in values)
    assert [secret[:4] for secret in ground.every_secret() if any(secret.encode() in one for one in values)] == []


def test_failover_stops_the_connectors_and_confirms_it(ground):
    journals = Journals(ground.lab.directory / "regions" / "south_america")
    ground.lab.lose(SOURCE)
    done = ground.stage("failover")
    assert done.returncode == 0, done.stdout[-3500:]
    seen = connectors(ground)
    assert {one["state"] for one in seen.values()} == {"STOPPED"} and not any(one["tasks"] for one in seen.values())
    rules = describe_acls(KafkaClient(ground.client(TARGET), ground.client_secrets(TARGET), 30, TARGET))
    assert rules and "kdr-mirror" not in json.dumps(rules), (
        "the mirror may still write into the region that is used now"
    )
    known = ground.module("ledger_info")
    assert known["active_region"] == TARGET and not known["open"]
    until(lambda: journals.first_new(TARGET) is not None, "a record produced after the failover to be processed", 120)
