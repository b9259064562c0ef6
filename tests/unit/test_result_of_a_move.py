# SPDX-License-Identifier: GPL-3.0-or-later
"""What a failover says at its end of the backup and of the region that was left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow
ROLE = Path(__file__).resolve().parents[2] / "roles" / "failover"
RESULT = "show | Report the result"
UNPLANNED = {
    "failover_source": "na",
    "failover_target": "eu",
    "failover_planned": False,
    "__failover_source": {"reachable": False, "error": ""},
    "__failover_source_answers": False,
    "__failover_turned": False,
    "__failover_catches_up": False,
    "__failover_unreached": {"applications": {}},
    "__failover_forgotten": {"mirror": [], "applications": []},
}


def result(directory: Path, **more: Any) -> str:
    (task,) = [task for task in yaml.safe_load((ROLE / "tasks" / "show.yml").read_text()) if task["name"] == RESULT]
    play = {"hosts": "localhost", "gather_facts": False, "vars": {**UNPLANNED, **more}, "tasks": [task]}
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    done = subprocess.run(
        [Path(sys.executable).parent / "ansible-playbook", directory / "play.yml"],
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("answers", "fenced"), [(False, False), (True, True)])
def test_an_unplanned_move_names_what_is_bare(tmp_path, answers, fenced):
    told = result(tmp_path, __failover_source_answers=answers)
    assert "NOT PROTECTED: no mirror to na was started." in told
    assert ("NOT FENCED by this run: na did not answer, or refused." in told) != fenced
    assert ("run failback" if fenced else "run fence, then failback") in told


def test_a_source_that_answers_by_now_is_to_be_fenced_at_once(tmp_path):
    told = result(tmp_path, __failover_source_answers=False, __failover_returned={"reachable": True})
    assert "NOT FENCED: na answers by now" in told and "Run fence at once, then failback." in told
    assert "did not answer" not in told


def test_a_run_that_catches_up_speaks_of_machines_alone(tmp_path):
    left = {"applications": {"shop": {}}}
    told = result(tmp_path, __failover_source_answers=False, __failover_catches_up=True, __failover_left=left)
    assert "shop was started" in told and "NOT" not in told and "fence" not in told
    # It fences nobody; the machine may be back with the whole region.
    given = {"__failover_source_answers": True, "__failover_source": {"reachable": True, "error": ""}}
    told = result(tmp_path, **given, __failover_catches_up=True, __failover_left=left)
    assert "na answers. Unless an earlier run fenced it, its applications may write to it: run fence at once" in told
    refuses = {"reachable": True, "error": "SASL authentication failed"}
    given = {"__failover_source_answers": False, "__failover_source": refuses}
    told = result(tmp_path, **given, __failover_catches_up=True, __failover_left=left)
    assert "na answers, and refuses this run (SASL authentication failed). Unless an earlier run fenced it" in told


def test_what_the_inventory_has_no_more_was_not_started(tmp_path):
    left, forgotten = {"applications": {"shop": {}}}, {"mirror": [], "applications": ["shop"]}
    told = result(tmp_path, __failover_catches_up=True, __failover_left=left, __failover_forgotten=forgotten)
    assert "eu is the active region; no application was started." in told


@pytest.mark.parametrize("said", ["no application was started", "shop works there"])
def test_applications_are_named_that_work(tmp_path, said):
    told = result(tmp_path, __failover_source_answers=True, applications_summary=said)
    assert f"eu is the active region; {said}." in told
