# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not named is told by the argument spec, with a way out, before anything is looked at; a name that is no
region is told as such.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.extra_variables import RUN
from kafka_dr_lab.playbook import collections_path
from tests.support.local_play import REGION

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PLAYBOOKS = sorted(one.stem for one in (ROOT / "playbooks").glob("*.yml"))
INVENTORY = {
    "all": {
        "vars": {
            "kafka_dr_mirrors": [{"name": "backup", "source": "north_america", "target": "europe", "topics": [".*"]}]
        },
        "children": {"clusters": {"hosts": {"north_america": REGION, "europe": REGION}}},
    }
}


@pytest.fixture(scope="module")
def inventory(tmp_path_factory):
    path = tmp_path_factory.mktemp("inventory") / "hosts.json"
    path.write_text(json.dumps(INVENTORY))
    return path


def ansible(*words, callback="streamsafe.kafka_dr.stage"):
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_STDOUT_CALLBACK": callback,
        "ANSIBLE_NOCOLOR": "1",
    }
    return subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), *words],
        env=env,
        capture_output=True,
        text=True,
        # All entry points in one play; a machine that is busy takes its time.
        timeout=600,
        check=False,
    )


def entry_points():
    """Every role's entry points that require something: ``(role, tasks file, required names)``."""
    for path in sorted((ROOT / "roles").glob("*/meta/argument_specs.yml")):
        for entry, spec in yaml.safe_load(path.read_text())["argument_specs"].items():
            required = sorted(name for name, option in (spec.get("options") or {}).items() if option.get("required"))
            if required:
                yield path.parents[1].name, entry, required


def tell(tasks, inventory, directory):
    """Run includes of roles in one play, each failing in a block of its own; returns what each said by its name."""
    blocks = [
        {
            "name": f"Include {name}",
            "block": [
                {"name": "Include it", "ansible.builtin.include_role": include, **({"vars": values} if values else {})}
            ],
            "rescue": [
                {
                    "name": "Tell it",
                    "ansible.builtin.debug": {
                        "msg": f"TOLD {name}: " + "{{ ansible_failed_result.msg | replace('\n', ' ') }}"
                    },
                }
            ],
        }
        for name, include, values in tasks
    ]
    (directory / "play.yml").write_text(
        yaml.safe_dump(
            [{"name": "Fail", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": blocks}]
        )
    )
    done = ansible("-i", str(inventory), str(directory / "play.yml"))
    told = [line.split("TOLD ", 1)[1] for line in done.stdout.splitlines() if "TOLD " in line]
    return {line.split(": ", 1)[0]: line.split(": ", 1)[1] for line in told}


def test_every_entry_point_of_every_role_says_what_it_misses(inventory, tmp_path):
    points = {f"{role}-{entry}": (role, entry, required) for role, entry, required in entry_points()}
    assert len(points) > 20
    # Ansible looks for the argument spec by this very name: with ".yml" it finds none.
    includes = [
        (name, {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": entry}, {})
        for name, (role, entry, dummy) in points.items()
    ]
    told = tell(includes, inventory, tmp_path)
    # Where the defaults are empty words, as of proof, the role's own check names them.
    silent = {
        name: told.get(name)
        for name, (dummy, dummy, required) in points.items()
        if [one for one in required if one not in told.get(name, "")] or "is undefined" in told[name]
    }
    assert not silent


def test_a_name_that_is_no_region_is_told_as_such(inventory, tmp_path):
    cases = {
        "unknown": ("nowhere", "europe", "Region nowhere is unknown: expected one of europe, north_america."),
        "group": (
            "north_america",
            "clusters",
            "Region clusters is unknown: expected one of europe, north_america, found the group clusters of ",
        ),
        "twice": ("europe", "europe", "Source and target are both europe: expected two different regions"),
        "empty": ("", "europe", "is unknown: expected one of europe, north_america."),
        # A move and a set-up may lead back by the mirror turned round; a restore needs one that is described.
        "unmirrored": (
            "europe",
            "north_america",
            "No single mirror copies europe to north_america: expected one entry of kafka_dr_mirrors, found backup",
        ),
    }
    stages = {name: ("failover", "source", "target") for name in cases}
    stages["unmirrored"] = ("resume", "region", "from")
    told = tell(
        [
            (
                name,
                {"name": f"streamsafe.kafka_dr.{stage}"},
                {f"{stage}_{first}": cases[name][0], f"{stage}_{second}": cases[name][1]},
            )
            for name, (stage, first, second) in stages.items()
        ],
        inventory,
        tmp_path,
    )
    assert not {name: told.get(name) for name, one in cases.items() if one[2] not in told.get(name, "")}


@pytest.mark.parametrize(
    "stage, missing",
    [("failover", ["failover_source", "failover_target"]), ("new_backup", ["new_backup_region", "new_backup_to"])],
)
def test_a_stage_without_its_regions_says_how_to_name_them(stage, missing, inventory):
    done = ansible("-i", str(inventory), f"streamsafe.kafka_dr.{stage}")
    assert done.returncode == 2
    assert f"missing required arguments: {', '.join(missing)}" in done.stdout
    assert not [one for one in missing if f"Name it with -e {one}=" not in done.stdout]
    assert "is undefined" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "stage, word, said",
    [
        (
            "failover",
            "failover_manifset=/backup/manifest",
            "failover_manifset: expected a variable of failover, found none of this name: it would have no effect. "
            "Did you mean failover_manifest?",
        ),
        ("failover", "failover-planned=true", "Did you mean failover_planned?"),
        ("initial_setup", "initial_setup_bakcup=true", "Did you mean initial_setup_backup?"),
        (
            "new_backup",
            "new_backup_dry_run=true",
            "new_backup_dry_run: expected a variable of new_backup, found none of this name",
        ),
        ("verify_restore", "proof_manifets=/backup/manifest", "Did you mean proof_manifest?"),
    ],
)
def test_a_misspelt_variable_does_not_pass_for_one_that_is_left_out(stage, word, said, inventory):
    done = ansible("-i", str(inventory), f"streamsafe.kafka_dr.{stage}", "-e", word, "--check")
    assert done.returncode == 2 and said in done.stdout, done.stdout[-900:]
    assert "no cluster was asked and nothing was changed" in done.stdout


def test_every_variable_of_the_documents_is_one():
    """Names that the check refuses, where a document gives them with -e."""
    texts = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "examples").rglob("*.yml")]
    named = {
        one
        for path in texts
        for one in re.findall(r"(?:-e |\n *|\")((?:{})_[a-z_]+)[=:]".format("|".join(RUN)), path.read_text())
    }
    known = {
        name
        for role in RUN
        for spec in yaml.safe_load((ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text())[
            "argument_specs"
        ].values()
        for name in spec.get("options") or {}
    }
    assert len(named) > 20
    assert not {one for one in named - known if not one.startswith("proof_job_")}


@pytest.mark.parametrize(
    "playbook, said",
    [
        ("manifest", "A manifest needs manifest_region"),
        ("rbac", "There is no Role to print"),
        ("verify_restore", "A proof needs proof_source"),
        ("ledger", "Name the region that holds the ledger: -e ledger_region=…"),
        ("watch_accept", "Name the mirror: -e watch_source=… -e watch_target=…"),
    ],
)
def test_playbooks_that_are_no_stages_say_what_they_need(playbook, said, inventory):
    done = ansible("-i", str(inventory), f"streamsafe.kafka_dr.{playbook}", callback="ansible.builtin.default")
    assert done.returncode == 2 and said in done.stdout, done.stdout[-600:]
    assert "template error" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "playbook, words",
    [
        ("failover", ["failover_source=na", "failover_target=eu"]),
        ("verify_restore", ["proof_source=na", "proof_target=eu"]),
    ],
)
def test_an_inventory_without_regions_is_told_as_such(playbook, words, tmp_path):
    done = ansible(
        "-i",
        str(tmp_path / "missing"),
        f"streamsafe.kafka_dr.{playbook}",
        *(part for one in words for part in ("-e", one)),
    )
    assert done.returncode == 2
    assert (
        "The inventory describes no region: expected hosts with kafka_dr_client" in done.stdout and "-i" in done.stdout
    ), done.stdout
    assert "expected one of" not in done.stdout and "filter plugin" not in done.stdout


@pytest.mark.parametrize("word", ["--limit", "--tags"])
def test_a_stage_of_which_nothing_is_left_has_not_succeeded(word, inventory):
    """Stages are played on localhost, as a whole; a schedule or a controller would take the silence for success."""
    done = ansible(
        "-i",
        str(inventory),
        "streamsafe.kafka_dr.failover",
        "-e",
        "failover_source=north_america",
        "-e",
        "failover_target=europe",
        word,
        "europe",
    )
    assert done.returncode == 2
    assert (
        f"Nothing was done: {word} europe leaves nothing of it. "
        f"A stage is played as a whole, on localhost: leave {word} out." in done.stdout
    ), done.stdout


def test_the_doctor_says_each_finding_once_and_whole(inventory):
    """At the end it names them; what to do about each stands with it, in variables that the playbook has."""
    done = ansible(
        "-i", str(inventory), "streamsafe.kafka_dr.doctor", "-e", "doctor_log_lines=0", "-e", "doctor_watch_seconds=1"
    )
    assert done.returncode == 2, done.stdout
    assert done.stdout.count("so it says nothing about it") == 2 and ".." not in done.stdout.replace("…", ""), (
        done.stdout
    )
    ended = done.stdout.partition("Fail by severity")[2]
    assert (
        "2 findings of severity error or worse, each above with its cause and what to do about it" in ended
        and "cannot-read-unreachable" in ended
    )
    assert "docs/runbooks/failover.md" in done.stdout and "say so to the stage" not in done.stdout


def test_every_playbook_has_a_syntax_that_needs_no_variable(inventory):
    done = ansible("-i", str(inventory), "--syntax-check", *(f"streamsafe.kafka_dr.{one}" for one in PLAYBOOKS))
    assert done.returncode == 0, done.stderr[-600:]
    assert len(PLAYBOOKS) >= 12 and done.stdout.count("playbook:") == len(PLAYBOOKS)
