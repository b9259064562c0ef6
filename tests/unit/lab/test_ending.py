# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lab started ends with it, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import time

import psutil
import pytest

from kafka_dr_lab.inventory import Inventory
from kafka_dr_lab.playbook import Playbooks
from kafka_dr_lab.supervisor import Supervisor


@pytest.fixture
def sleeper():
    """Starts processes in sessions of their own, with additions to their environment."""
    started = []

    def start(**more):
        started.append(subprocess.Popen(["sleep", "60"], env={**os.environ, **more}, start_new_session=True))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.wait()


def test_a_playbook_s_jobs_end_and_another_lab_s_go_on(tmp_path, sleeper):
    playbooks = Playbooks(tmp_path / "one", Inventory(tmp_path / "one"))
    ours = sleeper(KAFKA_DR_STEPS=str(playbooks.steps_file))
    theirs, anybody = sleeper(KAFKA_DR_STEPS=str(tmp_path / "two" / "work" / "steps.jsonl")), sleeper()
    playbooks._kill_leftovers()
    ours.wait(5)  # raises if it still runs
    assert theirs.poll() is None and anybody.poll() is None


def test_a_lab_ends_with_its_programs_although_they_are_kept_running(tmp_path):
    supervisor = Supervisor(tmp_path / "services")
    supervisor.start()
    (supervisor.programs / "one.conf").write_text("[program:one]\ncommand=sleep 60\nstartsecs=0\nautorestart=true\n")
    supervisor.api().reloadConfig()
    supervisor.api().addProcessGroup("one")
    end = time.monotonic() + 10
    while not supervisor.info("one")["pid"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    pids = [supervisor.pid(), supervisor.info("one")["pid"]]
    supervisor.stop()
    assert not [pid for pid in pids if psutil.pid_exists(pid)]
    assert supervisor.pid() == 0 and not supervisor.socket_file.exists()
