# SPDX-License-Identifier: GPL-3.0-or-later
"""Which mirror the doctor examines in the place of one that a planned move or a failback has left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow
VARIABLES = Path(__file__).resolve().parents[2] / "roles" / "doctor" / "vars" / "main.yml"
MIRROR = {"name": "backup", "source": "na", "target": "eu"}
FURTHER = {"name": "further", "source": "na", "target": "as"}
LEFT = {"active_region": "eu", "signed": True, "verified": True, "last": {"failover": {"offset": 4}}, "done": {}}
TURNED = {**LEFT, "done": {"failover": {"turned": {}}}}
BACK = {**LEFT, "brought_back": {"na from eu": {"offset": 7}, "as from eu": {"offset": 9}}}
EARLIER = {**LEFT, "brought_back": {"na from eu": {"offset": 2}, "as from eu": {"offset": 3}}}
SKIPPED = {"skipped": True, "changed": False}
FORGED = {"verified": False}
# The mirror, the ledger of its target, that of the active region, the mirror in its place, and where it was left for.
CASES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str, str]] = [
    (MIRROR, LEFT, SKIPPED, "", "eu"),
    (MIRROR, TURNED, SKIPPED, "backup-back", "eu"),
    (MIRROR, BACK, SKIPPED, "backup-back", "eu"),
    (MIRROR, EARLIER, SKIPPED, "", "eu"),
    (MIRROR, {**BACK, **FORGED}, SKIPPED, "", ""),
    (MIRROR, {**BACK, "active_region": "na"}, SKIPPED, "", ""),
    (MIRROR, {**BACK, "active_region": "none"}, SKIPPED, "", ""),
    (MIRROR, SKIPPED, SKIPPED, "", ""),
    (FURTHER, LEFT, BACK, "further-from-eu", "eu"),
    (FURTHER, LEFT, EARLIER, "", ""),
    (FURTHER, LEFT, {**BACK, **FORGED}, "", ""),
    (FURTHER, LEFT, {**BACK, "active_region": "na"}, "", ""),
    (FURTHER, LEFT, SKIPPED, "", ""),
    (FURTHER, {**LEFT, **FORGED}, BACK, "", ""),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> list[list[str]]:
    """By case, the mirror in the place and where it was left for."""
    directory = tmp_path_factory.mktemp("doctor")
    seen = "{{ seen + [[__doctor_stands | map(attribute='name') | join(','), __doctor_left_for]] }}"
    tasks: list[dict[str, Any]] = []
    for mirror, here, there, *_expected in CASES:
        case = {"__doctor_mirror": mirror, "__doctor_ledger": here, "__doctor_active_ledger": there}
        tasks += [{"ansible.builtin.set_fact": case}, {"ansible.builtin.set_fact": {"seen": seen}}]
    kept = directory / "seen.json"
    copy = {"content": "{{ seen | ansible.builtin.to_json }}", "dest": str(kept), "mode": "0600"}
    given = {"doctor_mirrors": [MIRROR, FURTHER], "doctor_lost": []}
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars_files": [str(VARIABLES)],
        "tasks": [{"ansible.builtin.set_fact": {"seen": []}}, *tasks, {"ansible.builtin.copy": copy}],
    }
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    hosts = {"localhost": local, "na": {}, "eu": {}, "as": {}}
    (directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    done = subprocess.run(
        [Path(sys.executable).parent / "ansible-playbook", "-i", "hosts.yml", "play.yml", "-e", json.dumps(given)],
        check=False,
        cwd=directory,
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path())},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answers: list[list[str]] = json.loads(kept.read_text())
    return answers


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_mirror_in_its_place_is_known_by_verified_ledgers(found, number):
    assert found[number] == list(CASES[number][3:])
