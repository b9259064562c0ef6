# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles' files of tasks, and what each of them includes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROLES = Path(__file__).resolve().parents[2] / "roles"
NAMES = sorted(role.name for role in ROLES.iterdir() if role.is_dir())


def tasks(node: Any) -> Iterator[dict[str, Any]]:
    """Every task and block of a file of tasks, and those within blocks."""
    for item in node if isinstance(node, list) else []:
        yield item
        for part in ("block", "rescue", "always"):
            yield from tasks(item.get(part))


def includes(node: Any) -> Iterator[tuple[str, str]]:
    """``(role, file)`` of every role that a file of tasks includes."""
    for task in tasks(node):
        found = task.get("ansible.builtin.include_role") or task.get("ansible.builtin.import_role")
        if found:
            yield found["name"].rpartition(".")[2], str(found.get("tasks_from", "main"))


def included(path: Path, node: Any) -> list[Path]:
    """Files that tasks of this file include; of what a run decides, such as the platform, all.

    :param path: of the file. :param node: its tasks, or some of them.
    """
    named = [*includes(node), *((path.relative_to(ROLES).parts[0], name) for name in _task_files(node))]
    patterns = {(role, re.sub(r"\{\{.*?\}\}", "*", name.removesuffix(".yml"))) for role, name in named}
    # An inventory's own file, which a hook names, is no part of the house.
    return [file for role, name in patterns if name != "*" for file in (ROLES / role / "tasks").glob(f"{name}.yml")]


def _task_files(node: Any) -> Iterator[str]:
    """Every file of tasks that a file of the same role includes, from the role's own directory of tasks."""
    for task in tasks(node):
        found = task.get("ansible.builtin.include_tasks") or task.get("ansible.builtin.import_tasks")
        if found:
            name = found["file"] if isinstance(found, dict) else found
            yield name.removeprefix("{{ role_path }}/tasks/")
