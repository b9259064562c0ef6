# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles' files of tasks, and what each of them includes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROLES = Path(__file__).resolve().parents[2] / "roles"
NAMES = sorted(role.name for role in ROLES.iterdir() if role.is_dir())


def includes(node: Any) -> Iterator[tuple[str, str]]:
    """``(role, file)`` of every role that a file of tasks includes."""
    for item in node if isinstance(node, list) else []:
        included = item.get("ansible.builtin.include_role") or item.get("ansible.builtin.import_role")
        if included:
            yield included["name"].rpartition(".")[2], str(included.get("tasks_from", "main"))
        for key in ("block", "rescue", "always"):
            yield from includes(item.get(key))


def task_files(node: Any) -> Iterator[str]:
    """Every file of tasks that a file of the same role includes, from the role's own directory of tasks."""
    for item in node if isinstance(node, list) else []:
        included = item.get("ansible.builtin.include_tasks") or item.get("ansible.builtin.import_tasks")
        if included:
            name = included["file"] if isinstance(included, dict) else included
            yield name.removeprefix("{{ role_path }}/tasks/")
        for key in ("block", "rescue", "always"):
            yield from task_files(item.get(key))
