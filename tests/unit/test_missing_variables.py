# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not named is told by the argument spec, with a way out, before anything is looked at; a name that is no region is told as such."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PLAYBOOKS = sorted(one.stem for one in (ROOT / "playbooks").glob("*.yml"))
REGION = {"kafka_dr_platform": "managed", "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:1"}, "kafka_dr_client_secrets": {},
          "kafka_dr_mirror_directory": "/var/lib/mirrors", "kafka_dr_kafka_home": "/opt/kafka"}
INVENTORY = {"all": {
    "vars": {"kafka_dr_mirrors": [{"name": "backup", "source": "north_america", "target": "europe", "topics": [".*"]}]},
    "children": {"clusters": {"hosts": {"north_america": REGION, "europe": REGION}}},
}}


@pytest.fixture(scope="module")
def inventory(tmp_path_factory):
    path = tmp_path_factory.mktemp("inventory") / "hosts.json"
    path.write_text(json.dumps(INVENTORY))
    return path


def ansible(*words, callback="streamsafe.kafka_dr.stage"):
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_STDOUT_CALLBACK": callback, "ANSIBLE_NOCOLOR": "1"}
    return subprocess.run([str(Path(sys.executable).parent / "ansible-playbook"), *words], env=env, capture_output=True, text=True, timeout=120, check=False)


def entry_points():
    """Every role's entry points that require something: ``(role, tasks file, required names)``."""
    for path in sorted((ROOT / "roles").glob("*/meta/argument_specs.yml")):
        for entry, spec in yaml.safe_load(path.read_text())["argument_specs"].items():
            required = sorted(name for name, option in (spec.get("options") or {}).items() if option.get("required"))
            if required:
                yield path.parents[1].name, entry, required


def tell(tasks, inventory, directory):
    """Run includes of roles in one play, each failing in a block of its own; returns what each said by its name."""
    blocks = [{
        "name": f"Include {name}",
        "block": [{"name": "Include it", "ansible.builtin.include_role": include, **({"vars": values} if values else {})}],
        "rescue": [{"name": "Tell it", "ansible.builtin.debug": {"msg": f"TOLD {name}: " + "{{ ansible_failed_result.msg | replace('\n', ' ') }}"}}],
    } for name, include, values in tasks]
    (directory / "play.yml").write_text(yaml.safe_dump([{"name": "Fail", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": blocks}]))
    done = ansible("-i", str(inventory), str(directory / "play.yml"))
    told = [line.split("TOLD ", 1)[1] for line in done.stdout.splitlines() if "TOLD " in line]
    return {line.split(": ", 1)[0]: line.split(": ", 1)[1] for line in told}


def test_every_entry_point_of_every_role_says_what_it_misses(inventory, tmp_path):
    points = {f"{role}-{entry}": (role, entry, required) for role, entry, required in entry_points()}
    assert len(points) > 20
    # Ansible looks for the argument spec by this very name: with ".yml" it finds none.
    includes = [(name, {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": entry}, {}) for name, (role, entry, dummy) in points.items()]
    told = tell(includes, inventory, tmp_path)
    # Where the defaults are empty words, as of proof, the role's own check names them.
    silent = {name: told.get(name) for name, (dummy, dummy, required) in points.items()
              if [one for one in required if one not in told.get(name, "")] or "is undefined" in told[name]}
    assert not silent


def test_a_name_that_is_no_region_is_told_as_such(inventory, tmp_path):
    cases = {
        "unknown": ("nowhere", "europe", "Region nowhere is unknown: expected one of europe, north_america."),
        "group": ("north_america", "clusters", "Region clusters is unknown: expected one of europe, north_america, found the group clusters of "),
        "twice": ("europe", "europe", "Source and target are both europe: expected two different regions"),
        "empty": ("", "europe", "is unknown: expected one of europe, north_america."),
        "unmirrored": ("europe", "north_america", "No single mirror copies europe to north_america: expected one entry of kafka_dr_mirrors, found backup"),
    }
    include = {"name": "streamsafe.kafka_dr.failover"}
    told = tell([(name, include, {"failover_source": one[0], "failover_target": one[1]}) for name, one in cases.items()], inventory, tmp_path)
    assert not {name: told.get(name) for name, one in cases.items() if one[2] not in told.get(name, "")}


@pytest.mark.parametrize("stage, missing", [("failover", ["failover_source", "failover_target"]), ("new_backup", ["new_backup_region", "new_backup_to"])])
def test_a_stage_without_its_regions_says_how_to_name_them(stage, missing, inventory):
    done = ansible("-i", str(inventory), f"streamsafe.kafka_dr.{stage}")
    assert done.returncode == 2
    assert f"missing required arguments: {', '.join(missing)}" in done.stdout
    assert not [one for one in missing if f"Name it with -e {one}=" not in done.stdout]
    assert "is undefined" not in done.stdout + done.stderr


@pytest.mark.parametrize("playbook, said", [("manifest", "A manifest needs manifest_region"), ("rbac", "There is no Role to print")])
def test_playbooks_that_are_no_stages_say_what_they_need(playbook, said, inventory):
    done = ansible("-i", str(inventory), f"streamsafe.kafka_dr.{playbook}", callback="ansible.builtin.default")
    assert done.returncode == 2 and said in done.stdout, done.stdout[-600:]


def test_every_playbook_has_a_syntax_that_needs_no_variable(inventory):
    done = ansible("-i", str(inventory), "--syntax-check", *(f"streamsafe.kafka_dr.{one}" for one in PLAYBOOKS))
    assert done.returncode == 0, done.stderr[-600:]
    assert len(PLAYBOOKS) >= 12 and done.stdout.count("playbook:") == len(PLAYBOOKS)
