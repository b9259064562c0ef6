# SPDX-License-Identifier: GPL-3.0-or-later
"""A variable that is handed to included tasks outranks whatever those tasks say of the same name: they would read the
one that was handed to them, and say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.role_files import NAMES, ROLES, includes, task_files

INCLUDES = ("ansible.builtin.include_tasks", "ansible.builtin.include_role")


def tasks(node: Any) -> Iterator[dict[str, Any]]:
    """Every task and block of a file."""
    for item in node if isinstance(node, list) else []:
        yield item
        for part in ("block", "rescue", "always"):
            yield from tasks(item.get(part))


@cache
def read(path: Path) -> list[dict[str, Any]]:
    return list(tasks(yaml.safe_load(path.read_text())))


def included(path: Path, task: dict[str, Any]) -> Iterator[Path]:
    """Files that a task includes; of what a run decides, such as the platform, all."""
    own = path.relative_to(ROLES).parts[0]
    for role, name in [*includes([task]), *((own, name) for name in task_files([task]))]:
        pattern = re.sub(r"\{\{.*?\}\}", "*", name.removesuffix(".yml"))
        # An inventory's own file, which a hook names, is no part of the house.
        yield from (ROLES / role / "tasks").glob(f"{pattern}.yml") if pattern != "*" else ()


@cache
def given(path: Path) -> frozenset[str]:
    """Names that this file, and what it includes, gives a value by itself: in ``vars``, as facts and as results."""
    names: set[str] = set()
    for task in read(path):
        if not any(key in task for key in INCLUDES):
            names.update(task.get("vars") or {}, task.get("ansible.builtin.set_fact") or {})
            names.update([task["register"]] if "register" in task else [])
        for file in included(path, {key: task[key] for key in INCLUDES if key in task}):
            names |= given(file)
    return frozenset(names)


@pytest.mark.parametrize("role", NAMES)
def test_nothing_that_is_handed_to_included_tasks_is_set_by_them(role):
    found = [
        f"{path.relative_to(ROLES)}: {task.get('name')} hands on {name}, which {file.relative_to(ROLES)} sets"
        for path in sorted((ROLES / role / "tasks").rglob("*.yml"))
        for task in read(path)
        if any(key in task for key in INCLUDES)
        for file in included(path, {key: task[key] for key in INCLUDES if key in task})
        for name in sorted(set(task.get("vars") or {}) & given(file))
    ]
    assert not found
