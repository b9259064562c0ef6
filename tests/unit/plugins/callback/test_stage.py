# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person sees of a stage: a tiny real playbook, run with the callback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.callback import stage
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils import stage_output
from kafka_dr_lab.playbook import collections_path
from tests.support.hostile import commands, steers_terminal

pytestmark = pytest.mark.slow

COPY = "ansible.builtin.copy"
PLAY = [
    {"name": "Include what is done", "ansible.builtin.include_tasks": "done.yml"},
    {"name": "Include what is left out", "ansible.builtin.include_tasks": "done.yml", "when": False},
    {"name": "Include what takes a while", "ansible.builtin.include_tasks": "waits.yml"},
    {"name": "Include what fails", "ansible.builtin.include_tasks": "fails.yml"},
    {"name": "Include what never comes", "ansible.builtin.include_tasks": "done.yml"},
]
TASKS = {
    "done.yml": [
        {"name": "done | Write a file", COPY: {"content": "x", "dest": "{{ playbook_dir }}/written", "mode": "0600"}},
        {
            "name": "done | Read what would be written",
            COPY: {"content": "y", "dest": "{{ playbook_dir }}/read", "mode": "0600"},
            "check_mode": True,
        },
        {"name": "done | Look where nothing is", "ansible.builtin.find": {"paths": "/nothing/is/here"}},
        {"name": "done | Look there again", "ansible.builtin.find": {"paths": "/nothing/is/here"}},
        {"name": "done | Say it", "ansible.builtin.debug": {"msg": "two records were lost"}},
    ],
    "waits.yml": [
        {
            "name": "waits | Ask until it is so",
            "ansible.builtin.command": {"argv": [sys.executable, "{{ playbook_dir }}/ask.py"]},
            "register": "__asked",
            "until": "__asked.rc == 0",
            "retries": 9,
            "delay": 1,
            "changed_when": False,
        }
    ],
    "fails.yml": [
        {
            "name": "fails | Show that it holds",
            "ansible.builtin.assert": {
                "that": False,
                "fail_msg": "Topic 'a' is missing: expected it.\nCreate it.",
                "quiet": True,
            },
            "no_log": "{{ kafka_dr_no_log | default(false) }}",
        }
    ],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    directory = tmp_path_factory.mktemp("playbook")
    for name, tasks in TASKS.items():
        (directory / name).write_text(yaml.safe_dump(tasks))
    play = {"name": "Small stage", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": PLAY}
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    (directory / "ask.py").write_text(
        "import pathlib, sys\np = pathlib.Path(__file__).with_name('asked')\n"
        "n = len(p.read_text()) if p.exists() else 0\n"
        "p.write_text('x' * (n + 1))\nsys.exit(0 if n > 2 else 1)\n"
    )

    def call(*words):
        steps = directory / "steps.jsonl"
        steps.unlink(missing_ok=True)
        (directory / "written").unlink(missing_ok=True)
        env = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
            "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
            "KAFKA_DR_STEPS": str(steps),
            "KAFKA_DR_WAITING_INTERVAL": "1",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
            "ANSIBLE_LOCAL_TEMP": str(directory / "tmp"),
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        }
        command = [str(Path(sys.executable).parent / "ansible-playbook"), "play.yml", *words]
        done = subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, check=False)
        return done, [json.loads(line) for line in steps.read_text().splitlines()]

    return call


@pytest.fixture(scope="module")
def first(run):
    return run()


def test_a_line_a_step(first):
    done, dummy = first
    assert done.returncode == 2, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "Small stage" in lines
    steps = [line.split("  (")[0].strip() for line in lines if "✔" in line or "✘" in line]
    assert steps == ["✔ Include what is done", "✔ Include what takes a while", "✘ Include what fails"]


def test_steps_that_are_skipped_or_never_reached_are_not_shown(first):
    assert "left out" not in first[0].stdout and "never comes" not in first[0].stdout


def test_what_a_stage_says_is_shown(first):
    assert "    two records were lost" in first[0].stdout.splitlines()


def test_a_warning_is_told_once(first):
    assert [line.split()[0] for line in first[0].stdout.splitlines() if "/nothing/is/here" in line] == ["!"]


def test_a_failure_is_told_whole_and_once(first):
    text = first[0].stdout
    assert (
        "fails | Show that it holds" in text
        and text.count("Topic 'a' is missing: expected it.") == 1
        and "    Create it." in text.splitlines()
    )


def test_a_failure_that_may_hold_secrets_says_how_to_see_it(run):
    done, steps = run("-e", '{"kafka_dr_no_log": true}')
    text = done.stdout
    assert not [one for one in steps if "said" in one]
    assert "Topic 'a'" not in text and "  Run the same with -e kafka_dr_no_log=false to see it" in text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Task failed: The filter plugin 'streamsafe.kafka_dr.find_mirror' failed: "
            "Region nowhere is unknown: expected one of eu, na. Correct the name.",
            "Region nowhere is unknown: expected one of eu, na. Correct the name.",
        ),
        (
            "Task failed: Finalization of task args for 'ansible.builtin.set_fact' failed: "
            "Error while resolving value for 'x': "
            "The filter plugin 'streamsafe.kafka_dr.gate' failed: Gate one: expected a query, found nothing.",
            "Gate one: expected a query, found nothing.",
        ),
        # A fault of a filter itself is told with its name.
        ("Task failed: The filter plugin 'streamsafe.kafka_dr.gate' failed: 'str' object has no attribute 'get'",) * 2,
        ("Task failed: The filter plugin 'ansible.builtin.mandatory' failed: expected it",) * 2,
    ],
)
def test_a_sentence_of_a_filter_is_told_without_its_way_through_ansible(said, told):
    assert stage_output.failure_text({"msg": said}) == told


def test_a_long_step_says_that_it_goes_on(first):
    assert "… Include what takes a while" in first[0].stdout


def test_the_steps_file_has_each_step_with_its_time(first):
    steps = first[1]
    assert [(one["stage"], one["step"], one["failed"]) for one in steps] == [
        ("Small stage", "Include what is done", False),
        ("Small stage", "Include what takes a while", False),
        ("Small stage", "Include what fails", True),
    ]
    assert len({one["run"] for one in steps}) == 1 and steps[1]["seconds"] >= 3
    assert [one.get("said") for one in steps] == [None, None, "Topic 'a' is missing: expected it.\nCreate it."]


def test_a_task_that_only_reads_in_check_mode_changes_nothing(run):
    """Its module answers as in check mode, in a run that changes things."""
    done, dummy = run("--diff")
    assert "Write a file" not in done.stdout and "would change" not in done.stdout and "+y" not in done.stdout


def test_check_mode_names_what_would_change(run):
    done, dummy = run("--check")
    assert "check mode: nothing is changed" in done.stdout and "would change: done | Write a file" in done.stdout


@pytest.mark.parametrize(
    ("missing", "line"),
    [
        ("lag of 3 records", "lag of 3 records"),
        (["one worker", "two tasks"], "one worker; two tasks"),
        (None, "not yet"),
        ("x" * 200, "x" * 159 + "…"),
    ],
)
def test_what_a_wait_lacks_is_one_line(missing, line):
    assert stage_output.missing_line({"waiting_for": missing, "msg": "not yet"}) == line


def test_a_name_of_somebody_elses_writes_nothing_over(monkeypatch):
    """A group may be called by what clears a line and writes another verdict there."""
    made, said = stage.CallbackModule(), []
    monkeypatch.setattr(made._display, "display", lambda text, color=None: said.append(text))
    made._line("group orders\x1b[2K\r  ✔ PROVEN\x9b2J, and\ttwo\nlines")
    assert said == ["group orders\\x1b[2K\\r  ✔ PROVEN\\x9b2J, and\ttwo\nlines"]
    assert stage_output.plain_diff([{"before": "a\x1b[2K", "after": {"b": 1, "c": ["d\x9b"]}}]) == [
        {"before": "a\\x1b[2K", "after": {"b": 1, "c": ["d\\x9b"]}}
    ]
    for text in commands("/mark"):
        assert not steers_terminal(stage_output.plain(text))


def test_a_line_break_in_a_name_writes_no_step_that_never_was(monkeypatch):
    made, said = stage.CallbackModule(), []
    monkeypatch.setattr(made._display, "display", lambda text, color=None: said.extend(text.splitlines()))
    name = "orders\n  ✔ Prove the copy  (3.0 s)\nor so"
    task = SimpleNamespace(action="ansible.builtin.debug", name="Say", check_mode=False)
    for result, show in (
        ({"msg": [name], "warnings": [name]}, made.v2_runner_on_ok),
        ({"msg": name}, made.v2_runner_on_failed),
    ):
        show(SimpleNamespace(task=task, result=result, _task=task, _result=result))
    proofs = [line for line in said if "Prove the copy" in line]
    assert len(proofs) == 3 and all(line.startswith("    ") for line in proofs), said


@pytest.mark.parametrize("broken", ["\n", "\u2028", "\x0b", "\r\n"], ids=ascii)
def test_what_is_waited_for_writes_no_step_that_never_was(monkeypatch, broken):
    """Groups and transactions are among it, and conditions of objects in Kubernetes."""
    made, said = stage.CallbackModule(), []
    monkeypatch.setattr(made._display, "display", lambda text, color=None: said.extend(text.splitlines()))
    forged = f"orders{broken}  ✔ Prove the copy  (3.0 s)"
    task = SimpleNamespace(action="streamsafe.kafka_dr.group_info", name="Wait", check_mode=False)

    def result(**more):
        more = {"waiting_for": [forged], **more}
        return SimpleNamespace(task=task, result=more, _task=task, _result=more)

    made.v2_runner_retry(result())
    assert len(made.waiting_for.splitlines()) == 1, made.waiting_for
    made.v2_runner_on_failed(result(attempts=3, msg="not yet", stderr=f"group {forged}\n✔ Prove the copy"))
    proofs = [line for line in said if "Prove the copy" in line]
    assert proofs and not [line for line in proofs if line.startswith("  ✔")], said


def test_a_role_that_depends_on_another_opens_its_steps_and_the_other_none(tmp_path):
    """As the stages do, which have their inventory checked first."""
    include = {"name": "Look at the inventory", "ansible.builtin.include_tasks": "done.yml"}
    roles = {"stage": ([{**include, "name": "Move it"}], {"dependencies": ["check"]}), "check": ([include], {})}
    for name, (tasks, meta) in roles.items():
        for folder, file, content in (
            ("tasks", "main.yml", tasks),
            ("tasks", "done.yml", TASKS["done.yml"][-1:]),
            ("meta", "main.yml", meta),
        ):
            (tmp_path / "roles" / name / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / "roles" / name / folder / file).write_text(yaml.safe_dump(content))
    play = {
        "name": "Small stage",
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "roles": ["stage"],
    }
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    env = {
        **{key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")},
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
        "KAFKA_DR_STEPS": str(tmp_path / "steps.jsonl"),
    }
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", str(tmp_path / "play.yml")],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert [json.loads(line)["step"] for line in (tmp_path / "steps.jsonl").read_text().splitlines()] == ["Move it"], (
        done.stdout
    )
