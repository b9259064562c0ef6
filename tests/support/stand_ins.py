# SPDX-License-Identifier: GPL-3.0-or-later
"""This collection with some of its modules replaced: roles play as they are, and what they ask of Kafka is given."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.support.local_play import REGION

ROOT = Path(__file__).resolve().parents[2]
# Two regions between which a mirror can be turned round.
USERS = [{"name": "kdr-mirror", "purpose": "mirror", "password": "p"}]
PORTS = {"na": 1, "eu": 2}
REGIONS = {
    name: {**REGION, "kafka_dr_users": USERS, "kafka_dr_client": {"bootstrap.servers": f"127.0.0.1:{port}"}}
    for name, port in PORTS.items()
}
# The answers lie beside the plugin: the last one is given again and again.
ACTION = '''\
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the answers that a test wrote, and keeps what it was asked."""

import json
from pathlib import Path

from ansible.plugins.action import ActionBase

HERE = Path(__file__)


class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        asked = HERE.with_suffix(".asked")
        with asked.open("a") as file:
            file.write(json.dumps(self._task.args, default=str) + "\\n")
        answers = json.loads(HERE.with_suffix(".answers").read_text())
        return answers[min(len(asked.read_text().splitlines()), len(answers)) - 1]
'''


class StandIns:
    """A tree with this collection, in which modules answer what a test says.

    :param directory: where it is made. :param answers: by module, what it answers one time after the other.
    :param files: by path in the collection, what stands in place of a file, or beside those that are there.
    """

    def __init__(
        self, directory: Path, answers: Mapping[str, list[dict[str, Any]]], files: Mapping[str, str] | None = None
    ) -> None:
        self.directory, self.tree = directory, directory / "collections"
        self.root = self.tree / "ansible_collections" / "streamsafe" / "kafka_dr"
        plugins = {f"plugins/action/{name}.py": ACTION for name in answers}
        plugins |= {f"plugins/action/{name}.answers": json.dumps(given) for name, given in answers.items()}
        _linked(ROOT, self.root, {**plugins, **(files or {})})

    def asked(self, name: str) -> list[dict[str, Any]]:
        """The arguments that tasks gave to a module, in order."""
        path = self.root / "plugins" / "action" / f"{name}.asked"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def play(self, role: str, file: str, hosts: dict[str, Any], **variables: Any) -> tuple[int, str]:
        """How a role's file of tasks ends, and all that is printed, in one line.

        :param hosts: by name, the variables of each region. :param variables: the play's own.
        """
        included = {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": file}
        tasks = [{"name": "Play it", "ansible.builtin.include_role": included}]
        play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": variables, "tasks": tasks}
        (self.directory / "play.yml").write_text(yaml.safe_dump([play]))
        (self.directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "hosts.yml", "play.yml"],
            cwd=self.directory,
            env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(self.tree), "ANSIBLE_NOCOLOR": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, " ".join((done.stdout + done.stderr).split())


def without_delays(path: str) -> dict[str, str]:
    """A file of tasks whose waits look again at once. :param path: in the collection."""
    return {path: re.sub(r"^( +delay:) \d+$", r"\1 0", (ROOT / path).read_text(), flags=re.MULTILINE)}


def _linked(real: Path, place: Path, files: Mapping[str, str]) -> None:
    """Fill a directory with links to what is in another one, but for these files, by their paths below it."""
    place.mkdir(parents=True)
    below: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        name, _, rest = path.partition("/")
        below.setdefault(name, {})[rest] = text
    for entry in real.iterdir() if real.is_dir() else ():
        if entry.name not in below and entry.name not in {"build", "__pycache__"}:
            (place / entry.name).symlink_to(entry)
    for name, inner in below.items():
        if "" in inner:
            (place / name).write_text(inner[""])
        else:
            _linked(real / name, place / name, inner)
