# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that are played on this machine, as a user's playbook would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from kafka_dr_lab.playbook import collections_path

# A region that is described well, and that nobody reaches.
REGION = {
    "kafka_dr_platform": "managed",
    "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:1"},
    "kafka_dr_client_secrets": {},
    "kafka_dr_mirror_directory": "/var/lib/mirrors",
    "kafka_dr_kafka_home": "/opt/kafka",
}


def play_locally(
    directory: Path,
    tasks: list[dict[str, Any]],
    *words: str,
    hosts: dict[str, Any] | None = None,
    everywhere: dict[str, Any] | None = None,
    **variables: Any,
) -> subprocess.CompletedProcess[str]:
    """The end of a playbook with these tasks, whose output is told by Ansible's own callback.

    :param words: further words for ansible-playbook. :param hosts: an inventory, by name the variables of each host.
    :param everywhere: variables of all of them. :param variables: the play's own.
    """
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": variables, "tasks": tasks}
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    inventory = []
    if hosts is not None:
        (directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": everywhere or {}}}))
        inventory = ["-i", str(directory / "hosts.yml")]
    return subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), *inventory, str(directory / "play.yml"), *words],
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
