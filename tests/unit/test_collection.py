# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection promises about itself: variables, modules, names, version and the tarball."""

from __future__ import annotations

import ast
import importlib
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES

ROOT = Path(__file__).resolve().parents[2]
ROLES = sorted(one.name for one in (ROOT / "roles").iterdir() if one.is_dir())
MODULES = sorted(one.stem for one in (ROOT / "plugins" / "modules").glob("*.py") if one.stem != "__init__")
GALAXY = yaml.safe_load((ROOT / "galaxy.yml").read_text())
FQCN = "{}.{}".format(GALAXY["namespace"], GALAXY["name"])
# What is not part of the collection, or speaks of names in order to forbid them.
OTHERS = {"changelogs", ".git", ".venv", "build", ".hypothesis", "CONTRIBUTING.md", "LICENSE"}


def load(path: Path) -> dict:
    return (yaml.safe_load(path.read_text()) or {}) if path.exists() else {}


def specified(role: str) -> dict[str, dict]:
    """Options of all entry points, and whether any of them requires the option."""
    found: dict[str, dict] = {}
    for entry in load(ROOT / "roles" / role / "meta" / "argument_specs.yml")["argument_specs"].values():
        for name, option in (entry.get("options") or {}).items():
            known = found.setdefault(name, {"required": False})
            known["required"] = known["required"] or bool(option.get("required"))
    return found


def texts(folder: str = "."):
    """Tracked text files below a folder, with their content."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, (one.decode() for one in names)):
        path = ROOT / name
        if path.is_file() and path.resolve() != Path(__file__).resolve() and not OTHERS & set(Path(name).parts):
            try:
                yield name, path.read_text()
            except UnicodeDecodeError:
                continue


def constant(tree: ast.Module, name: str):
    return next(
        (node.value.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == name), None
    )


def test_the_first_task_of_a_stage_loads_the_filters_for_all_that_follow():
    first = load(ROOT / "roles" / "preflight" / "tasks" / "regions.yml")[0]
    assert "| streamsafe.kafka_dr." in first["name"]


def dispatched(role: str):
    """Tasks that go on in the room of a platform: ``(file, verb, rooms that it can be)``."""
    rooms = {one.name for one in (ROOT / "roles" / role / "tasks").iterdir() if one.is_dir() and one.name != "hook"}
    for path in sorted((ROOT / "roles" / role / "tasks").rglob("*.yml")):
        for task in [inner for outer in load(path) or [] for inner in outer.get("block") or [outer]]:
            found = re.search(
                r"tasks/\{\{.*\}\}/(\w+)\.yml$", str(task.get("ansible.builtin.include_tasks")), re.DOTALL
            )
            named = set(re.findall(r"'(\w+)'", str(task.get("when", "")))) & rooms
            if found:
                yield path, found[1], named or rooms


@pytest.mark.parametrize("role", ["applications", "credentials", "kafka", "mirror"])
def test_each_platform_has_its_way_of_doing_what_is_asked_of_it(role):
    asked = list(dispatched(role))
    assert asked
    assert not [
        f"{path}: {room}/{verb}.yml"
        for path, verb, rooms in asked
        for room in sorted(rooms)
        if not (path.parent / room / f"{verb}.yml").exists()
    ]


@pytest.mark.parametrize("role", ROLES)
def test_defaults_and_argument_specs_agree(role):
    options, defaults = specified(role), set(load(ROOT / "roles" / role / "defaults" / "main.yml"))
    assert not defaults - set(options), "in defaults/main.yml only"
    assert not {name for name, option in options.items() if not option["required"]} - defaults, (
        "in argument_specs.yml only"
    )


@pytest.mark.parametrize("role", ROLES)
def test_public_variables_carry_the_roles_name(role):
    assert not [name for name in specified(role) if not name.startswith(role + "_")]


@pytest.mark.parametrize("role", ROLES)
def test_every_public_variable_that_tasks_read_is_declared(role):
    found = set()
    results = set()
    for folder in ("tasks", "templates"):
        for path in (ROOT / "roles" / role / folder).rglob("*.*"):
            text = path.read_text()
            results.update(re.findall(r"register: (\w+)", text))
            # Keys of set_fact stand alone at the begin of a line.
            results.update(re.findall(rf"^ +({role}_\w+):", text, re.M))
            found.update(
                re.findall(
                    rf"(?<![\w.'/-])({role}_[a-z_]+)(?!\()",
                    re.sub(r"streamsafe\.kafka_dr\.\w+|^ *#.*|^- name:.*", "", text, flags=re.M),
                )
            )
    assert not {one for one in found if not one.startswith("kafka_dr_")} - results - set(specified(role))


@pytest.mark.parametrize("role", ROLES)
def test_every_entry_point_has_its_tasks(role):
    entries = load(ROOT / "roles" / role / "meta" / "argument_specs.yml")["argument_specs"]
    assert all((ROOT / "roles" / role / "tasks" / (name + ".yml")).is_file() for name in entries)
    # antsibull-docs builds no page of a role without both.
    assert all(one.get("short_description") and one.get("description") for one in entries.values())
    assert (ROOT / "roles" / role / "README.md").is_file()


@pytest.mark.parametrize("module", MODULES)
def test_module_is_documented_and_supports_check_mode(module):
    source = (ROOT / "plugins" / "modules" / (module + ".py")).read_text()
    tree = ast.parse(source)
    documentation, examples = (
        yaml.safe_load(constant(tree, "DOCUMENTATION")),
        yaml.safe_load(constant(tree, "EXAMPLES")),
    )
    assert documentation["module"] == module
    assert any(f"{FQCN}.{module}" in task for task in examples), "no example names the module"
    assert all(task.get("name") for task in examples)
    assert constant(tree, "RETURN")
    # run_module declares check mode for every module.
    assert "run_module(" in source or "supports_check_mode=True" in source


@pytest.mark.parametrize("filename", sorted(one.name for one in (ROOT / "plugins" / "filter").glob("*.yml")))
def test_filter_documentation_belongs_to_a_filter(filename):
    documented = load(ROOT / "plugins" / "filter" / filename)
    assert documented["DOCUMENTATION"]["name"] == Path(filename).stem
    assert f"{FQCN}.{Path(filename).stem}" in documented["EXAMPLES"]


def test_every_filter_is_documented_and_has_a_name_of_its_own():
    entry = importlib.import_module(f"ansible_collections.{FQCN}.plugins.filter.kafka_dr")
    files = [path.stem for path in (ROOT / "plugins" / "plugin_utils" / "filters").glob("*.py")]
    assert sorted(subject.__name__.rpartition(".")[2] for subject in entry.SUBJECTS) == sorted(
        file for file in files if file != "__init__"
    )
    names = sorted(name for subject in entry.SUBJECTS for name in subject.FILTERS)
    assert names == sorted(entry.FilterModule().filters())
    assert names == sorted(path.stem for path in (ROOT / "plugins" / "filter").glob("*.yml"))


def test_no_file_names_a_registry_or_community_general():
    bad = re.compile(r"community\.general|quay\.io|ghcr\.io|gcr\.io|docker\.io|registry\.redhat|icr\.io")
    assert not [f"{name}: {bad.search(text)[0]}" for name, text in texts() if bad.search(text)]


def test_every_file_of_code_has_its_licence():
    code = [(name, text) for name, text in texts() if text and name.endswith((".py", ".yml", ".yaml", ".sh"))]
    assert code
    assert not [name for name, text in code if "SPDX-License-Identifier: GPL-3.0-or-later" not in text[:300]]


def test_version_is_said_alike():
    entry = (ROOT / "plugins" / "module_utils" / "_work" / "ledger_entry.py").read_text()
    assert re.search(r'collection="([^"]+)"', entry)[1] == GALAXY["version"]


def test_links_of_the_documentation_lead_somewhere():
    broken = []
    for name, text in texts():
        if name.endswith(".md"):
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
                if not ((ROOT / name).parent / link).exists():
                    broken.append(f"{name}: {link}")
    assert not broken


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_runbooks_name_every_gate():
    for stage in STAGES:
        runbook = (ROOT / "docs" / "runbooks" / f"{stage}.md").read_text()
        preflight = (ROOT / "roles" / stage / "tasks" / "preflight.yml").read_text()
        gates = re.findall(r"^ {6}- name: (\w+)$", preflight, re.M)
        overrides = re.findall(r"override: (\w+)", preflight)
        assert gates
        assert not [one for one in gates + overrides if f"`{one}`" not in runbook]


def copy_checkout(copy: Path) -> None:
    """Copy what is tracked, and add what must not be shipped."""
    for name, dummy in texts():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    for name in ("LICENSE", "CONTRIBUTING.md"):
        shutil.copy2(ROOT / name, copy / name)
    for name in (".venv/x", "build/x", ".hypothesis/x", "tests/unit/x"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("x")


def test_collection_builds_and_ships_what_it_needs(tmp_path):
    galaxy = Path(sys.executable).parent / "ansible-galaxy"
    if not galaxy.exists():
        galaxy = Path(shutil.which("ansible-galaxy") or pytest.skip("ansible-galaxy is not installed"))
    copy = tmp_path / "copy"
    copy_checkout(copy)
    subprocess.run(
        [str(galaxy), "collection", "build", str(copy), "--output-path", str(tmp_path)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    with tarfile.open(next(tmp_path.glob("streamsafe-kafka_dr-*.tar.gz"))) as archive:
        shipped = set(archive.getnames())
    for name in (
        "MANIFEST.json",
        "README.md",
        "LICENSE",
        "roles/failover/tasks/main.yml",
        "plugins/modules/topics.py",
        "playbooks/failover.yml",
        "spark/main.py",
        "spark/kafka_dr_spark/cli.py",
        "lab/main.py",
        "meta/runtime.yml",
        "meta/execution-environment.yml",
        "roles/mirror/files/position_witness.py",
        "roles/mirror/files/witness_rounds.py",
    ):
        assert name in shipped
    assert not [
        name
        for name in shipped
        if name.split("/")[0] in (".venv", "build", ".hypothesis", ".git") or name.startswith("tests/unit")
    ]


def test_the_report_of_a_stage_names_the_override_of_every_gate():
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.stage import OVERRIDES

    named = [
        (stage, gate, OVERRIDES.get(gate, gate), said)
        for path in (ROOT / "roles").glob("*/tasks/preflight.yml")
        for stage in [path.parts[-3]]
        for gate, said in re.findall(r"- name: (\w+)\n +accepted: .*\n +override: (\w+)", path.read_text())
    ]
    assert named
    assert not [one for one in named if f"{one[0]}_accept_{one[2]}" != one[3]]


def named(node):
    """Names that facts and results are kept under, and names of tasks' own variables, in a file of tasks."""
    kept, own = set(), set()
    for one in node if isinstance(node, list) else node.values():
        if isinstance(one, (list, dict)):
            for have, more in zip((kept, own), named(one), strict=True):
                have |= more
    if isinstance(node, dict):
        kept |= {node["register"]} if isinstance(node.get("register"), str) else set()
        kept |= set(node.get("ansible.builtin.set_fact") or {})
        own |= set(node["vars"]) if isinstance(node.get("vars"), dict) else set()
    return kept, own


def test_no_fact_hides_a_variable_of_a_task_or_a_role():
    """What is registered or set stays, and wins over a variable of that name from then on."""
    files = [
        path for folder in ("roles", "playbooks") for path in (ROOT / folder).rglob("*.yml") if "meta" not in path.parts
    ]
    kept, own = named([yaml.safe_load(path.read_text()) for path in files])
    of_roles = {name for path in files if path.parent.name == "vars" for name in yaml.safe_load(path.read_text())}
    assert kept & (own | of_roles) == set()
