# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the house for names: a name says what it names, and every name in Python is used."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("plugins", "spark", "lab", "extensions")
# Who may be the only user of a piece of code; tests may not.
USERS = (*CODE, "roles", "tests/judges")
# They say that something was said, and not what it is.
EMPTY = re.compile(r"_?(said|told|untold|made|one|speaking)")
WORD = re.compile(r"[A-Za-z_]\w*")
CODE_TEXT = re.compile(r"^[\w.]+$|^[\w.]+(\[| \| )|^\s*(from|import) |\bimport \w+$", re.MULTILINE)
FIELD = re.compile(r":(param|ivar) ([^:]+):")
# Names that a library or Ansible calls by themselves.
CALLED_BY_OTHERS = re.compile(r"v2_\w+|\w+Module|ModuleDocFragment|DOCUMENTATION|EXAMPLES|RETURN|__\w+__")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def bindings(module: ast.Module) -> Iterator[tuple[int, str]]:
    """``(line, name)`` of every variable and argument."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name


def test_no_variable_has_a_name_that_says_nothing():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in python_files(*CODE)
        for line, name in bindings(tree(path))
        if EMPTY.fullmatch(name)
    ]
    assert not found


def test_no_variable_of_a_role_has_a_name_that_says_nothing():
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((ROOT / "roles").rglob("*.yml"))
        for name in re.findall(r"\b__\w+", path.read_text())
        if EMPTY.fullmatch(name.rpartition("_")[2])
    }
    assert not found


def named_by(node: Function | ast.ClassDef) -> set[str]:
    """What the docstring of a function or a class may describe."""
    inner = list(ast.walk(node))
    names = {argument.arg for argument in inner if isinstance(argument, ast.arg)}
    if isinstance(node, ast.ClassDef):
        names |= {field.target.id for field in node.body if isinstance(field, ast.AnnAssign)}
        names |= {field.attr for field in inner if isinstance(field, ast.Attribute)}
        names |= {method.name for method in inner if isinstance(method, Function)}
    return names


def test_docstrings_describe_arguments_and_attributes_that_are_there():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} has no {name}"
        for path in python_files(*CODE, "roles", "tests")
        for node in ast.walk(tree(path))
        if isinstance(node, Function | ast.ClassDef)
        for dummy, names in FIELD.findall(ast.get_docstring(node) or "")
        for name in WORD.findall(names)
        if name not in named_by(node)
    ]
    assert not found


def uses(path: Path) -> Counter[str]:
    """How often each name is used in a file; docstrings, comments and definitions do not count."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree(path)):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                found[name] += 1
            case ast.alias(name=name):
                found.update(name.split("."))
            case ast.Constant(value=str(text)) if CODE_TEXT.search(text):
                # Names in annotations, those that are looked up by their text, and programs within a program.
                found.update(WORD.findall(text))
    return found


def definitions(module: ast.Module) -> Iterator[tuple[int, str]]:
    """``(line, name)`` of every function, method and class, and of every constant of the file. What a class with a
    base defines may be what its base calls.
    """
    inherited = {
        method
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
        and not {"", "NamedTuple"} >= {getattr(base, "id", "?") for base in node.bases}
        for method in node.body
    }
    for node in ast.walk(module):
        if isinstance(node, Function | ast.ClassDef) and node not in inherited:
            yield node.lineno, node.name
    for node in module.body:
        for target in node.targets if isinstance(node, ast.Assign) else []:
            if isinstance(target, ast.Name):
                yield node.lineno, target.id


def test_no_code_is_dead():
    """What only tests use is dead too, but in the lab, which is there for them."""
    used = sum(map(uses, python_files(*USERS)), Counter())
    assert used["run_module"] > 30
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in python_files("plugins", "spark", "extensions")
        for line, name in definitions(tree(path))
        if not used[name] and not CALLED_BY_OTHERS.fullmatch(name)
    ]
    assert not found
