# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the house: a stage tells parts what to do, a part knows the platform, and a role keeps its own names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import about
from tests.support.role_files import NAMES, ROLES, included, includes, tasks

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ROOT / "plugins" / "module_utils"
PYTHON = ("plugins", "spark", "lab", "extensions", "roles", "tests")
LONGEST_FUNCTION, LONGEST_FILE, LONGEST_CHAIN = 40, 300, 6
STAGES = (*about.STAGES, "backup_status")
# Words for people, who know platforms by their names.
TEXTS = ("name", "message", "fail_msg", "msg")
PLATFORM = re.compile(
    r"kafka_dr_(mirror_)?platform|kafka_dr_(kubernetes|connect)\b|['\"](managed|kubernetes|deployment|connect|host)['\"]"
)


def files(role: str) -> list[Path]:
    return sorted(path for folder in ("tasks", "vars") for path in (ROLES / role / folder).rglob("*.yml"))


def variables(node: Any) -> Iterator[str]:
    """Names that a file of tasks or variables gives a value: vars, facts, results and variables of loops."""
    if isinstance(node, list):
        for item in node:
            yield from variables(item)
    if isinstance(node, dict):
        for key in ("vars", "ansible.builtin.set_fact"):
            yield from node.get(key) or {}
        yield from (node[key] for key in ("register", "loop_var") if key in node)
        for value in node.values():
            yield from variables(value)


@cache
def chain(path: Path) -> tuple[str, ...]:
    """The longest chain of included files from this one on. What a run decides, such as the platform, may be any."""
    found = included(path, yaml.safe_load(path.read_text()))
    return (str(path.relative_to(ROLES)), *max(map(chain, found), key=len, default=()))


def expressions(node: Any) -> Iterator[str]:
    """Every text that is no words for people."""
    if isinstance(node, str):
        yield node
    for key, value in node.items() if isinstance(node, dict) else enumerate(node if isinstance(node, list) else []):
        if not (key in TEXTS and isinstance(value, str)):
            yield from expressions(value)


@pytest.mark.parametrize("role", NAMES)
def test_a_role_sets_no_other_roles_internal_variables(role):
    found = {
        name
        for path in files(role)
        for node in [yaml.safe_load(path.read_text())]
        for name in [*variables(node), *(node if isinstance(node, dict) else ())]
        if name.startswith("__") and not re.match(rf"__{role}(_|$)", name)
    }
    assert not found


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_includes_no_other_stages_files(stage):
    found = [
        (path.name, role, file)
        for path in files(stage)
        for role, file in includes(yaml.safe_load(path.read_text()))
        if role in STAGES and role != stage
    ]
    assert not found


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_names_no_platform(stage):
    found = [
        (path.name, text)
        for path in files(stage)
        for text in expressions(yaml.safe_load(path.read_text()))
        if PLATFORM.search(text)
    ]
    assert not found


@pytest.mark.parametrize("role", NAMES)
def test_no_chain_of_included_files_is_too_long(role):
    chains = [chain(path) for path in (ROLES / role / "tasks").rglob("*.yml")]
    assert not [" > ".join(files) for files in chains if len(files) > LONGEST_CHAIN]


def merged(node: yaml.MappingNode) -> Iterator[str]:
    """Keys of the mappings that a mapping merges."""
    for key, value in node.value:
        if key.value == "<<":
            for mapping in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                yield from (inner.value for inner, dummy in mapping.value if inner.value != "<<")
                yield from merged(mapping)


def hidden(node: yaml.Node) -> Iterator[str]:
    """Keys beside a merge of a mapping that has them too: Ansible warns of each, wherever the file is read."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from hidden(item)
    if isinstance(node, yaml.MappingNode):
        yield from {key.value for key, dummy in node.value} & set(merged(node))
        for dummy, value in node.value:
            yield from hidden(value)


@pytest.mark.parametrize("role", NAMES)
def test_no_key_hides_one_that_is_merged(role):
    found = [
        (path.name, key) for path in (ROLES / role).rglob("*.yml") for key in hidden(yaml.compose(path.read_text()))
    ]
    assert not found


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def is_argument_spec(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A module's ``main`` holds its argument spec: after the docstring it is one call of ``run_module``."""
    match function:
        case ast.FunctionDef(name="main", body=[ast.Expr(ast.Constant()), ast.Expr(ast.Call(ast.Name("run_module")))]):
            return True
    return False


def test_no_function_is_too_long():
    found = [
        f"{path.relative_to(ROOT)}: {node.name} has {lines} lines"
        for path in python_files(*PYTHON)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_argument_spec(node)
        for lines in [(node.end_lineno or node.lineno) - node.lineno + 1]
        if lines > LONGEST_FUNCTION
    ]
    assert not found


def test_no_file_is_too_long():
    found = [
        f"{path.relative_to(ROOT)} has {lines} lines"
        for path in python_files(*PYTHON)
        for lines in [len(path.read_text().splitlines())]
        if lines > LONGEST_FILE
    ]
    assert not found


def test_tests_of_module_utils_import_nothing_of_the_controller():
    """``ansible-test units`` runs them as on a managed node, where plugins of the controller cannot be imported."""
    controller = re.compile(r"^(?:from|import) \S*kafka_dr\.plugins\.(?!module_utils\b|modules\b)\w+", re.MULTILINE)
    found = {
        str(path.relative_to(ROOT)): match.group()
        for path in sorted((ROOT / "tests/unit/plugins/module_utils").rglob("*.py"))
        if (match := controller.search(path.read_text()))
    }
    assert not found


def rooms_of(path: Path, node: ast.ImportFrom) -> list[str]:
    """The rooms of ``module_utils`` that an import of one of its files names."""
    here = list(path.relative_to(ROOMS).parts[:-1])
    if node.level == 0:
        below = (node.module or "").partition("kafka_dr.plugins.module_utils")
        inner = below[2].strip(".")
        outside = not below[1]
    else:
        kept = here[: len(here) - node.level + 1]
        inner = ".".join([*kept, *([node.module] if node.module else [])])
        outside = node.level > len(here) + 1
    if outside:
        return []
    return [inner.partition(".")[0]] if inner else [name.name for name in node.names]


def imports_between_rooms() -> dict[str, dict[str, set[str]]]:
    """``{room: {room that it imports: {file, ...}}}``, imports for types and inside functions included."""
    found: dict[str, dict[str, set[str]]] = {}
    for path in sorted(ROOMS.rglob("*.py")):
        room = path.relative_to(ROOMS).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            for other in rooms_of(path, node) if isinstance(node, ast.ImportFrom) else []:
                if other != room:
                    found.setdefault(room, {}).setdefault(other, set()).add(str(path.relative_to(ROOMS)))
    return found


def reached(rooms: dict[str, dict[str, set[str]]], start: str) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = set(rooms.get(ahead.pop(), {})) - seen
        seen |= new
        ahead += new
    return seen


def test_no_room_is_part_of_a_circle_of_imports():
    rooms = imports_between_rooms()
    assert {"_kafka", "_proof", "_work"} <= set(rooms) and "_kafka" in rooms["_work"]
    found = {
        (room, other): sorted(paths)
        for room, others in rooms.items()
        for other, paths in others.items()
        if room in reached(rooms, other)
    }
    assert not found


def test_rooms_import_what_the_page_on_the_house_allows():
    rooms = imports_between_rooms()
    everybody = {"_errors", "_values"}
    allowed = {"_errors": set(), "_values": {"_errors"}, "_mm2": everybody, "_lint": {*everybody, "_mm2"}}
    found = {room: set(rooms.get(room, {})) - names for room, names in allowed.items()}
    assert not any(found.values()), found
    # Reports are made last: what another room needs of them is a value's, and so below.
    assert {room for room, others in rooms.items() if "_report" in others} == {"_work"}
    libraries = {"confluent_kafka": "_kafka", "kafka": "_kafka", "kubernetes": "_k8s", "ansible": "_module"}
    strays = {
        str(path.relative_to(ROOMS)): name
        for path in sorted(ROOMS.rglob("*.py"))
        for name in re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
        if libraries.get(name, room := path.relative_to(ROOMS).parts[0].removesuffix(".py")) != room
    }
    assert not strays


def given_by_tasks(node: Any) -> Iterator[str]:
    """Names in ``vars`` of tasks and blocks, those that are handed to another file left out."""
    for task in tasks(node):
        if "ansible.builtin.include_tasks" not in task:
            yield from task.get("vars") or {}


@pytest.mark.parametrize("role", NAMES)
def test_no_task_hides_a_variable_of_its_role(role):
    """What the role's variable is made of may need it: then Ansible ends in a recursive loop."""
    path = ROLES / role / "vars" / "main.yml"
    own = set(yaml.safe_load(path.read_text()) or {}) if path.exists() else set()
    paths = sorted((ROLES / role / "tasks").rglob("*.yml"))
    found = {
        f"{task.relative_to(ROLES)}: {name}"
        for task in paths
        for name in given_by_tasks(yaml.safe_load(task.read_text()))
        if name in own
    }
    assert not found
