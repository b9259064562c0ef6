# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage that starts or stops a mirror on a Connect cluster asks its workers before it changes anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.support.kafka import free_ports
from tests.support.local_play import play_locally

ROLES = Path(__file__).resolve().parents[2] / "roles"
ASKED = {"name": "streamsafe.kafka_dr.mirror", "tasks_from": "ask_connect.yml"}
REGION = {"kafka_dr_platform": "managed", "kafka_dr_client": {}, "kafka_dr_client_secrets": {}}


@pytest.mark.parametrize(
    ("stage", "file"),
    [
        ("failover", "preflight"),
        ("failback", "look"),
        ("recreate_from_backup", "preflight"),
        ("initial_setup", "preflight"),
        ("new_backup", "preflight"),
    ],
)
def test_workers_are_asked_in_the_preflight(stage, file):
    tasks = yaml.safe_load((ROLES / stage / "tasks" / f"{file}.yml").read_text())
    assert ASKED in [task.get("ansible.builtin.include_role") for task in tasks]


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["connect", "host"])
def test_workers_that_do_not_answer_refuse_it(tmp_path, platform):
    (port,) = free_ports(1)
    connect = {"kafka_dr_mirror_platform": platform, "kafka_dr_connect": {"urls": [f"http://127.0.0.1:{port}"]}}
    hosts = {"na": REGION, "eu": {**REGION, **connect}}
    mirror = {"mirror_described": {"name": "backup", "source": "na", "target": "eu"}}
    tasks = [{"ansible.builtin.include_role": ASKED, "vars": mirror}]
    done = play_locally(tmp_path, tasks, "--check", hosts=hosts)
    refused = "No Connect worker answers" in done.stdout
    assert (done.returncode != 0) == refused == (platform == "connect"), done.stdout + done.stderr
