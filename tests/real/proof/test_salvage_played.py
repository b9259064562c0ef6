# SPDX-License-Identifier: GPL-3.0-or-later
"""The role's part of a salvage, played with the stages' user, who may write to no topic of the applications."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls
from tests.real.hosts.playing import Inventory
from tests.real.ledger.guarded import guarded

from . import support
from .salvaging import held
from .support import some

pytestmark = pytest.mark.real

ROWS = some(60)
WRITE = {"resource": "topic", "name": "orders", "pattern": "literal", "operations": ["WRITE"], "principal": "stages"}


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    broker, of = guarded(tmp_path_factory.mktemp("guarded"), "target", ["stages"])
    ensure_acls(KafkaClient(broker.client, {}, 20), service_acls("stages", "stages"), "present", False)
    yield broker, of("stages")
    broker.stop(5)


def test_it_is_played(pair, target, tmp_path):
    broker, client = target
    for cluster, rows in ((pair["source"], ROWS), (broker, ROWS[:40])):
        support.create(cluster, {"orders": (1, {})})
        support.write(cluster, {"orders": rows})
    secrets = {"sasl.password": client.pop("sasl.password")}
    hosts = {
        "north": {"kafka_dr_platform": "managed", "kafka_dr_client": pair["source"].client},
        "south": {"kafka_dr_platform": "managed", "kafka_dr_client": client, "kafka_dr_client_secrets": secrets},
    }
    hosts["south"]["kafka_dr_unverified_tls"] = "a broker on loopback"
    jobs = tmp_path / "jobs"
    given = {"kafka_dr_workdir": str(tmp_path / "work"), "ansible_async_dir": str(jobs)}
    inventory = Inventory(tmp_path, hosts, given)
    extra = {
        "proof_source": "north",
        "proof_target": "south",
        "proof_topics": "orders",
        "proof_bounds": {"target": {"orders": {"0": 40}}},
        "proof_salvage": [{"topics": "orders", "action": "replay"}],
        "proof_salvage_directory": str(tmp_path / "salvaged"),
        "proof_master": "local[1]",
    }
    done = inventory.play("salvage.yml", "--check", part="proof", extra=extra)
    assert "Would run the proof's Spark job (salvage) for north -> south" in done.stdout
    done = inventory.play("salvage.yml", part="proof", extra=extra, check=False)
    assert done.returncode != 0
    assert "stages may not write to orders on south: expected the right WRITE on each of these topics" in done.stdout
    assert len(held(broker, "orders")[0]) == 40
    ensure_acls(KafkaClient(broker.client, {}, 20), [WRITE], "present", False)
    done = inventory.play("salvage.yml", part="proof", extra=extra)
    assert "20 records of north that south never got were salvaged" in done.stdout
    assert len(held(broker, "orders")[0]) == 60
    assert secrets["sasl.password"] not in done.stdout
    left = {path.name for path in (tmp_path / "work").rglob("*") if path.is_file()}
    assert "summary.json" in left and not left & {"source.json", "target.json"}
    assert jobs.is_dir() and not list(jobs.iterdir())
    done = inventory.play("salvage.yml", part="proof", extra={**extra, "proof_bounds": {}}, check=False)
    assert "expected proof_source (the region that is back)" in done.stdout
