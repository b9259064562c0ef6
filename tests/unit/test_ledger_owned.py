# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a stage changes a cluster, it looks whether another run has followed its own: one may have slept for hours."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

ROLES = Path(__file__).resolve().parents[2] / "roles"
CHANGING = {f"streamsafe.kafka_dr.{name}" for name in ("acls", "topics", "mirror_seed", "offset_translate")}
LOOKS = {"owned.yml", "known.yml"}
# It belongs to no stage, and owns no ledger.
WITHOUT = {"probe"}
# The files that include it look.
PARTS = {"mirror/tasks/forget.yml"}
FILES = sorted(
    path
    for path in ROLES.glob("*/tasks/*.yml")
    if path.parts[-3] not in WITHOUT and str(path.relative_to(ROLES)) not in PARTS
)


def tasks_of(path):
    """The tasks of a file in order, those of blocks too."""
    waiting = list(yaml.safe_load(path.read_text()) or [])
    while waiting:
        task = waiting.pop(0)
        yield task
        waiting[:0] = [*task.get("block", []), *task.get("rescue", []), *task.get("always", [])]


def looks(task):
    included = task.get("ansible.builtin.include_role") or {}
    name = included.get("tasks_from") if isinstance(included, dict) else None
    return name in LOOKS or task.get("ansible.builtin.include_tasks") in LOOKS


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROLES)))
def test_a_cluster_is_changed_only_by_a_run_that_owns_its_ledger(path):
    looked = False
    for task in tasks_of(path):
        looked = looked or looks(task)
        changes = CHANGING & task.keys() and task.get("check_mode") is not True
        assert looked or not changes, f"{path.relative_to(ROLES)}: {task.get('name')}"


def test_the_rule_finds_something():
    assert sum(any(looks(task) for task in tasks_of(path)) for path in FILES) > 20


def test_a_fence_looks_once_more_between_its_entries_and_what_it_takes():
    # Whoever gives the move up in between gives back what the entries say.
    tasks = list(tasks_of(ROLES / "credentials" / "tasks" / "revoke.yml"))
    first = next(at for at, task in enumerate(tasks) if "KafkaUsers" in task["name"])
    assert looks(tasks[first - 3]) and looks(tasks[first + 1]), tasks[first]
    # Before and after, whoever gave it up in the ledger of the region alone is met as well.
    included = [task.get("ansible.builtin.include_role") or {} for task in tasks]
    both = [at for at, role in enumerate(included) if role.get("tasks_from") == "unchanged.yml"]
    shown = next(at for at, task in enumerate(tasks) if "something is left" in task["name"])
    assert both == [first - 2, shown + 1]
    assert CHANGING & tasks[first + 2].keys()
