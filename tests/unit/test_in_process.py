# SPDX-License-Identifier: GPL-3.0-or-later
"""A module answers the same in a fork of Ansible's process as in a process of its own, and gets the latter where it
is not at home.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils import in_process
from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
KDR = "streamsafe.kafka_dr."
NOBODY = {"bootstrap.servers": "127.0.0.1:1", "security.protocol": "PLAINTEXT"}
SECRET = "hush-4711"
FILES = {"files": [{"path": "{{ playbook_dir }}/written", "content": "text\n"}]}
TASKS = {
    "writes": {"private_files": FILES, "diff": True},
    "writes_again": {"private_files": FILES, "diff": True},
    "only_checks": {
        "private_files": {"files": [{"path": "{{ playbook_dir }}/unwritten", "content": "x"}]},
        "check_mode": True,
    },
    "reads_beside_the_playbook": {"manifest_info": {"manifest": "saved", "topics": ["t"]}},
    "lacks_an_argument": {"manifest_info": {"topics": []}},
    "has_an_unknown_argument": {"manifest_info": {"manifest": "m", "topics": [], "manifets": "x"}},
    "has_an_argument_of_another_type": {"ledger_info": {"client": "{", "timeout": "long"}},
    "has_no_cluster": {"ledger_info": {"client": NOBODY, "timeout": 1}},
    "has_a_secret_in_the_wrong_place": {
        "ledger_info": {"client": {**NOBODY, "sasl.password": SECRET, "sasl.username": "u"}, "timeout": 1}
    },
    "hides_its_secret": {
        "ledger_info": {"client": NOBODY, "client_secrets": {"sasl.password": SECRET}, "timeout": 1, "topic": SECRET}
    },
    "is_hidden": {"ledger_info": {"client": NOBODY, "timeout": 1}, "no_log": True},
    "takes_defaults": {"ledger_info": {}, "module_defaults": {f"group/{KDR}ledger": {"client": NOBODY, "timeout": 1}}},
    "loops": {"manifest_info": {"manifest": "{{ item }}", "topics": []}, "loop": ["saved", "nowhere"]},
    "runs_out_of_time": {"cluster_info": {"client": {**NOBODY, "bootstrap.servers": "{{ silent }}"}}, "timeout": 2},
}


def task(name, described):
    return {f"{KDR}{key}" if key.endswith(("_info", "_files")) else key: value for key, value in described.items()} | {
        "name": name,
        "register": name,
        "ignore_errors": True,
    }


@pytest.fixture
def silent():
    """An address at which somebody listens and never answers."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def play(tmp_path):
    """Run tasks; ``(what they registered, what was printed)``."""

    def call(tasks, way, silent="", hosts="localhost", **variables):
        place = tmp_path / way
        place.mkdir()
        out = {"ansible.builtin.copy": {"content": "{{ found }}", "dest": str(place / "found.json")}}
        names = ", ".join(f"'{one['name']}': {one['name']}" for one in tasks)
        play = {
            "hosts": hosts,
            "gather_facts": False,
            "vars": {"silent": silent, **variables},
            "tasks": [*tasks, {**out, "vars": {"found": f"{{{{ {{{names}}} | to_json }}}}"}}],
        }
        (place / "play.yml").write_text(yaml.safe_dump([play], sort_keys=False))
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", "-vvv", "play.yml"],
            cwd=place,
            env={
                **os.environ,
                "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
                "ANSIBLE_CONFIG": str(ROOT / "lab" / "ansible.cfg"),
                "ANSIBLE_STDOUT_CALLBACK": "default",
                "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
                in_process.SWITCH: way,
                "HOME": str(tmp_path),
            },
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads((place / "found.json").read_text()), done.stdout + done.stderr

    return call


LOCAL = {"ansible_connection": "local"}
# The same program, but another environment.
OTHER_PYTHON = os.path.realpath(sys.executable)


def test_the_same_answers_both_ways(play, silent):
    tasks = [task(name, described) for name, described in TASKS.items()]
    here, printed = play(tasks, "fork", silent, **LOCAL)
    there, printed_there = play(tasks, "process", silent, **LOCAL)
    assert list(here) == list(TASKS)
    for name in TASKS:
        assert without_places(here[name]) == without_places(there[name]), name
    assert f"Using module file {in_process.MODULES}.ledger_info" in printed
    assert in_process.MODULES not in printed_there and "ledger_info.py" in printed_there
    assert SECRET not in printed and SECRET not in printed_there
    assert here["writes"]["changed"] and not here["writes_again"]["changed"] and here["only_checks"]["changed"]
    assert here["has_no_cluster"]["failed"] and "127.0.0.1:1" in here["has_no_cluster"]["msg"]
    assert "missing required arguments: manifest" in here["lacks_an_argument"]["msg"]


def without_places(found):
    """A result without the paths that differ, and without what librdkafka says of its attempts: how long the last one
    took, and how many were alike.
    """
    text = json.dumps(found, sort_keys=True).replace("/fork/", "/").replace("/process/", "/")
    return json.loads(re.sub(r" \(after \d+ms in state \w+(, \d+ identical error\(s\) suppressed)?\)", "", text))


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        ({"environment": {"A": "b"}}, LOCAL),
        ({"delegate_to": "localhost"}, LOCAL),
        ({"async": 30, "poll": 1}, LOCAL),
        ({}, {**LOCAL, "ansible_python_interpreter": OTHER_PYTHON}),
    ],
    ids=["environment", "delegated", "in the background", "another interpreter"],
)
def test_elsewhere_it_is_a_module_like_any_other(play, words, variables):
    tasks = [task("looks", {"manifest_info": {"manifest": "nowhere", "topics": []}, **words})]
    dummy, printed = play(tasks, "fork", **variables)
    assert in_process.MODULES not in printed and "manifest_info.py" in printed


def fake(tmp_path, monkeypatch, text):
    """A module that does what the text says."""
    (tmp_path / "fake_module.py").write_text(f"import os, sys, time\ndef main():\n    {text}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("fake_module", None)
    return in_process.run_in_fork("fake_module", b"{}", str(tmp_path))


def test_a_module_that_dies_of_a_signal_is_one_failure(tmp_path, monkeypatch):
    found = fake(tmp_path, monkeypatch, "os.kill(os.getpid(), 11)")
    assert found["rc"] == -signal.SIGSEGV and "SIGSEGV" in json.loads(found["stdout"])["msg"]


def test_what_it_prints_and_its_code_are_handed_on(tmp_path, monkeypatch):
    found = fake(tmp_path, monkeypatch, "print(os.getcwd(), 'x' * 300000); os.write(2, b'oh'); sys.exit(3)")
    assert found["rc"] == 3 and found["stdout"] == f"{tmp_path} {'x' * 300000}\n" and found["stderr"] == "oh"


def test_it_ends_with_its_task(tmp_path, monkeypatch):
    class OutOfTime(Exception):
        pass

    def stop(number, frame):
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(OutOfTime):
            fake(tmp_path, monkeypatch, f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_every_module_has_its_action():
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py")}
    assert modules == {path.stem for path in (ROOT / "plugins" / "action").glob("*.py")}


def test_the_same_python_by_another_name_is_the_same(tmp_path):
    link = tmp_path / "environment"
    link.symlink_to(Path(sys.prefix))
    assert in_process.is_this_python(sys.executable)
    assert in_process.is_this_python(str(link / "bin" / "python"))
    assert not in_process.is_this_python(OTHER_PYTHON)
    assert not in_process.is_this_python("auto") and not in_process.is_this_python("")
