# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger that somebody deleted is refused by the gates of stages, and one that never was is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka.admin import AdminClient, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from kafka_dr_lab.playbook import collections_path
from tests.support.kafka import Kafka

pytestmark = pytest.mark.real
TOPIC, POSITIONS = "__kafka_dr_ledger_of_this_test", "__kafka_dr_positions_of_this_test"
MIRRORS = [{"name": "backup", "source": "america", "target": "europe", "topics": [".*"]}]


def gates(directory: Path, broker: Kafka, *accepted: str) -> tuple[bool, str]:
    """Whether the gates hold for a stage that leaves america for europe, and what they say."""
    region = {"ansible_connection": "local", "kafka_dr_platform": "managed", "kafka_dr_client": broker.client}
    everywhere = {
        "ansible_python_interpreter": sys.executable,
        "kafka_dr_mirrors": MIRRORS,
        "kafka_dr_ledger_topic": TOPIC,
        "kafka_dr_positions_topic": POSITIONS,
        "kafka_dr_ledger_secret": ["a secret of these tests"],
    }
    (directory / "inventory").write_text(
        yaml.safe_dump({"all": {"hosts": {"america": region, "europe": region}, "vars": everywhere}})
    )
    given = {
        "ledger_region": "europe",
        "preflight_stage": "failover",
        "preflight_left": "america",
        "preflight_ledger_region": "europe",
        "preflight_accept_elsewhere": list(accepted),
    }
    tasks = [
        {
            "name": f"Play {role}",
            "ansible.builtin.include_role": {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": file},
            "vars": given,
        }
        for role, file in (("ledger", "read.yml"), ("preflight", "gates.yml"))
    ]
    play = {"name": "Look", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    return run(directory, str(directory / "play.yml"))


def run(directory: Path, *words: str) -> tuple[bool, str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(directory / "inventory"), *words],
        env={**env, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode == 0, " ".join((done.stdout + done.stderr).split())


def settled(futures: dict[str, Any]) -> None:
    for future in futures.values():
        future.result(30)


def test_a_stage_refuses_what_was_deleted_and_takes_what_never_was(broker, tmp_path):
    held, said = gates(tmp_path, broker)
    assert held, said
    entry = {
        "run": "1",
        "stage": "initial_setup",
        "step": "stage",
        "state": "started",
        "region": "",
        "about": "america to europe",
        "found": {},
        "fenced": True,
        "by": "stages",
        "collection": "0",
    }
    append(KafkaClient(broker.client), TOPIC, entry, False, 1, ["a secret of these tests"], "")
    admin = AdminClient(broker.client)
    settled(admin.create_topics([NewTopic(POSITIONS, 1, 1)]))
    assert gates(tmp_path, broker)[0]
    settled(admin.delete_topics([TOPIC]))
    held, said = gates(tmp_path, broker)
    assert not held and "europe it has no ledger, although the topic of its position witness is there" in said, said
    assert '"failover_accept_elsewhere": ["europe"]' in said.replace("\\", "")
    looked, said = run(tmp_path, "streamsafe.kafka_dr.ledger", "-e", "ledger_region=europe")
    assert looked and "There is no ledger although the topic of a position witness is there" in said, said
    held, said = gates(tmp_path, broker, "europe")
    assert held and "elsewhere (europe)" in said, said
