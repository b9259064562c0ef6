# SPDX-License-Identifier: GPL-3.0-or-later
"""A region on Kubernetes whose inventory has no application's user: there is nothing to declare in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

from kafka_dr_lab.playbook import collections_path

ROOT = Path(__file__).resolve().parents[2]


def test_a_region_without_such_users_stops_no_move(tmp_path):
    """Their KafkaUsers may come from elsewhere. After the target is named, no way would lead on."""
    place = {"namespace": "kafka", "cluster": "main", "host": "https://127.0.0.1:9", "api_key": "key"}
    region = {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": place,
        "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages"}],
        "ansible_connection": "local",
    }
    (tmp_path / "inventory.yml").write_text(yaml.safe_dump({"all": {"hosts": {"eu": region}}}))
    admit = {
        "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.credentials", "tasks_from": "admit.yml"},
        "vars": {"credentials_region": "eu", "credentials_given_back": []},
    }
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [admit]}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"}
    words = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "inventory.yml", "play.yml"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
