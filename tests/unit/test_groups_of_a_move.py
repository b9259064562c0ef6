# SPDX-License-Identifier: GPL-3.0-or-later
"""A move is refused by groups that cannot be chosen before it fences anybody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.groups import unreadable
from kafka_dr_lab.playbook import collections_path

LOOK = Path(__file__).resolve().parents[2] / "roles" / "failover" / "tasks" / "look.yml"


@pytest.mark.parametrize("expressions", ["*", "[orders", "shop-(a|b", ""])
def test_what_chooses_no_groups_is_told(expressions):
    assert "expected" in unreadable(expressions)


@pytest.mark.parametrize(("expressions", "names"), [("shop-.{1,3},nightly", []), ("", ["connect-sink"])])
def test_what_chooses_groups_is_taken(expressions, names):
    assert unreadable(expressions, names) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("expressions", "code"), [("*", 2), ("shop-.*", 0)])
def test_the_stage_looks_before_it_begins(tmp_path, expressions, code):
    tasks = [task for task in yaml.safe_load(LOOK.read_text()) if "groups" in task["name"] and "vars" in task]
    more = {"failover_groups": expressions, "failover_more_groups": [], "failover_planned": True}
    play = [{"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": more, "tasks": tasks}]
    (tmp_path / "play.yml").write_text(yaml.safe_dump(play))
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), str(tmp_path / "play.yml")],
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert ("failover_groups cannot be used. The expression for groups is not valid" in done.stdout) == bool(code)
