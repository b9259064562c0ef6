# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file takes from another one of this repository is there. A test that cannot be read is not run, and a campaign
that nobody ran lately says so on the day that it is needed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = "ansible_collections.streamsafe.kafka_dr."
FOLDERS = ("plugins", "spark", "lab", "extensions", "tests")
# Where the names of modules begin, by their first part.
PLACES = {"tests": ROOT, "kafka_dr_lab": ROOT / "lab", "kafka_dr_spark": ROOT / "spark"}


@cache
def names_of(path: Path) -> set[str] | None:
    """Names that a module gives, at any depth of its conditions; None where it takes all of another one."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if any(alias.name == "*" for alias in node.names):
                return None
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names


def module_file(file: Path, node: ast.ImportFrom) -> Path | None:
    """The file or package of this repository that an import names; None for libraries."""
    parts = (node.module or "").removeprefix(COLLECTION).split(".") if node.module else []
    if node.level:
        place = file.parents[node.level - 1]
    elif (node.module or "").startswith(COLLECTION):
        place = ROOT
    elif parts and parts[0] in PLACES:
        place = PLACES[parts[0]]
    else:
        return None
    return place.joinpath(*parts)


def missing(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        found = module_file(file, node) if isinstance(node, ast.ImportFrom) else None
        if found is None or not isinstance(node, ast.ImportFrom):
            continue
        python = found.with_suffix(".py") if found.with_suffix(".py").is_file() else found / "__init__.py"
        given = names_of(python) if python.is_file() else set()
        for alias in node.names if given is not None else ():
            beside = (found / alias.name).is_dir() or (found / f"{alias.name}.py").is_file()
            if alias.name not in (given or ()) and not beside and alias.name != "*":
                yield f"{file.relative_to(ROOT)}:{node.lineno} takes {alias.name} from {node.module}"


def test_what_a_file_takes_from_another_one_is_there():
    every = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")) if "build" not in path.parts]
    wrong = [line for path in every for line in missing(path)]
    assert len(every) > 500 and not wrong, wrong
