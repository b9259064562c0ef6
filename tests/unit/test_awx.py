# SPDX-License-Identifier: GPL-3.0-or-later
"""The example of a controller: playbooks that parse, surveys that ask for what the stages take, tasks that awx.awx understands."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
AWX = ROOT / "examples" / "awx"
STAGES = ("initial_setup", "failover", "recreate_from_backup", "resume", "new_backup")
PLAYBOOKS = sorted((AWX / "project").glob("*.yml"))


class Loader(yaml.SafeLoader):
    """YAML as Ansible writes it."""


Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))
VARS = yaml.load((AWX / "controller" / "vars.yml").read_text(), Loader)
TASKS = yaml.load((AWX / "controller" / "configure.yml").read_text(), Loader)[0]["tasks"]


def ansible(name, *words, **env):
    """An Ansible tool over the checkout as a collection."""
    from kafka_dr_lab.playbook import collections_path

    tool = Path(sys.executable).parent / name
    settings = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_LOCALHOST_WARNING": "false", **env}
    return subprocess.run([str(tool), *map(str, words)], capture_output=True, text=True, env=settings, timeout=120, check=False)


def options_of(module):
    """Options of a module of awx.awx, from its documentation."""
    spec = importlib.util.find_spec("ansible_collections")
    for place in spec.submodule_search_locations if spec else []:
        path = Path(place) / "awx" / "awx" / "plugins" / "modules" / f"{module}.py"
        if path.exists():
            text = re.search(r"DOCUMENTATION = r?'''(.*?)'''", path.read_text(), re.S)[1]
            return yaml.safe_load(text)["options"]
    pytest.skip("awx.awx is not installed; the package ansible brings it")


def test_playbooks_parse():
    """With the collection's own playbooks that they import, over the example's inventory."""
    ended = ansible("ansible-playbook", "--syntax-check", *PLAYBOOKS, AWX / "controller" / "configure.yml", "-i", AWX / "project" / "inventory")
    assert ended.returncode == 0, ended.stderr


def test_every_stage_has_a_wrapper_a_template_and_a_survey():
    assert set(STAGES) <= {path.stem for path in PLAYBOOKS}
    assert set(STAGES) <= {one["name"] for one in VARS["awx_stages"]}


@pytest.mark.parametrize("stage", VARS["awx_stages"], ids=lambda stage: stage["name"])
def test_survey_asks_for_what_the_role_takes(stage):
    options = yaml.safe_load((ROOT / "roles" / stage["name"] / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    asked = {one["variable"] for one in stage["survey"]}
    assert not asked - set(options), "unknown to the role"
    assert not {name for name, one in options.items() if one.get("required")} - asked, "required, not asked for"
    for one in stage["survey"]:
        assert set(one) <= {*VARS["awx_question"], "variable", "question_name", "choices"}
        if options[one["variable"]].get("type") == "bool":
            assert one["choices"] == "{{ awx_no_or_yes }}"


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["name"])
def test_tasks_name_options_that_awx_has(task):
    module = next(key for key in task if key.startswith("awx.awx."))
    options = options_of(module.rsplit(".", 1)[1])
    names = {alias for name, one in options.items() for alias in (name, *one.get("aliases", []))}
    assert not set(task[module]) - names
    for node in task[module].get("workflow_nodes", []):
        assert not set(node) - set(options["workflow_nodes"]["suboptions"])


WORKFLOWS = [task["awx.awx.workflow_job_template"] for task in TASKS if "awx.awx.workflow_job_template" in task]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one["name"])
def test_nothing_moves_without_a_person(workflow):
    """On every way through a workflow, a stage that changes something comes after an approval."""
    nodes = {one["identifier"]: one for one in workflow["workflow_nodes"]}
    before = {name: {other for other, one in nodes.items() for kind in one.get("related", {}).values() if {"identifier": name} in kind} for name in nodes}
    templates = {"kafka-dr %s" % one["name"] for one in VARS["awx_stages"]} | {"kafka-dr report"}

    def approved(name):
        if nodes[name]["unified_job_template"].get("type") == "workflow_approval":
            return True
        return bool(before[name]) and all(approved(one) for one in before[name])

    assert any(one["unified_job_template"]["type"] == "workflow_approval" for one in nodes.values())
    for name, one in nodes.items():
        if one["unified_job_template"]["type"] == "job_template":
            assert one["unified_job_template"]["name"] in templates
            assert one.get("job_type") == "check" or approved(name), name
    for one in nodes.values():
        if one["unified_job_template"].get("type") == "workflow_approval":
            assert set(one["related"]) == {"success_nodes"}, "a denied or timed out approval goes on"


def test_credentials_give_every_secret_of_the_inventory():
    wanted = set(re.findall(r"kafka_dr_secret_\w+", (AWX / "project" / "inventory" / "regions.yml").read_text())) - {"kafka_dr_secret_"}
    given = {name: value for one in VARS["awx_credential_types"] for name, value in {**one["injected"], **one.get("injected_files", {})}.items()}
    assert wanted == set(given)
    for one in VARS["awx_credential_types"]:
        fields = {field["id"] for field in one["fields"]}
        assert {re.sub(r"[{} ]|tower\.filename\.", "", value) for value in {**one["injected"], **one.get("injected_files", {})}.values()} == fields


def test_execution_environment_can_be_created(tmp_path):
    builder = Path(sys.executable).parent / "ansible-builder"
    if not builder.exists():
        pytest.skip("ansible-builder is not installed")
    ended = subprocess.run(
        [str(builder), "create", "-f", str(AWX / "execution-environment.yml"), "-c", str(tmp_path / "context")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "streamsafe.kafka_dr" in next((tmp_path / "context").rglob("requirements.yml")).read_text()
    introspected = subprocess.run(
        [str(builder), "introspect", "--sanitize", "--user-pip", str(ROOT / "meta" / "ee-requirements.txt"), str(ROOT)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert introspected.returncode == 0 and "confluent-kafka" in introspected.stdout, introspected.stderr
