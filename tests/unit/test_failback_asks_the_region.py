# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a stage changes a region whose ledger it does not own, it asks that ledger whether another run has begun."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

ROLES = Path(__file__).resolve().parents[2] / "roles"
# By the role that has them, what changes a region, and whether it waits for others: then somebody may come in between.
WAITS = {
    ("kafka", "hold.yml"): False,
    ("kafka", "release.yml"): False,
    ("kafka", "quotas.yml"): False,
    ("kafka", "end_hold.yml"): True,
    ("kafka", "disown_topics.yml"): True,
    ("credentials", "carry.yml"): True,
    ("mirror", "remove.yml"): True,
    ("mirror", "install.yml"): True,
}
MODULES = {"streamsafe.kafka_dr.topics", "streamsafe.kafka_dr.mirror_seed"}
FILES = [f"failback/tasks/{name}.yml" for name in ("hold", "clear", "turn", "release")] + ["failover/tasks/protect.yml"]


def part_of(task):
    """Role and file of the part that a task includes."""
    included = task.get("ansible.builtin.include_role") or {}
    return included.get("name", "").rpartition(".")[2], included.get("tasks_from", "")


@pytest.mark.parametrize("path", FILES)
def test_each_change_follows_a_question_to_the_ledger_of_the_region(path):
    asked, changes = False, 0
    for task in yaml.safe_load((ROLES / path).read_text()):
        part = part_of(task)
        if part == ("ledger", "unchanged.yml"):
            asked = True
        elif part in WAITS or MODULES & task.keys():
            assert asked, f"{path}: {task['name']}"
            asked, changes = not WAITS.get(part, False), changes + 1
    assert changes


def test_the_refusal_tells_both_stories():
    tasks = yaml.safe_load((ROLES / "ledger" / "tasks" / "unchanged.yml").read_text())
    told = str(next(task for task in tasks if "ansible.builtin.assert" in task))
    for word in ("ledger_run", "ledger_begun.stage", "ledger_begun.about", "__ledger_there.owner", "active_region"):
        assert word in told
