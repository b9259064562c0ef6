# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles that ask for a mirror's copy by its name ask for the name that the mirror gives it."""

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

ROOT = Path(__file__).resolve().parents[2]
POLICIES = {"left out": {}, "identity": {"policy": "identity"}, "default": {"policy": "default"}}
TOPICS = ("orders.kafka-dr-probe", "probe-heartbeats")


def printed(name, policy):
    """Tasks that print what the roles' own variables come to for a mirror with this policy."""
    mirror = {"name": "backup", "source": "na", "target": "eu", "topics": [".*"], **policy}
    beside = {
        "new_backup_copy_mirror": mirror,
        "new_backup_method": "recopy",
        "new_backup_to": "eu",
        "new_backup_copy_to": "eu",
        "new_backup_mirror": {},
    }
    for topic in TOPICS:
        message = f"{{{{ {json.dumps(name)} }}}}/{topic}={{{{ __probe_copy }}}}"
        yield {"ansible.builtin.debug": {"msg": message}, "vars": {"probe_mirror": mirror, "probe_topic": topic}}
    yield {"ansible.builtin.debug": {"msg": f"{name}/other names={{{{ __new_backup_named }}}}"}, "vars": beside}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the roles' own variables come to, for each policy, as one play prints it."""
    tasks = [
        {"ansible.builtin.include_vars": str(ROOT / "roles" / role / "vars" / "main.yml")}
        for role in ("probe", "new_backup")
    ]
    tasks += [task for name, policy in POLICIES.items() for task in printed(name, policy)]
    play = tmp_path_factory.mktemp("names") / "play.yml"
    play.write_text(
        yaml.safe_dump([{"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}])
    )
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
        "ANSIBLE_NOCOLOR": "1",
    }
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), str(play)],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(line.strip().rsplit("=", 1) for line in done.stdout.splitlines() if "=" in line)


@pytest.mark.parametrize(("policy", "prefix"), [("left out", ""), ("identity", ""), ("default", "na.")])
def test_a_probe_awaits_its_records_under_the_name_of_the_copy(names, policy, prefix):
    assert names[f"{policy}/orders.kafka-dr-probe"] == f"{prefix}orders.kafka-dr-probe"
    # Every policy renames these.
    assert names[f"{policy}/probe-heartbeats"] == "na.probe-heartbeats"


@pytest.mark.parametrize(("policy", "others"), [("left out", "False"), ("identity", "False"), ("default", "True")])
def test_a_second_copy_in_the_backup_has_other_names_only_where_the_mirror_gives_them(names, policy, others):
    assert names[f"{policy}/other names"] == others
