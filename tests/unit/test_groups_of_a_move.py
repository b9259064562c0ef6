# SPDX-License-Identifier: GPL-3.0-or-later
"""A move is refused by groups that cannot be chosen before it fences anybody."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.groups import unreadable
from tests.support.local_play import play_locally

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
    done = play_locally(tmp_path, tasks, **more)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("failover_groups cannot be used. The expression for groups is not valid" in done.stdout) == bool(code)
