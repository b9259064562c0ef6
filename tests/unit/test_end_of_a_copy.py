# SPDX-License-Identifier: GPL-3.0-or-later
"""When the copy ended of a region that is back, as a failback tells a salvage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.local_play import play_locally

VARS = Path(__file__).resolve().parents[2] / "roles/failback/vars/main.yml"
FIRST, LATER = "2026-11-27T08:00:00Z", "2026-11-30T08:00:00Z"


@pytest.mark.parametrize(
    ("found", "ended"), [({}, LATER), ({"stopped_at": FIRST}, FIRST)], ids=["once", "made once more"]
)
def test_of_a_move_that_was_made_once_more_the_copy_ended_at_first(tmp_path, found, ended):
    """Keys that applications have deleted since then may have left no trace."""
    known = {
        "__failback_left": "na to eu",
        "ledger_known": {"ends": {"na to eu": {"at": LATER, "found": {"target": {"orders": {"0": 7}}, **found}}}},
    }
    asked = [
        {"ansible.builtin.include_vars": {"file": "{{ vars_of_failback }}"}},
        {"ansible.builtin.set_fact": known},
        {"ansible.builtin.assert": {"that": f"__failback_ended_at == '{ended}'"}},
    ]
    done = play_locally(tmp_path, asked, vars_of_failback=str(VARS))
    assert done.returncode == 0, done.stdout + done.stderr
