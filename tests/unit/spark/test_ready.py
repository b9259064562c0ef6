# SPDX-License-Identifier: GPL-3.0-or-later
"""What the proof lacks on a machine is known before anything is fenced for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

ROOT = Path(__file__).resolve().parents[3]


def told(directory, **env):
    """What is missing, and the exit code."""
    kept = {key: value for key, value in os.environ.items() if key not in ("JAVA_HOME", "SPARK_HOME")}
    done = subprocess.run(
        [sys.executable, str(ROOT / "spark" / "ready.py"), str(directory)],
        env={**kept, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.stdout.strip(), done.returncode


def java(directory, version, first="true"):
    """A path with a Java of this version alone, which runs ``first`` before it tells that."""
    program = directory / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{first}\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return str(program.parent)


@pytest.mark.parametrize("version", ["17.0.1", "21-ea"])
def test_a_machine_that_has_all_lacks_nothing_and_nothing_is_written(tmp_path, version):
    path = java(tmp_path, version)
    assert told(tmp_path / "work" / "proof", PATH=path) == ("", 0)
    assert not (tmp_path / "work").exists()


def test_what_java_says_of_its_options_is_no_version(tmp_path):
    options = "echo 'Picked up JAVA_TOOL_OPTIONS: -Dapp.version \"1\"' >&2"
    assert told(tmp_path, PATH=java(tmp_path, "17.0.1", options)) == ("", 0)


def test_an_empty_home_of_spark_is_none(tmp_path):
    said, code = told(tmp_path, PATH=java(tmp_path, "11.0.2"), SPARK_HOME="")
    assert code == 1 and "17 or newer, found 11" in said, said


def test_a_library_that_is_not_there_is_named(tmp_path):
    broken = tmp_path / "lib" / "pyspark"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError")
    said, code = told(tmp_path, PYTHONPATH=str(broken.parent))
    assert code == 1 and "cannot import pyspark" in said, said


@pytest.mark.parametrize(("version", "words"), [("", "No java is on the path"), ("1.8.0_402", "17 or newer, found 8")])
def test_no_java_that_spark_could_use_is_told(tmp_path, version, words):
    path = java(tmp_path, version) if version else str(tmp_path)
    said, code = told(tmp_path, PATH=path)
    assert code == 1 and words in said, said


def test_a_directory_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    said, code = told(tmp_path / "file" / "proof", PATH=java(tmp_path, "21"))
    assert code == 1 and f"{tmp_path / 'file'} is no directory" in said, said


@pytest.mark.parametrize("stage", ["failover", "failback", "new_backup"])
def test_stages_that_prove_after_they_changed_something_ask_before(stage):
    tasks = yaml.safe_load((ROOT / "roles" / stage / "tasks" / "main.yml").read_text())
    included = [task.get("ansible.builtin.include_role", {}) for task in tasks]
    asked = included.index({"name": "streamsafe.kafka_dr.proof", "tasks_from": "ready.yml"})
    assert asked < included.index({"name": "streamsafe.kafka_dr.ledger", "tasks_from": "begin.yml"})


@pytest.mark.slow
def test_a_play_is_refused_by_what_is_missing(tmp_path):
    (tmp_path / "file").write_text("")
    included = {"name": "streamsafe.kafka_dr.proof", "tasks_from": "ready.yml"}
    more = {"proof_source": "na", "proof_target": "eu", "proof_workdir": str(tmp_path / "file" / "proof")}
    tasks = [{"ansible.builtin.include_role": included, "vars": more}]
    play = [{"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}]
    (tmp_path / "play.yml").write_text(yaml.safe_dump(play))
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), str(tmp_path / "play.yml"), "--check"],
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = " ".join(done.stdout.split())
    assert done.returncode == 2 and "Refused, nothing was changed: the proof could not start" in said, said
    assert f"{tmp_path / 'file'} is no directory" in said, said
