# SPDX-License-Identifier: GPL-3.0-or-later
"""The example of a controller: playbooks that parse, surveys that ask for what the stages take, tasks that awx.awx
understands.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES
from tests.unit.awx_example import AWX, TASKS, VARS

ROOT = Path(__file__).resolve().parents[2]
PLAYBOOKS = sorted((AWX / "project").glob("*.yml"))


# Jobs that move nothing, whoever starts them.
HARMLESS = ("kafka-dr probe", "kafka-dr backup_status", "kafka-dr verify_restore", "kafka-dr failed")


def ansible(name, *words, **env):
    """An Ansible tool over the checkout as a collection."""
    from kafka_dr_lab.playbook import collections_path

    tool = Path(sys.executable).parent / name
    settings = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        **env,
    }
    return subprocess.run(
        [str(tool), *map(str, words)], capture_output=True, text=True, env=settings, timeout=120, check=False
    )


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
    ended = ansible(
        "ansible-playbook",
        "--syntax-check",
        *PLAYBOOKS,
        AWX / "controller" / "configure.yml",
        "-i",
        AWX / "project" / "inventory",
    )
    assert ended.returncode == 0, ended.stderr


def test_every_stage_has_a_wrapper_a_template_and_a_survey():
    """And whatever else is run by a schedule or by hand. The page has a template of its own; Roles and requests are no
    controller's.
    """
    # start_held writes the brokers' keys, which no credential of the example carries; a person explains a difference.
    by_hand = {"proof_job", "rbac", "request_failover", "start_held", "watch_accept"}
    runnable = {path.stem for path in (ROOT / "playbooks").glob("*.yml")} - by_hand
    assert set(STAGES) <= runnable | {"failed"} == {path.stem for path in PLAYBOOKS}
    assert runnable | {"failed"} == {one["name"] for one in VARS["awx_stages"]}


def taken(name):
    """What a playbook takes: its role's options, or what it names itself where it has no such role."""
    spec = ROOT / "roles" / {"verify_restore": "proof"}.get(name, name) / "meta" / "argument_specs.yml"
    if name == "failed":
        return {}
    if spec.exists():
        return yaml.safe_load(spec.read_text())["argument_specs"]["main"]["options"]
    return {one: {} for one in re.findall(rf"\b{name}_\w+", (ROOT / "playbooks" / f"{name}.yml").read_text())}


# The inventory decides how a region is protected; docs/awx.md says so.
IN_THE_INVENTORY = {"failover_reverse", "failover_proof"}


def advised(name):
    """Options that the stage's refusals tell people to set."""
    texts = [path.read_text() for path in (ROOT / "roles").glob("*/tasks/**/*.yml")]
    return set(re.findall(rf"\b({name}_[a-z_]+)=(?:true|false)", "\n".join(texts)))


@pytest.mark.parametrize("stage", VARS["awx_stages"], ids=lambda stage: stage["name"])
def test_survey_asks_for_what_the_role_takes(stage):
    options = taken(stage["name"])
    asked = {one["variable"] for one in stage["survey"]}
    assert not asked - set(options), "unknown to the role"
    assert not {name for name, one in options.items() if one.get("required")} - asked, "required, not asked for"
    # Extra variables are not taken on launch: what is not asked for cannot be overridden there.
    assert not {name for name in options if "_accept_" in name} - asked, "an override that nobody can give"
    assert not advised(stage["name"]) - asked - IN_THE_INVENTORY, "a refusal advises what nobody can give"
    for one in stage["survey"]:
        assert set(one) <= {*VARS["awx_question"], "variable", "question_name", "choices"}
        if options[one["variable"]].get("type") == "bool":
            assert one["choices"] == "{{ awx_no_or_yes }}"
        # The API counts no default of a required question, and starts no job, by an event or a schedule, that leaves
        # one unanswered.
        assert not (one.get("required", True) and one.get("default")), one["variable"]
        assert isinstance(one.get("default", ""), str)


def test_an_answer_of_false_is_no_yes():
    """Answers are texts, and the text false is true for Jinja's tests unless they are told to convert it."""
    found = [
        path
        for path in (ROOT / "roles").rglob("*.yml")
        if re.search(r" is (falsy|truthy)(?!\(convert_bool=true\))", path.read_text())
    ]
    assert not found


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["name"])
def test_tasks_name_options_that_awx_has(task):
    module = next(key for key in task if key.startswith("awx.awx."))
    options = options_of(module.rsplit(".", 1)[1])
    names = {alias for name, one in options.items() for alias in (name, *one.get("aliases", []))}
    assert not set(task[module]) - names


@pytest.mark.parametrize("module", ["job_template", "workflow_job_template"])
def test_nothing_but_the_survey_is_asked_on_launch(module):
    """Said of every option that there is: what a person allowed by hand ends with the next run."""
    (task,) = [one for one in TASKS if "awx.awx." + module in one]
    asked = {name: one for name, one in task["awx.awx." + module].items() if re.fullmatch("ask_.*_on_launch", name)}
    assert set(asked) == {name for name in options_of(module) if re.fullmatch("ask_.*_on_launch", name)}
    assert {name for name, one in asked.items() if one is not False} <= {"ask_job_type_on_launch"}


def test_the_collections_of_an_execution_environment_are_of_one_version():
    listed = yaml.safe_load((AWX / "project" / "collections" / "requirements.yml").read_text())["collections"]
    pinned = {one["name"]: one["version"] for one in listed}
    assert pinned["streamsafe.kafka_dr"] == yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"]
    assert not [one for one in pinned.values() if not re.fullmatch(r"\d+\.\d+\.\d+", one)]


def test_no_schedule_fetches_from_git():
    """An update that meets a dead Git server fails, and the API launches nothing of a project whose update failed."""
    (task,) = [one for one in TASKS if "awx.awx.schedule" in one]
    scheduled = {one["of"] for one in task["loop"] if one.get("state", "present") == "present"}
    assert scheduled == {"kafka-dr drill"}
    # What an earlier version made is taken away.
    removed = {one["of"] for one in task["loop"] if one.get("state") == "absent"}
    assert removed == {"{{ awx_project }}", "kafka-dr regions"}


WORKFLOWS = VARS["awx_workflows"]
NODE_KEYS = {"identifier", "template", "approval", "description", "job_type", "answers", "success", "failure", "always"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one["name"])
def test_nothing_moves_without_a_person(workflow):
    """On every way through a workflow, a stage that changes something comes after an approval; a drill has none."""
    nodes = {one["identifier"]: one for one in workflow["nodes"]}
    assert len(nodes) == len(workflow["nodes"]) and not [
        key for one in nodes.values() for key in one if key not in NODE_KEYS
    ]
    before = {
        name: {
            other
            for other, one in nodes.items()
            for kind in ("success", "failure", "always")
            if name in one.get(kind, [])
        }
        for name in nodes
    }
    templates = {one["name"] for one in VARS["awx_stages"]}

    def approved(name):
        if "approval" in nodes[name]:
            return True
        return bool(before[name]) and all(approved(one) for one in before[name])

    for name, one in nodes.items():
        if "template" in one:
            assert one["template"] in templates
            assert (
                one.get("job_type") == "check" or approved(name) or "kafka-dr {}".format(one["template"]) in HARMLESS
            ), name
    for one in nodes.values():
        if "approval" in one:
            assert not {"failure", "always"} & set(one) and one["success"], "a denied or timed out approval goes on"


def test_the_drill_answers_what_its_jobs_ask():
    nodes = next(one for one in WORKFLOWS if one["name"] == "kafka-dr drill")["nodes"]
    surveys = {one["name"]: one["survey"] for one in VARS["awx_stages"]}
    assert {one["identifier"] for one in nodes} == set(VARS["awx_drill"])
    for one in nodes:
        assert one["answers"] == "{{{{ awx_drill.{} }}}}".format(one["identifier"])
        answers, survey = VARS["awx_drill"][one["identifier"]], surveys[one["template"]]
        assert (
            {ask["variable"] for ask in survey if ask.get("required", True) and "default" not in ask}
            <= set(answers)
            <= {ask["variable"] for ask in survey}
        )
        choices = {ask["variable"]: ask["choices"] for ask in survey if "choices" in ask}
        for name, answer in answers.items():
            assert isinstance(answer, str) and answer in named(choices[name] if name in choices else [answer]), (
                name,
                answer,
            )


def named(choices):
    """The choices of a question, where they are a variable of the file."""
    return VARS[choices.strip("{ }")] if isinstance(choices, str) else choices


def test_a_page_tells_of_its_own_stage_and_hides_no_failure():
    """A node that failed and is followed by others leaves its workflow successful: after the page of a failure comes
    one that fails.
    """
    for workflow in WORKFLOWS:
        nodes = {one["identifier"]: one for one in workflow["nodes"]}
        for name, one in nodes.items():
            for other in one.get("failure", []):
                page = nodes[other]
                assert page["template"] == "report" and page["answers"] == {
                    "report_stage": name,
                    "report_failed": "true",
                }
                assert [nodes[each]["template"] for each in page["always"]] == ["failed"] and not {
                    "success",
                    "failure",
                } & set(page)
            assert "always" not in one or one["template"] == "report"
            if one.get("template") == "failed":
                assert not {"success", "failure", "always"} & set(one)


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
    image = next((tmp_path / "context").glob("*file")).read_text()
    assert (
        "ENV ANSIBLE_STDOUT_CALLBACK=streamsafe.kafka_dr.stage" in image
        and "ENV ORIGINAL_STDOUT_CALLBACK=streamsafe.kafka_dr.stage" in image
    )
    introspected = subprocess.run(
        [str(builder), "introspect", "--sanitize", "--user-pip", str(ROOT / "meta" / "ee-requirements.txt"), str(ROOT)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert introspected.returncode == 0 and "confluent-kafka" in introspected.stdout, introspected.stderr
