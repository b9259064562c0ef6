# SPDX-License-Identifier: GPL-3.0-or-later
"""Rulebooks of ``mirror_health`` and the request that they open: neither moves anything nor runs a broker's text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jinja2 import StrictUndefined
from jinja2.nativetypes import NativeEnvironment

from tests.unit.eda.health import RULEBOOKS, events, mirror

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("rulebook", RULEBOOKS, ids=lambda path: path.stem)
def test_no_rule_can_move_anything(rulebook):
    """Rules call one playbook, which writes a file, or the one workflow that waits for a person; and never for a state
    that is unknown.
    """
    for ruleset in yaml.safe_load(rulebook.read_text()):
        for rule in ruleset["rules"]:
            assert "unknown" not in rule["condition"] and "throttle" in rule
            for action in rule["actions"]:
                ((kind, told),) = action.items()
                assert (kind, told["name"]) in {
                    ("run_playbook", "streamsafe.kafka_dr.request_failover"),
                    ("run_workflow_template", "kafka-dr failover with approval"),
                }


def test_the_request_moves_nothing():
    play = yaml.safe_load((ROOT / "playbooks" / "request_failover.yml").read_text())[0]
    modules = {key for task in play["tasks"] for key in task if key.startswith("ansible.")}
    assert "roles" not in play and modules == {
        "ansible.builtin.assert",
        "ansible.builtin.file",
        "ansible.builtin.copy",
        "ansible.builtin.debug",
    }


HOSTILE = '{{ lookup("pipe", "touch %s") }}'


def rendered(value, known):
    """A rulebook's ``extra_vars`` as ansible-rulebook fills them in: once, keeping types."""
    if isinstance(value, dict):
        return {key: rendered(one, known) for key, one in value.items()}
    return (
        NativeEnvironment(undefined=StrictUndefined).from_string(value).render(known)
        if isinstance(value, str)
        else value
    )


@pytest.fixture
def ask(tmp_path):
    """Runs the playbook of a request with these extra variables; returns the exit code, the output, and the request."""
    from kafka_dr_lab.playbook import collections_path

    (tmp_path / "inventory.yml").write_text("all: {hosts: {localhost: {ansible_connection: local}, a: {}, b: {}}}\n")
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"}

    def once(extra):
        tool = str(Path(sys.executable).parent / "ansible-playbook")
        command = [tool, "-i", "inventory.yml", "streamsafe.kafka_dr.request_failover", "-e", json.dumps(extra)]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
        opened = list((tmp_path / "requests").glob("*")) if (tmp_path / "requests").is_dir() else []
        return done.returncode, done.stdout + done.stderr, [(one.name, json.loads(one.read_text())) for one in opened]

    return once


@pytest.mark.slow
def test_what_a_broker_says_of_itself_runs_nothing(source, tmp_path, ask):
    """A host that a broker advertises is in the error text; the rulebook passes on what it passes on."""
    proof = tmp_path / "ran"
    errors, hostile = source["utils"]("_errors"), HOSTILE % proof

    class Progress:
        """The source is lost, and its brokers have advertised a host of their choice."""

        @staticmethod
        def mirror_progress(asked):
            if asked["source_client"]:
                raise errors.UnreachableError("Cannot read metadata on a", found=f"Failed to resolve '{hostile}:9092'")
            return {"heartbeat": {"age": 70.0}, "lag": 0}

    real = source["utils"]
    source["look"].__globals__["utils"] = lambda name: Progress if name == "_positions.mirror_progress" else real(name)
    told = events(source, {"mirrors": [mirror(source_client={"bootstrap.servers": "a:1"})]}, 1)[0]
    assert told["mirror"]["state"] == "source_unreachable" and "lookup" not in json.dumps(told)
    rulebook = yaml.safe_load((RULEBOOKS[0].parent / "request_failover.yml").read_text())
    extra = rendered(
        rulebook[0]["rules"][0]["actions"][0]["run_playbook"]["extra_vars"],
        {"event": told, "kafka_dr_requests": str(tmp_path / "requests")},
    )
    code, said, opened = ask(extra)
    assert code == 0, said
    assert not proof.exists()
    assert opened[0][0] == "failover-backup.json" and opened[0][1]["seen"]["state"] == "source_unreachable"
    assert opened[0][1]["seen"]["heartbeat_age"] == 70.0 and opened[0][1]["then_move"].endswith(
        "-e failover_source=a -e failover_target=b"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"source": "c"}, "source 'c'"),
        ({"name": "../../x"}, "name '../../x'"),
        ({"name": "x; reboot"}, "name 'x; reboot'"),
        ({"target": "b\n[program:evil]"}, "target"),
        ({"state": "lost"}, "state 'lost'"),
        ({"looks": "three"}, "looks 'three'"),
        ({"reasons": ["the source does not answer"]}, "reasons"),
    ],
)
def test_a_request_takes_names_of_the_inventory_a_known_state_and_numbers(ask, tmp_path, wrong, said):
    seen = {
        "name": "backup",
        "source": "a",
        "target": "b",
        "state": "silent",
        "looks": 3,
        "for_seconds": 120.5,
        **wrong,
    }
    code, told, opened = ask({"request_directory": str(tmp_path / "requests"), "request_seen": seen})
    assert code == 2 and said in told and "Nothing was written" in told, told
    assert not opened


@pytest.mark.parametrize("rulebook", RULEBOOKS, ids=lambda path: path.stem)
def test_rules_pass_on_scalars_of_the_event_by_name(rulebook):
    """Never the event or a part of it as a whole: what is added to an event later would be passed on unseen."""
    passed = re.findall(r"{{\s*(event[^}]*?)\s*}}", rulebook.read_text())
    allowed = {
        "event.mirror." + key
        for key in ("name", "source", "target", "state", "looks", "for_seconds", "heartbeat_age", "lag")
    }
    assert passed and set(passed) <= allowed
