# SPDX-License-Identifier: GPL-3.0-or-later
"""``configure.yml`` of the example, really played against a stand-in for the API of AWX, and what the objects that it
made come to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.controller import Controller, played
from tests.support.controller_server import serve
from tests.support.controller_surveys import Refused

pytestmark = [pytest.mark.slow, pytest.mark.full]

ROOT = Path(__file__).resolve().parents[2]
FAILOVER = {"failover_source": "north_america", "failover_target": "europe"}
RESTORE = {
    "recreate_from_backup_region": "north_america",
    "recreate_from_backup_from": "europe",
    "resume_region": "north_america",
    "resume_from": "europe",
    "new_backup_region": "north_america",
    "new_backup_to": "europe",
}
READERS = ("backup_status", "doctor", "manifest", "report")


def configure(address, *words):
    """Play configure.yml; returns how many tasks changed something."""
    pytest.importorskip("ansible_collections.awx.awx", reason="awx.awx is not installed; the package ansible brings it")
    env = {key: value for key, value in os.environ.items() if not key.startswith(("ANSIBLE_", "CONTROLLER_", "TOWER_"))}
    env.update(
        CONTROLLER_HOST=address,
        CONTROLLER_OAUTH_TOKEN="a-token",
        ANSIBLE_NOCOLOR="1",
        ANSIBLE_LOCALHOST_WARNING="false",
        ANSIBLE_PYTHON_INTERPRETER=sys.executable,
        ANSIBLE_STDOUT_CALLBACK="default",
    )
    command = [
        str(Path(sys.executable).parent / "ansible-playbook"),
        str(ROOT / "examples/awx/controller/configure.yml"),
        *words,
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=500, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return int(done.stdout.rsplit("changed=", 1)[1].split()[0]), done.stdout


@pytest.fixture(scope="module")
def made():
    """The controller after a first run, with credentials that somebody added by hand and named."""
    controller = Controller()
    controller.add("credential_types", {"name": "Vault", "kind": "vault"})
    controller.add("credentials", {"name": "Inventory vault", "credential_type": 1})
    server, address = serve(controller)
    # An earlier version of the example updated the project by a schedule.
    owner = controller.add("organizations", {"name": "Kafka DR"})["id"]
    project = controller.add("projects", {"name": "kafka-dr", "organization": owner, "scm_type": "git"})["id"]
    controller.add("schedules", {"name": "kafka-dr project every hour", "unified_job_template": project, "rrule": "x"})
    more = json.dumps({"awx_more_credentials": {"all": ["Inventory vault"]}})
    yield controller, configure(address, "-e", more)[0], lambda *words: configure(address, "-e", more, *words)
    server.shutdown()
    server.server_close()


def test_a_second_run_and_a_check_change_nothing(made):
    controller, changed, again = made
    assert changed > 5
    before = len(controller.written)
    assert again()[0] == 0 and controller.written[before:] == []
    assert again("--check")[0] == 0 and controller.written[before:] == []


def test_templates_carry_what_their_stage_needs(made):
    controller = made[0]
    for one in controller.kept["job_templates"].values():
        carried = controller.credentials_of(one["name"]) - {"Inventory vault"}
        assert "Inventory vault" in controller.credentials_of(one["name"]), (
            "taken off, although it is named in awx_more_credentials"
        )
        stage = one["name"].removeprefix("kafka-dr ")
        if stage in READERS:
            assert not [name for name in carried if name.endswith((" stages", " mirror"))], (stage, carried)
            assert ("Kafka DR ledger" in carried) == (stage in ("backup_status", "doctor", "report")), (stage, carried)
    assert controller.credentials_of("kafka-dr failed") == {"Inventory vault"}
    assert {"Kafka north_america stages", "Kafka DR ledger"} <= controller.credentials_of("kafka-dr failover")


def test_nothing_but_answers_is_taken_on_launch(made):
    controller = made[0]
    for endpoint in ("job_templates", "workflow_job_templates"):
        for one in controller.kept[endpoint].values():
            with pytest.raises(Refused, match="not allowed on launch"):
                controller.launch(endpoint, one["name"], {"kafka_dr_client": {"security.protocol": "SASL_PLAINTEXT"}})


def test_the_events_start_is_taken_and_defaults_are_filled_in(made):
    """As the rulebook asks for it, with the regions of an event."""
    rulebook = ROOT / "extensions" / "eda" / "rulebooks" / "request_failover_controller.yml"
    (rule,) = yaml.safe_load(rulebook.read_text())[0]["rules"]
    asked = rule["actions"][0]["run_workflow_template"]
    event = {"{{ event.mirror.source }}": "north_america", "{{ event.mirror.target }}": "europe"}
    answers = {name: event.get(value, value) for name, value in asked["job_args"]["extra_vars"].items()}
    found = made[0].launch("workflow_job_templates", asked["name"], answers)
    assert FAILOVER.items() <= found.items()
    assert found["failover_planned"] == "false" and found["failover_accept_unproven"] == "false"


@pytest.mark.parametrize(
    "wrong",
    [{"failover_planned": True}, {"failover_planned": ""}, {"failover_target": "asia"}, {"failover_source": None}],
)
def test_the_api_refuses_other_answers(made, wrong):
    with pytest.raises(Refused, match="variables_needed_to_start"):
        made[0].launch("workflow_job_templates", "kafka-dr failover with approval", {**FAILOVER, **wrong})


def test_every_job_can_be_scheduled_with_its_required_answers_alone(made):
    """The API ignores a required question's default: there is none that has one."""
    for endpoint in ("job_templates", "workflow_job_templates"):
        for one in made[0].kept[endpoint].values():
            for ask in one.get("survey", {}).get("spec", []):
                assert not (ask["required"] and ask.get("default")), (one["name"], ask["variable"])
    made[0].launch("job_templates", "kafka-dr doctor", {})


@pytest.mark.parametrize(
    "node, stage",
    [
        ("failover", "failover"),
        ("recreate_from_backup", "recreate_from_backup"),
        ("resume", "resume"),
        ("new_backup", "new_backup"),
    ],
)
def test_a_failed_stage_fails_its_workflow_after_the_page(made, node, stage):
    flow, given = (
        ("kafka-dr failover with approval", FAILOVER)
        if stage == "failover"
        else ("kafka-dr restore with approvals", RESTORE)
    )
    status, ran = played(made[0], flow, {node, "failed"}, given)
    pages = [one for one in ran.values() if "report_stage" in one]
    assert status == "failed" and "failed" in ran
    assert [(one["report_stage"], one["report_failed"]) for one in pages] == [(stage, "true")]


@pytest.mark.parametrize(
    "flow, given, stage",
    [
        ("kafka-dr failover with approval", FAILOVER, "failover"),
        ("kafka-dr restore with approvals", RESTORE, "new_backup"),
    ],
)
def test_a_workflow_that_went_well_tells_of_its_stage(made, flow, given, stage):
    status, ran = played(made[0], flow, set(), given)
    pages = [one for one in ran.values() if "report_stage" in one]
    assert (
        status == "successful"
        and "failed" not in ran
        and [(one["report_stage"], one["report_failed"]) for one in pages] == [(stage, "false")]
    )


@pytest.mark.parametrize(
    "flow, given, node",
    [
        ("kafka-dr failover with approval", FAILOVER, "check"),
        ("kafka-dr failover with approval", FAILOVER, "approve"),
        ("kafka-dr restore with approvals", RESTORE, "approve"),
        ("kafka-dr restore with approvals", RESTORE, "approve_resume"),
        ("kafka-dr drill", {}, "verify_restore"),
        ("kafka-dr drill", {}, "probe"),
        ("kafka-dr drill", {}, "backup_status"),
        ("kafka-dr drill", {}, "failover"),
    ],
)
def test_what_is_refused_or_denied_fails_the_workflow(made, flow, given, node):
    status, ran = played(made[0], flow, {node}, given)
    assert status == "failed" and (flow == "kafka-dr drill" or not {"failover", "resume"} & set(ran))


def test_a_page_that_cannot_be_written_hides_no_failure(made):
    assert (
        played(made[0], "kafka-dr failover with approval", {"failover", "page_of_failure", "failed"}, FAILOVER)[0]
        == "failed"
    )


def test_no_launch_needs_git(made):
    controller = made[0]
    assert [one["scm_update_on_launch"] for one in controller.kept["projects"].values()] == [False]
    assert [one["update_on_launch"] for one in controller.kept["inventory_sources"].values()] == [False]
    scheduled = {
        controller.unified(one["unified_job_template"])["type"] for one in controller.kept["schedules"].values()
    }
    assert {"workflow_job_template"} == scheduled


def test_no_schedule_that_meets_a_dead_git_server_stops_a_launch(made):
    """After an update that failed, the API refuses every launch until one succeeds."""
    controller = made[0]
    controller.run_schedules_without_git()
    assert FAILOVER.items() <= controller.launch("job_templates", "kafka-dr failover", FAILOVER).items()


def test_what_the_api_does_not_take():
    """The stand-in's own: a vault credential on an inventory source, two credentials of a type on a template."""
    controller = Controller()
    vault = controller.add("credential_types", {"name": "Vault", "kind": "vault"})["id"]
    one, other = (controller.add("credentials", {"name": name, "credential_type": vault})["id"] for name in "ab")
    with pytest.raises(Refused, match="disallowed"):
        controller.add("inventory_sources", {"name": "x", "credential": one})
    template = controller.add("job_templates", {"name": "x"})
    controller.link(template, "credentials", {"id": one})
    with pytest.raises(Refused, match="multiple"):
        controller.link(template, "credentials", {"id": other})


def test_a_project_whose_update_failed_is_not_launched():
    """The stand-in's own."""
    controller = Controller()
    project = controller.add("projects", {"name": "p", "scm_update_on_launch": False})["id"]
    controller.add("job_templates", {"name": "x", "project": project})
    controller.launch("job_templates", "x", {})
    controller.add("schedules", {"name": "hourly", "unified_job_template": project})
    controller.run_schedules_without_git()
    with pytest.raises(Refused, match="Missing a revision"):
        controller.launch("job_templates", "x", {})
