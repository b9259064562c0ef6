# SPDX-License-Identifier: GPL-3.0-or-later
"""The way out of a ledger that cannot be used, followed to the letter, as playbooks that people run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from kafka_dr_lab.playbook import collections_path
from tests.support.kafka import ROOT

pytestmark = pytest.mark.real
SECRET = "the secret of these tests"
TOPIC = "__kafka_dr_ledger"


def environment(directory: Path) -> dict[str, str]:
    """Ansible's, with no setting of the caller's."""
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")},
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_LOCAL_TEMP": str(directory / "tmp"),
        "PYTHONWARNINGS": "ignore",
    }


@pytest.fixture
def play(broker, tmp_path):
    """Runs a command line of the documentation over an inventory with the region europe."""
    region = {
        "ansible_connection": "local",
        "kafka_dr_platform": "managed",
        "kafka_dr_client": broker.client,
        "kafka_dr_users": [],
        "kafka_dr_ledger_replication_factor": 1,
    }
    everything = {
        "all": {
            "hosts": {"europe": region},
            "vars": {"ansible_python_interpreter": sys.executable, "kafka_dr_ledger_secret": [SECRET]},
        }
    }
    (tmp_path / "inventory").write_text(yaml.safe_dump(everything))

    def run(line: str, expect: int = 0) -> str:
        words = line.replace("-i inventory ", "").split()
        assert words[:2] == ["ansible-playbook", "streamsafe.kafka_dr.ledger"], line
        program = str(Path(sys.executable).parent / "ansible-playbook")
        done = subprocess.run(
            [program, "-i", str(tmp_path / "inventory"), *words[1:], "-vvvv", "--diff"],
            env=environment(tmp_path),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
            check=False,
        )
        assert SECRET not in done.stdout
        assert (done.returncode != 0) == bool(expect), done.stdout[-4000:]
        return done.stdout

    return run


def look():
    """The first command of the runbook."""
    return re.search(r"^ansible-playbook .*$", (ROOT / "docs" / "runbooks" / "ledger.md").read_text(), re.M).group()


def test_the_way_out_works_when_followed_to_the_letter(broker, play):
    client = KafkaClient(broker.client)
    entry = {
        "run": "1",
        "stage": "failover",
        "step": "stage",
        "state": "started",
        "region": "",
        "about": "a to europe",
        "found": {},
        "fenced": True,
        "by": "stages",
        "collection": "0",
    }
    known = append(client, TOPIC, entry, False, secrets=[SECRET], after="")["known"]
    active = {**entry, "step": "active_region", "state": "active", "region": "europe"}
    append(client, TOPIC, active, False, secrets=[SECRET], after=known["head"]["hash"])
    said = play(look())
    assert "Active region: europe" in said and "Open: stage failover (a to europe)" in said and "Verified." in said

    producer = Producer(broker.client)
    for value in (b"{}", json.dumps({**active, "region": "elsewhere", "at": "2030-01-01T00:00:00Z"}).encode()):
        producer.produce(TOPIC, value, partition=0)
    assert producer.flush(20) == 0
    refused = play(look(), expect=1)
    assert (
        "offset 4 is no entry" in refused and "offset 5 names no entry before it" in refused and "elsewhere" in refused
    )
    way_out = re.search(r"Run: (ansible-playbook .*?) \(docs", refused).group(1).replace("<region>", "europe")
    assert "No stage" not in play(way_out + " --check")
    assert "cannot be used" in play(look(), expect=1), "check mode decides nothing"
    assert "Nothing is wrong with offset 0" in play(way_out.replace("=4,5", "=0,4,5"), expect=1)
    assert "Active region: europe" in play(way_out)
    assert "Active region: europe" in play(look())
