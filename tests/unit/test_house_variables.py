# SPDX-License-Identifier: GPL-3.0-or-later
"""A variable that is handed to included tasks outranks whatever those tasks say of the same name: they would read the
one that was handed to them, and say nothing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.role_files import NAMES, ROLES, included, tasks

INCLUDES = ("ansible.builtin.include_tasks", "ansible.builtin.include_role")


@cache
def read(path: Path) -> list[dict[str, Any]]:
    return list(tasks(yaml.safe_load(path.read_text())))


@cache
def given(path: Path) -> frozenset[str]:
    """Names that this file, and what it includes, gives a value by itself: in ``vars``, as facts and as results."""
    names: set[str] = set()
    for task in read(path):
        if not any(key in task for key in INCLUDES):
            names.update(task.get("vars") or {}, task.get("ansible.builtin.set_fact") or {})
            names.update([task["register"]] if "register" in task else [])
    return frozenset(names.union(*map(given, included(path, read(path)))))


@pytest.mark.parametrize("role", NAMES)
def test_nothing_that_is_handed_to_included_tasks_is_set_by_them(role):
    found = [
        f"{path.relative_to(ROLES)}: {task.get('name')} hands on {name}, which {file.relative_to(ROLES)} sets"
        for path in sorted((ROLES / role / "tasks").rglob("*.yml"))
        for task in read(path)
        if any(key in task for key in INCLUDES)
        for file in included(path, [task])
        for name in sorted(set(task.get("vars") or {}) & given(file))
    ]
    assert not found
