# SPDX-License-Identifier: GPL-3.0-or-later
"""A systemd unit whose stop does not come to its end has not been stopped, and is waited for once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.real.hosts.playing import Inventory
from tests.support.local_play import REGION, play_locally

SYSTEMCTL = """#!/bin/sh
echo "$*" >> {calls}
case "$*" in
*show*) printf 'Id=x\\nLoadState=loaded\\nActiveState=active\\nUnitFileState=enabled\\n' ;;
*stop*hangs*.service*) exec sleep 300 ;;
*is-enabled*) echo enabled ;;
esac
"""
# What asks for a well unit takes as long on a busy machine.
SECONDS = 20
pytestmark = pytest.mark.slow


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a stand-in for systemctl was asked."""
    (tmp_path / "systemctl").write_text(SYSTEMCTL.format(calls=tmp_path / "calls"))
    (tmp_path / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "calls"


def test_one_that_hangs_is_not_stopped_although_another_one_is(tmp_path, calls):
    role = {"name": "streamsafe.kafka_dr.service", "apply": {"timeout": SECONDS}}
    given = {"service_programs": [{"name": "well"}, {"name": "hangs"}], "service_state": "stopped"}
    tasks = [{"ansible.builtin.include_role": role, "vars": {**given, "service_manager": "systemd"}}]
    done = play_locally(tmp_path, tasks, hosts={"na": REGION})
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0 and "hangs was to be stopped: " in told and f"Timed out after {SECONDS}" in told, told


@pytest.mark.parametrize("names", [["hangs1", "well", "hangs2"], ["hangs1", "hangs2"]])
def test_it_is_waited_for_once_and_what_is_beside_it_is_stopped(tmp_path, calls, names):
    units = [
        {
            "name": name,
            "kind": "systemd",
            "role": "both",
            "environment_file": str(tmp_path / "env"),
            "principals": ["u"],
        }
        for name in names
    ]
    inventory = Inventory(tmp_path / "play", {"na": {"kafka_dr_applications": units}}, {"kafka_dr_mirrors": [{}]})
    accepted = {"applications_accept_silent": True, "applications_accept_unstopped": True}
    waits = {"applications_answer_timeout": 30, "applications_stop_timeout": SECONDS - 60}
    done = inventory.play("stop", part="applications", extra={"applications_region": "na", **accepted, **waits})
    told = " ".join(done.stdout.split()).partition("NOT STOPPED")[2]
    assert "hangs1" in told and "hangs2" in told and "application well" not in told, told
    asked = calls.read_text().splitlines()
    for name in ("hangs1", "hangs2"):
        assert asked.count(f"stop {name}.service") == 1, asked
    assert "well" not in names or "stop well.service" in asked
