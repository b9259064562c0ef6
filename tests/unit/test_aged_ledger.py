# SPDX-License-Identifier: GPL-3.0-or-later
"""A run whose look at the ledger grows old between two tasks goes on: the clock is asked once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

from kafka_dr_lab.playbook import collections_path

ROOT = Path(__file__).resolve().parents[2]


def test_a_look_that_grows_old_between_two_tasks_stops_nothing(tmp_path):
    # Each time that it is read, the look is another one: of now, then of long ago.
    (tmp_path / "seen").write_text("ls -d first 2>/dev/null && echo 0 || { mkdir first; date +%s; }\n")
    facts = {
        "ledger_region": "localhost",
        "ledger_known_in": "localhost",
        "ledger_known_at": "{{ (lookup('pipe', 'sh seen') | split)[-1] | int }}",
        "ledger_heads": {"localhost": "hash"},
        "__ledger_options": {},
    }
    known = str(ROOT / "roles/ledger/tasks/known.yml")
    play = {"hosts": "localhost", "gather_facts": False, "vars": facts}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([{**play, "tasks": [{"ansible.builtin.include_tasks": known}]}]))
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"}
    words = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", "play.yml", "-c", "local"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and (tmp_path / "first").is_dir(), done.stdout + done.stderr
