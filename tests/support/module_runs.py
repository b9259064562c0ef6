# SPDX-License-Identifier: GPL-3.0-or-later
"""A module run as Ansible runs it: its file, arguments on standard input, JSON back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from kafka_dr_lab.playbook import collections_path

MODULES = Path(__file__).resolve().parents[2] / "plugins" / "modules"


def run_module_file(
    name: str, arguments: dict[str, Any], first_on_path: str = ""
) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
    """The module's result, and its whole output to search for secrets.

    :param first_on_path: a directory whose packages hide those of the environment.
    """
    done = subprocess.run(
        [sys.executable, str(MODULES / f"{name}.py")],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": arguments}),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [first_on_path, str(collections_path())]))},
        check=False,
    )
    assert done.stdout.strip(), done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1]), done
