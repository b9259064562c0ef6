# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source without Kafka: what it refuses, how long a state has lasted, what it never calls a loss."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jinja2 import StrictUndefined
from jinja2.nativetypes import NativeEnvironment

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "mirror_health.py"
RULEBOOKS = sorted((ROOT / "extensions" / "eda" / "rulebooks").glob("*.yml"))


@pytest.fixture
def source():
    """The plugin as ansible-rulebook loads it."""
    import runpy

    return runpy.run_path(str(SOURCE))


@pytest.fixture
def closed():
    """An address that refuses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % one.getsockname()[1]


def mirror(**changes):
    return {"name": "backup", "source": "a", "target": "b", "target_client": {"bootstrap.servers": "x:1"}, **changes}


def events(source, args, count, looks=None):
    """The first events of a run; ``looks`` replaces what is seen."""
    if looks is not None:
        seen = iter(looks)
        source["main"].__globals__["look"] = lambda *dummy: {"state": next(seen), "reasons": [], "heartbeat_age": 1.0, "lag": 0}

    async def collect():
        queue = asyncio.Queue()
        task, found = asyncio.create_task(source["main"](queue, args)), []
        while len(found) < count:
            getter = asyncio.create_task(queue.get())
            await asyncio.wait({task, getter}, timeout=30, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                getter.cancel()
                await task
            found.append(getter.result())
        task.cancel()
        return found

    return asyncio.run(collect())


def test_how_long_and_how_often(source):
    found = events(source, {"mirrors": [mirror()], "interval": 0.05}, 5, ["well", "silent", "silent", "silent", "well", "well", "well"])
    told = [(one["mirror"]["state"], one["mirror"]["looks"]) for one in found]
    assert told == [("well", 1), ("silent", 1), ("silent", 2), ("silent", 3), ("well", 1)]
    assert found[1]["mirror"]["for_seconds"] == 0 < found[3]["mirror"]["for_seconds"]
    assert found[0]["mirror"]["source"] == "a" and found[0]["mirror"]["target"] == "b"


def test_mirrors_are_counted_each_by_itself(source):
    source["main"].__globals__["look"] = lambda one, *dummy: {"state": "well" if one["name"] == "x" else "late", "reasons": [], "heartbeat_age": 1.0, "lag": 0}
    found = events(source, {"mirrors": [mirror(name="x"), mirror(name="y")], "interval": 0.05}, 4)
    assert [(one["mirror"]["name"], one["mirror"]["state"], one["mirror"]["looks"]) for one in found] == [
        ("x", "well", 1),
        ("y", "late", 1),
        ("x", "well", 2),
        ("y", "late", 2),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("with_source", [True, False])
def test_a_target_that_does_not_answer_is_no_loss_of_the_source(source, closed, with_source):
    """Nobody can be moved there, and nothing can be seen: unknown, whatever the source does."""
    described = mirror(target_client={"bootstrap.servers": closed}, **({"source_client": {"bootstrap.servers": closed}} if with_source else {}))
    told = events(source, {"mirrors": [described], "timeout": 5}, 1)[0]["mirror"]
    assert told["state"] == "unknown" and told["heartbeat_age"] is None and told["reasons"]


def test_a_client_that_is_wrong_is_no_loss(source):
    described = mirror(target_client={"bootstrap.servers": "127.0.0.1:1", "no.such.key": "x"})
    assert events(source, {"mirrors": [described], "timeout": 3}, 1)[0]["mirror"]["state"] == "unknown"


@pytest.mark.parametrize(
    "args, said",
    [
        ({}, "needs mirrors"),
        ({"mirrors": [{"name": "x"}]}, "lacks source, target"),
        ({"mirrors": [mirror(target_client=None)]}, "lacks target_client"),
        ({"mirrors": [mirror(source_client_file="/nowhere.json")]}, "cannot be read"),
    ],
)
def test_what_is_missing_is_said(source, args, said):
    with pytest.raises(ValueError, match=said):
        events(source, args, 1)


@pytest.mark.parametrize(
    "mode, text, said",
    [
        (0o644, '{"sasl.password": "hunter2"}', "chmod 600"),
        (0o600, '{"sasl.password": "hunter2"', "no JSON"),
        (0o600, '{"sasl.password": "hunter2"}', "no bootstrap.servers"),
    ],
)
def test_a_client_file_that_cannot_be_used_is_refused_without_its_content(source, tmp_path, mode, text, said):
    path = tmp_path / "client.json"
    path.write_text(text)
    os.chmod(path, mode)
    with pytest.raises(ValueError, match=said) as caught:
        events(source, {"mirrors": [mirror(target_client_file=str(path))]}, 1)
    assert "hunter2" not in str(caught.value)


def test_a_client_file_is_used(source, tmp_path):
    path = tmp_path / "client.json"
    path.write_text(json.dumps({"bootstrap.servers": "b:9092", "sasl.password": "hunter2"}))
    os.chmod(path, 0o600)
    assert source["checked"]({"mirrors": [mirror(target_client_file=str(path))]})[0]["asked"]["target_client"]["sasl.password"] == "hunter2"


def test_it_needs_nothing_of_ansible():
    code = (
        "import runpy, sys; made = runpy.run_path(sys.argv[1]); made['utils']('_mirror_offsets'); "
        "sys.exit(any(one.split('.')[0] == 'ansible' for one in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(SOURCE)], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize("rulebook", RULEBOOKS, ids=lambda path: path.stem)
def test_no_rule_can_move_anything(rulebook):
    """Rules call one playbook, which writes a file, or the one workflow that waits for a person; and never for a state that is unknown."""
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
    assert "roles" not in play and modules == {"ansible.builtin.assert", "ansible.builtin.file", "ansible.builtin.copy", "ansible.builtin.debug"}


@pytest.mark.parametrize(
    "kind, state",
    [
        ("UnreachableError", "source_unreachable"),
        ("TimedOutError", "source_unreachable"),
        ("AuthenticationError", "unknown"),
        ("AuthorizationError", "unknown"),
    ],
)
def test_only_silence_of_the_source_is_a_loss(source, kind, state):
    """A password that was changed must never ask for a failover. What a cluster answers is made here; the real ones are in tests/real/eda."""
    errors = source["utils"]("_errors")

    class Offsets:
        """Fails while it is asked for the source too."""

        @staticmethod
        def mirror_offsets(asked, check_mode):
            if asked["source_client"]:
                raise getattr(errors, kind)("Cannot read metadata on a")
            return {"heartbeat": {"age": 70.0}, "lag": 0}

    described = source["checked"]({"mirrors": [mirror(source_client={"bootstrap.servers": "a:1"})]})[0]
    source["look"].__globals__["utils"] = {"_errors": errors, "_mirror_offsets": Offsets}.__getitem__
    found = source["look"](described, 60.0, None)
    assert found["state"] == state and "Cannot read metadata on a" in found["reasons"][0] and found["lag"] is None


HOSTILE = '{{ lookup("pipe", "touch %s") }}'


def rendered(value, known):
    """A rulebook's ``extra_vars`` as ansible-rulebook fills them in: once, keeping types."""
    if isinstance(value, dict):
        return {key: rendered(one, known) for key, one in value.items()}
    return NativeEnvironment(undefined=StrictUndefined).from_string(value).render(known) if isinstance(value, str) else value


@pytest.fixture
def ask(tmp_path):
    """Runs the playbook of a request with these extra variables; returns the exit code, what was said, and the request."""
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

    class Offsets:
        """The source is lost, and its brokers have advertised a host of their choice."""

        @staticmethod
        def mirror_offsets(asked, check_mode):
            if asked["source_client"]:
                raise errors.UnreachableError("Cannot read metadata on a", found="Failed to resolve '%s:9092'" % hostile)
            return {"heartbeat": {"age": 70.0}, "lag": 0}

    real = source["utils"]
    source["look"].__globals__["utils"] = lambda name: Offsets if name == "_mirror_offsets" else real(name)
    told = events(source, {"mirrors": [mirror(source_client={"bootstrap.servers": "a:1"})]}, 1)[0]
    assert told["mirror"]["state"] == "source_unreachable" and "lookup" not in json.dumps(told)
    rulebook = yaml.safe_load((RULEBOOKS[0].parent / "request_failover.yml").read_text())
    extra = rendered(rulebook[0]["rules"][0]["actions"][0]["run_playbook"]["extra_vars"], {"event": told, "kafka_dr_requests": str(tmp_path / "requests")})
    code, said, opened = ask(extra)
    assert code == 0, said
    assert not proof.exists()
    assert opened[0][0] == "failover-backup.json" and opened[0][1]["seen"]["state"] == "source_unreachable"
    assert opened[0][1]["seen"]["heartbeat_age"] == 70.0 and opened[0][1]["then_move"].endswith("-e failover_source=a -e failover_target=b")


@pytest.mark.slow
@pytest.mark.parametrize("wrong, said", [
    ({"source": "c"}, "source 'c'"),
    ({"name": "../../x"}, "name '../../x'"),
    ({"name": "x; reboot"}, "name 'x; reboot'"),
    ({"target": "b\n[program:evil]"}, "target"),
    ({"state": "lost"}, "state 'lost'"),
    ({"looks": "three"}, "looks 'three'"),
    ({"reasons": ["the source does not answer"]}, "reasons"),
])
def test_a_request_takes_names_of_the_inventory_a_known_state_and_numbers(ask, tmp_path, wrong, said):
    seen = {"name": "backup", "source": "a", "target": "b", "state": "silent", "looks": 3, "for_seconds": 120.5, **wrong}
    code, told, opened = ask({"request_directory": str(tmp_path / "requests"), "request_seen": seen})
    assert code == 2 and said in told and "Nothing was written" in told, told
    assert not opened


@pytest.mark.parametrize("key", ["name", "source", "target"])
@pytest.mark.parametrize("name", ["../../x", "a b", "{{ x }}", "a\nb", "-e"])
def test_a_name_that_is_no_name_is_refused(source, key, name):
    with pytest.raises(ValueError, match="letters, digits"):
        source["checked"]({"mirrors": [mirror(**{key: name})]})


@pytest.mark.parametrize("rulebook", RULEBOOKS, ids=lambda path: path.stem)
def test_rules_pass_on_scalars_of_the_event_by_name(rulebook):
    """Never the event or a part of it as a whole: what is added to an event later would be passed on unseen."""
    passed = re.findall(r"{{\s*(event[^}]*?)\s*}}", rulebook.read_text())
    allowed = {"event.mirror." + key for key in ("name", "source", "target", "state", "looks", "for_seconds", "heartbeat_age", "lag")}
    assert passed and set(passed) <= allowed
