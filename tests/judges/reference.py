# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made from the code: the page of the variables, findings of the doctor, and the schema of inventories for
editors.

``reference.py`` says which page is not current (exit code 1), ``reference.py --write`` writes them.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import yaml
from places import ROOT

sys.path.insert(0, str(ROOT / "lab"))
from kafka_dr_lab.playbook import collections_path

sys.path.insert(0, str(collections_path()))
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_value import expected
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.json_schema import json_schema
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.schema import VARIABLES
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES

GROUPS = (
    ("Stages", tuple(STAGES)),
    ("Looking, without changing anything", ("backup_status", "doctor", "proof", "probe")),
    (
        "Parts of a region",
        ("kafka", "mirror", "watch", "applications", "credentials", "definition", "ledger", "service", "preflight"),
    ),
)
HEAD = """# Variables

Made by `make reference` from the inventory's schema and from the roles' argument specs and defaults; do not edit.

## Variables of the inventory

Every stage checks all of them on all hosts first, before any cluster is asked, and refuses with all mistakes in one
message. A mistake about a region that the stage is not about is a warning. Values that a template works out are checked
too. For completion and checks in an editor, name the collection's `meta/inventory.schema.json` as the JSON Schema of
your inventory and of `group_vars`, for example with `# yaml-language-server: $schema=<path>` as the first line.
"""
ROLES = """
# Variables of the roles

`ansible-doc -t role streamsafe.kafka_dr.<role>` shows the same.

A default that begins with `{{` is worked out from other variables. **required** means that the role refuses to begin
without it.
"""
SCHEMA = ROOT / "meta" / "inventory.schema.json"
BEGIN, END = "<!-- made by make reference: begin -->", "<!-- made by make reference: end -->"


def marked(text: str) -> str:
    """Ansible's own mark-up as Markdown, in a cell of a table."""
    for mark in "COVFM":
        while f"{mark}(" in text:
            before, dummy, rest = text.partition(f"{mark}(")
            if before and before[-1].isalnum():
                break
            inside, dummy, after = rest.partition(")")
            text = f"{before}`{inside}`{after}"
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def shown(value: object) -> str:
    """A default as it would be written."""
    if isinstance(value, str):
        text = " ".join(value.split())
        return f"`{text}`" if text else "empty"
    return f"`{yaml.safe_dump(value, default_flow_style=True, width=1000).strip().removesuffix('...').strip()}`"


def kind(option: dict) -> str:
    found = option.get("type", "str") + (f" of {option['elements']}" if option.get("elements") else "")
    return found + (f": {', '.join(f'`{one}`' for one in option['choices'])}" if option.get("choices") else "")


def rows(options: dict, defaults: dict, prefix: str = "") -> list[str]:
    made = []
    for name, option in options.items():
        description = option.get("description") or ""
        description = " ".join(description) if isinstance(description, list) else description
        held = {
            **({"default": option["default"]} if "default" in option else {}),
            **({"default": defaults[name]} if name in defaults else {}),
        }
        value = "**required**" if option.get("required") else shown(held["default"]).replace("|", "\\|") if held else ""
        made.append(f"| `{prefix}{name}` | {kind(option)} | {value} | {marked(description)} |")
        made += rows(option.get("options") or {}, {}, f"{prefix}{name}{'[]' if option.get('elements') else ''}.")
    return made


def described(path: str, node: dict, where: str, required: bool = False) -> list[str]:
    """Rows of one variable of the inventory: itself, and what stands below it."""
    description = marked(str(node.get("description") or ""))
    lines = [
        f"| `{path}` | {where} | {'**required**, ' if required else ''}{marked(expected(node)) or 'anything'} "
        f"| {description} |"
    ]
    inner = node.get("items") or {}
    below, mark = (inner, "[]") if inner.get("properties") else (node, "")
    for key, one in (below.get("properties") or {}).items():
        lines += described(f"{path}{mark}.{key}", one, "", key in (below.get("required") or ()))
    return lines


def inventory() -> list[str]:
    """The table of the inventory's variables."""
    rows_of = [
        row for name, node in VARIABLES.items() for row in described(name, node, str(node.get("x-where") or "anywhere"))
    ]
    return ["", "| Variable | On | Value | |", "|---|---|---|---|", *rows_of]


def role(name: str) -> list[str]:
    """One role: what it is for, its entry points, and all variables once."""
    base = ROOT / "roles" / name
    entries = yaml.safe_load((base / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    defaults = (
        yaml.safe_load((base / "defaults" / "main.yml").read_text()) or {}
        if (base / "defaults" / "main.yml").exists()
        else {}
    )
    options: dict[str, dict] = {}
    for spec in entries.values():
        for key, option in (spec.get("options") or {}).items():
            options.setdefault(key, option)
            if option.get("required") and len(entries) == 1:
                options[key] = option
    first = entries.get("main") or next(iter(entries.values()))
    lines = ["", f"### {name}", "", marked(first["short_description"]) + "."]
    others = [(key, spec) for key, spec in entries.items() if key != "main"]
    if others:
        lines += [
            "",
            "| `tasks_from` | |",
            "|---|---|",
            *(f"| `{key}` | {marked(spec.get('short_description') or '')} |" for key, spec in others),
        ]
    if options:
        lines += ["", "| Variable | Type | Default | |", "|---|---|---|---|", *rows(options, defaults)]
    return lines


def variables() -> str:
    """The page of all variables.

    :raises ValueError: a role stands in no group.
    """
    there = {one.parents[1].name for one in (ROOT / "roles").glob("*/meta/argument_specs.yml")}
    homeless = there - {one for dummy, names in GROUPS for one in names}
    if homeless:
        raise ValueError(f"Put {', '.join(sorted(homeless))} into GROUPS of {Path(__file__).name}")
    lines = [HEAD.rstrip(), *inventory(), ROLES.rstrip()]
    for title, names in GROUPS:
        lines += ["", f"## {title}"]
        for name in names:
            if name in there:
                lines += role(name)
    return "\n".join(lines) + "\n"


def _text(node: ast.AST) -> str:
    """Words of an expression, with … for what is filled in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    if isinstance(node, ast.IfExp):
        return _text(node.orelse) if "…" in _text(node.body) else f"{_text(node.body)} / {_text(node.orelse)}"
    if isinstance(node, ast.BoolOp):
        return _text(node.values[-1])
    return "…"


def findings() -> list[tuple[str, str, str, str]]:
    """Every finding that the doctor's checks can make: name, severity, cause, remedy."""
    made = []
    for path in sorted((ROOT / "plugins" / "module_utils" / "_doctor").glob("checks_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "finding":
                check, severity, dummy, dummy, cause, remedy = (_text(one) for one in node.args)
                made.append(
                    (check, "error or warning" if severity == "…" else severity.replace(" / ", " or "), cause, remedy)
                )
    return sorted(set(made))


def known_lines() -> list[tuple[str, str, str, str]]:
    """Every cause that the doctor reads out of a log."""
    room = ROOT / "plugins" / "module_utils" / "_doctor"
    calls = [
        node
        for name in ("log_access.py", "log_catalogue.py")
        for node in ast.walk(ast.parse((room / name).read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "known"
    ]
    return [("log-" + _text(one.args[0]), _text(one.args[1]), _text(one.args[3]), _text(one.args[4])) for one in calls]


def troubles() -> str:
    """The part of the page of troubles that is made from the doctor's checks."""
    lines = [BEGIN, "", "### What its looks at both clusters find"]
    for title, found in (("", findings()), ("### What it reads out of the logs", known_lines())):
        lines += ["", title, ""] if title else [""]
        lines += ["| Finding | Severity | Cause | What to do |", "|---|---|---|---|"]
        lines += [
            f"| `{check}` | {severity} | {marked(cause)} | {marked(remedy)} |"
            for check, severity, cause, remedy in found
        ]
    return "\n".join([*lines, "", END])


def pages() -> dict[Path, str]:
    """Each page with what it should hold."""
    place = ROOT / "docs" / "troubleshooting.md"
    text = place.read_text()
    before, rest = text.split(BEGIN)
    schema = json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"
    return {
        ROOT / "docs" / "variables.md": variables(),
        SCHEMA: schema,
        place: before + troubles() + rest.split(END)[1],
    }


def main(words: list[str]) -> int:
    old = {path: text for path, text in pages().items() if not path.exists() or path.read_text() != text}
    for path, text in old.items():
        if words == ["--write"]:
            path.write_text(text)
        else:
            print(f"{path.relative_to(ROOT)} is not current: make reference", file=sys.stderr)
    return 1 if old and words != ["--write"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
