# SPDX-License-Identifier: GPL-3.0-or-later
"""The role ``mirror`` played as its users do, over an inventory that a test makes, between clusters that are there
already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from kafka_dr_lab.playbook import collections_path
from tests.support.kafka import ROOT

PLAYBOOK = """\
- name: Play a part
  hosts: localhost
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - name: Play it
      ansible.builtin.include_role:
        name: "streamsafe.kafka_dr.{{ part }}"
        tasks_from: "{{ verb }}"
      vars:
        mirror_described: "{{ kafka_dr_mirrors[0] }}"
"""


class Inventory:
    """Hosts and variables, and playbooks over them.

    :param hosts: ``{host: variables}``. :param everywhere: variables of all.
    """

    def __init__(self, directory: Path, hosts: dict, everywhere: dict):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.hosts = {
            name: {"ansible_connection": "local", "ansible_python_interpreter": sys.executable, **variables}
            for name, variables in hosts.items()
        }
        self.everywhere = everywhere

    def write(self) -> None:
        (self.directory / "inventory.yml").write_text(
            yaml.safe_dump({"all": {"hosts": self.hosts, "vars": self.everywhere}}, sort_keys=False)
        )
        (self.directory / "play.yml").write_text(PLAYBOOK)

    def command(self, verb: str, part: str = "mirror", extra: dict | None = None, *words: str) -> list[str]:
        self.write()
        return [
            str(Path(sys.executable).parent / "ansible-playbook"),
            "-i",
            str(self.directory / "inventory.yml"),
            str(self.directory / "play.yml"),
            "-e",
            json.dumps({"verb": verb, "part": part, **(extra or {})}),
            *words,
        ]

    def environment(self) -> dict:
        return {
            "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
            "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_LOCAL_TEMP": str(self.directory / "tmp"),
            "ANSIBLE_REMOTE_TEMP": str(self.directory / "tmp"),
            "ANSIBLE_DEPRECATION_WARNINGS": "false",
            "PYTHONWARNINGS": "ignore",
        }

    def play(
        self,
        verb: str,
        *words: str,
        part: str = "mirror",
        check: bool = True,
        extra: dict | None = None,
        timeout: float = 240,
    ) -> subprocess.CompletedProcess:
        """Play one verb; output as one text."""
        env = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
        done = subprocess.run(
            self.command(verb, part, extra, *words),
            env={**env, **self.environment()},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout[-3500:]
        return done


def changed(done: subprocess.CompletedProcess) -> int:
    """Number of tasks of localhost that changed something."""
    line = next(line for line in done.stdout.splitlines() if line.startswith("localhost ") and "changed=" in line)
    return int(line.split("changed=")[1].split()[0])
