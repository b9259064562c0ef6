# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventories that people copy: Ansible reads them without a warning, and finds the files they name wherever a playbook
stands.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.pki import new_authority
from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted([*(ROOT / "examples").glob("inventories/*.yml"), ROOT / "examples/kubernetes/inventory.yml"])
SHOWN = {
    f"{page}-{number}": text
    for page in ("docs/tutorial.md",)
    for number, text in enumerate(re.findall(r"^```yaml\n(all:.*?)^```", (ROOT / page).read_text(), re.S | re.M))
}
INVENTORIES = {**{str(path.relative_to(ROOT)): path.read_text() for path in EXAMPLES}, **SHOWN}
PLAY = [
    {
        "name": "Show the regions",
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "tasks": [
            {
                "name": "Show the clients",
                "ansible.builtin.debug": {"msg": "{{ hostvars[item].kafka_dr_client | default({}) }}"},
                "loop": "{{ groups.all }}",
            }
        ],
    }
]


def test_the_pages_show_inventories():
    assert {name.rpartition("-")[0] for name in SHOWN} == {"docs/tutorial.md"}


@pytest.fixture(scope="module")
def certificate():
    return new_authority("an authority")["certificate"]


@pytest.mark.parametrize("name", INVENTORIES)
def test_an_inventory_that_people_copy_can_be_read(name, tmp_path, certificate):
    text, here, elsewhere = INVENTORIES[name], tmp_path / "here", tmp_path / "elsewhere"
    files = set(re.findall(r"inventory_dir ~ '/([^']+)'", text))
    for path in files:
        (here / path).parent.mkdir(parents=True, exist_ok=True)
        (here / path).write_text(certificate)
    for place, file, content in ((here, "inventory.yml", text), (elsewhere, "play.yml", yaml.safe_dump(PLAY))):
        place.mkdir(exist_ok=True)
        (place / file).write_text(content)
    vaulted = {one: "secret" for one in re.findall(r"\bvault_\w+", text)}
    command = [
        Path(sys.executable).parent / "ansible-playbook",
        "-i",
        here / "inventory.yml",
        elsewhere / "play.yml",
        "-e",
        json.dumps(vaulted),
    ]
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_NOCOLOR": "1",
    }
    done = subprocess.run(
        list(map(str, command)), cwd=elsewhere, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "[WARNING]" not in done.stderr, done.stderr
    assert done.stdout.count("BEGIN CERTIFICATE") == len(re.findall(r'ssl\.(?:ca|certificate)\.pem: "', text))
