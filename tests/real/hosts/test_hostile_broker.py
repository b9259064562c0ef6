# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker advertises a host of its choice: whatever asks its region says it as text, and fails as with any other
broker that does not answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES
from kafka_dr_lab.playbook import collections_path
from tests.support.advertising_broker import advertising
from tests.support.hostile import commands, steers_terminal, without_null

REGIONS = {
    **{
        name: {f"{name}_{stage.region}": "america", f"{name}_{stage.other}": "europe"} for name, stage in STAGES.items()
    },
    "doctor": {},
    "probe": {"probe_source": "america", "probe_target": "europe", "probe_topic": "orders.kafka-dr-probe"},
    "backup_status": {"backup_status_region": "america", "backup_status_backup": "europe"},
    "ledger": {"ledger_region": "europe"},
    "report": {"report_region": "europe", "report_directory": "page"},
    "manifest": {"manifest_region": "america", "manifest_directory": "kept"},
}
# The others are long.
ALWAYS = ("failover", "ledger")
# Each meets others of them.
TEXTS = without_null([one for one in commands("{mark}") if len(one) < 200])


def played(playbook: str, address: str, place: Path) -> subprocess.CompletedProcess:
    """A playbook of the collection over two regions whose brokers stand at this address."""
    region = {
        "kafka_dr_platform": "managed",
        "kafka_dr_client": {"bootstrap.servers": address},
        "kafka_dr_client_secrets": {},
        "kafka_dr_mirror_directory": str(place / "mirrors"),
        "kafka_dr_rebuild_directory": str(place / "rebuild"),
        "kafka_dr_kafka_home": "/opt/kafka",
        "kafka_dr_workdir": str(place / "work"),
    }
    mirror = {"name": "backup", "source": "america", "target": "europe", "topics": ["orders"]}
    described = {"all": {"hosts": {"america": region, "europe": region}, "vars": {"kafka_dr_mirrors": [mirror]}}}
    (place / "hosts.json").write_text(json.dumps(described))
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_LOCALHOST_WARNING": "false",
    }
    tool = str(Path(sys.executable).with_name("ansible-playbook"))
    words = [tool, "-i", "hosts.json", f"streamsafe.kafka_dr.{playbook}", "-vvv", "-e", json.dumps(REGIONS[playbook])]
    return subprocess.run(words, cwd=place, env=env, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    "number, playbook",
    [
        pytest.param(number, name, id=name, marks=pytest.mark.real if name in ALWAYS else pytest.mark.full)
        for number, name in enumerate(REGIONS)
    ],
)
def test_its_host_is_text(number, playbook, tmp_path):
    mark = tmp_path / "mark"
    text = " ".join(TEXTS[number :: len(REGIONS)]).replace("{mark}", str(mark))
    with advertising(text) as address:
        done = played(playbook, address, tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 2 and "Failed to resolve" in said and "Traceback" not in said, said[-3000:]
    assert not list(tmp_path.glob("mark*")) and not steers_terminal(said), said[-3000:]
