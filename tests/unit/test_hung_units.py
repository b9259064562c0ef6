# SPDX-License-Identifier: GPL-3.0-or-later
"""A systemd unit whose stop does not come to its end has not been stopped."""

from __future__ import annotations

import os

import pytest

from tests.support.local_play import REGION, play_locally

SYSTEMCTL = """#!/bin/sh
case "$*" in
*show*) printf 'Id=x\\nLoadState=loaded\\nActiveState=active\\nUnitFileState=enabled\\n' ;;
*stop*hangs.service*) exec sleep 60 ;;
*is-enabled*) echo enabled ;;
esac
"""


@pytest.mark.slow
def test_one_that_hangs_is_not_stopped_although_another_one_is(tmp_path):
    (tmp_path / "systemctl").write_text(SYSTEMCTL)
    (tmp_path / "systemctl").chmod(0o755)
    programs = [{"name": "well"}, {"name": "hangs"}]
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    role = {"name": "streamsafe.kafka_dr.service", "apply": {"timeout": 6, "environment": path}}
    given = {"service_programs": programs, "service_state": "stopped", "service_manager": "systemd"}
    tasks = [{"ansible.builtin.include_role": role, "vars": given}]
    done = play_locally(tmp_path, tasks, hosts={"na": REGION})
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0 and "hangs was to be stopped: " in told and "Timed out after 6" in told, told
