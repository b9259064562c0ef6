# SPDX-License-Identifier: GPL-3.0-or-later
"""The quiet output under ansible-runner 2.4.0, which AWX 24.6 has, and under the newest: started directly, and as a
controller starts it in a container.
"""

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
PODMAN = ROOT / "tests" / "support" / "podman.py"
TIMEOUT = 120
MISSING = "Topic 'a' is missing: expected it."
PLAY = [
    {"name": "Include what says much", "ansible.builtin.include_tasks": "says.yml"},
    {"name": "Include what waits", "ansible.builtin.include_tasks": "waits.yml"},
    {"name": "Include what fails", "ansible.builtin.include_tasks": "fails.yml"},
]
TASKS = {
    "says.yml": [
        {"name": "says | Say it", "ansible.builtin.debug": {"msg": f"line {number} of the stage"}}
        for number in range(20)
    ],
    "waits.yml": [{"name": "waits | Wait", "ansible.builtin.command": {"argv": ["sleep", "4"]}, "changed_when": False}],
    "fails.yml": [
        {
            "name": "fails | Show that it holds",
            "ansible.builtin.assert": {"that": False, "fail_msg": MISSING, "quiet": True},
        }
    ],
}


@pytest.fixture(scope="session", params=["2.4.0", "newest"])
def tools(request):
    """The programs of an ansible-runner: that of AWX 24.6, or the one that is installed."""
    if request.param == "newest":
        return Path(sys.executable).parent
    sys.path.append(str(ROOT / "tests" / "judges"))
    from places import JUDGES, environment

    return environment("runner", JUDGES / "requirements-runner.txt")


def image_env():
    """What the example's image sets, from its definition."""
    lines = yaml.safe_load((ROOT / "examples" / "awx" / "execution-environment.yml").read_text())[
        "additional_build_steps"
    ]["append_final"]
    return dict(line.split(None, 1)[1].split("=", 1) for line in lines if line.startswith("ENV "))


def run(tools, directory, *words, **environ):
    """Run the play below; returns the runner's exit code and what it printed."""
    project = directory / "project"
    project.mkdir()
    for name, tasks in TASKS.items():
        (project / name).write_text(yaml.safe_dump(tasks))
    play = {"name": "Small stage", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": PLAY}
    (project / "play.yml").write_text(yaml.safe_dump([play]))
    (directory / "inventory").mkdir()
    host = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    (directory / "inventory" / "hosts.json").write_text(json.dumps({"all": {"hosts": {"localhost": host}}}))
    (directory / "env").mkdir()
    (directory / "env" / "envvars").write_text(
        json.dumps({"KAFKA_DR_WAITING_INTERVAL": "1", "ANSIBLE_NOCOLOR": "1", **environ.pop("job_env", {})})
    )
    env = {key: value for key, value in os.environ.items() if not key.startswith(("ANSIBLE_", "ORIGINAL_"))}
    env.update({"PATH": f"{tools}:/usr/bin:/bin", "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), **environ})
    command = [str(tools / "ansible-runner"), "run", str(directory), "-p", "play.yml", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout + done.stderr


def is_quiet(code, said):
    """A line a step and nothing of Ansible's own, no line lost, and no fault of the plugin."""
    assert code == 2, said
    lines = [line.strip() for line in said.splitlines()]
    steps = [line.split("  (")[0] for line in lines if line.startswith(("✔", "✘"))]
    assert steps == ["✔ Include what says much", "✔ Include what waits", "✘ Include what fails"], said
    assert [line for line in lines if line.startswith("line ")] == [
        f"line {number} of the stage" for number in range(20)
    ]
    assert any(line.startswith("… Include what waits (") for line in lines) and MISSING in lines
    assert (
        "TASK [" not in said
        and "KeyError" not in said
        and "Traceback" not in said
        and "Callback" not in said
        and "WARNING" not in said
    ), said
    return True


def test_a_line_a_step_and_none_lost(tools, tmp_path):
    assert is_quiet(*run(tools, tmp_path, job_env={"ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage"}))


def test_the_examples_image_makes_it_quiet_in_a_container(tools, tmp_path):
    """The runner overrides ANSIBLE_STDOUT_CALLBACK of an image; a stand-in for podman gives the job the image's
    variables, then the runner's.
    """
    (tmp_path / "bin").mkdir()
    engine = tmp_path / "bin" / "podman"
    engine.write_text(f"#!{sys.executable}\nimport runpy\nrunpy.run_path({str(PODMAN)!r}, run_name='__main__')\n")
    engine.chmod(0o755)
    (tmp_path / "job").mkdir()
    words = ["--process-isolation", "--process-isolation-executable", "podman", "--container-image", "kafka-dr-ee"]
    image = {
        **image_env(),
        "PATH": f"{tools}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
    }
    env = {"PATH": f"{engine.parent}:{tools}:/usr/bin:/bin", "STAND_IN_IMAGE_ENV": json.dumps(image)}
    assert is_quiet(*run(tools, tmp_path / "job", *words, **env))
