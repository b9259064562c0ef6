# SPDX-License-Identifier: GPL-3.0-or-later
"""Passwords and keys of a region are never kept with a secret that can be guessed, nor without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow
REFUSED = "cannot be kept: expected kafka_dr_rebuild_secret (in the vault of the inventory; 16 characters or more)"


def keep(secret: str) -> dict:
    """Tasks that keep the definition of a region with this secret, and print why that failed."""
    words = {"definition_region": "north_america", "definition_backup": "europe"}
    return {
        "name": f"Keep it with {secret!r}",
        "block": [
            {
                "name": "Keep",
                "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.definition", "tasks_from": "keep"},
                "vars": {**words, "definition_secret": secret},
            }
        ],
        "rescue": [{"name": "Print", "ansible.builtin.debug": {"msg": "FAILED WITH {{ ansible_failed_result.msg }}"}}],
    }


def played(directory: Path, tasks: list[dict]) -> str:
    """What Ansible prints of these tasks, with the inventory in ``hosts.json``."""
    play = {"name": "Keep", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
    }
    program = str(Path(sys.executable).parent / "ansible-playbook")
    done = subprocess.run(
        [program, "-i", str(directory / "hosts.json"), str(directory / "play.yml")],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout


def test_a_short_secret_is_refused_before_anything_is_read(tmp_path):
    region = {
        "kafka_dr_platform": "managed",
        "kafka_dr_rebuild_directory": str(tmp_path / "kept"),
        "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:1"},
    }
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"hosts": {"north_america": region, "europe": region}}}))
    output = played(tmp_path, [keep(secret) for secret in ("", "rebuild-2026")])
    assert len([line for line in output.splitlines() if "FAILED WITH" in line and REFUSED in line]) == 2, output
    assert not (tmp_path / "kept").exists()
