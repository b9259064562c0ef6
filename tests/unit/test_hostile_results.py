# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module answers is data to Ansible, by every way that the roles take with it, in the oldest and the newest
ansible-core that is promised here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
LINES = (
    "{%- set lines = [] -%}{%- for one in read.stdout_lines -%}"
    "{%- set dummy = lines.append('at ' ~ one ~ '.') -%}{%- endfor -%}{{ lines }}"
)
# As roles do it: facts, filters of the collection and of others, texts put together, loops, included tasks with
# variables, failures.
TASKS = [
    {
        "name": "Read",
        "ansible.builtin.command": {"argv": ["cat", "{{ playbook_dir }}/text"]},
        "register": "read",
        "changed_when": False,
    },
    {
        "name": "Keep",
        "ansible.builtin.set_fact": {
            "kept": "{{ read.stdout }}",
            "joined": "Topic {{ read.stdout }} is missing",
            "lines": LINES,
            "nested": "{{ {read.stdout: {'name': read.stdout ~ '.x'}} }}",
            "combined": "{{ {'a': 1} | combine({'b': read.stdout | regex_replace('zz', 'y')}) }}",
            "parsed": "{{ read.stdout_lines | to_json | from_json }}",
            "gated": "{{ [{'name': 'n', 'holds': false, 'message': read.stdout}] | streamsafe.kafka_dr.gate }}",
        },
    },
    {
        "name": "Say",
        "ansible.builtin.debug": {
            "msg": [
                "{{ kept }}",
                "{{ joined }}",
                "{{ lines }}",
                "{{ nested }}",
                "{{ combined.b }}",
                "{{ parsed }}",
                "{{ gated }}",
            ]
        },
    },
    {
        "name": "Loop",
        "ansible.builtin.debug": {"msg": "{{ item.key }} {{ item.value }}"},
        "loop": "{{ nested | dict2items }}",
    },
    {
        "name": "Include",
        "ansible.builtin.include_tasks": "included.yml",
        "vars": {"told": "{{ kept }}", "within": "{{ nested }}"},
    },
    {
        "name": "Refuse",
        "ansible.builtin.assert": {
            "that": ["lines | length == 0"],
            "fail_msg": "{{ gated.refusals | join(' ') }} {{ lines | join(' ') }}",
        },
        "ignore_errors": True,
    },
    {"name": "Fail", "ansible.builtin.fail": {"msg": "{{ joined }} {{ nested | to_json }}"}},
]
INCLUDED = [
    {"name": "Say", "ansible.builtin.debug": {"msg": "{{ told }} {{ within }} {{ combined }}"}},
    {"name": "Keep", "ansible.builtin.set_fact": {"again": "{{ told }}"}},
    {"name": "Say again", "ansible.builtin.debug": {"msg": "{{ again }}"}},
]


@pytest.fixture(params=["oldest", "installed"])
def playbook(request):
    """``ansible-playbook`` of the oldest ansible-core that is promised, or of the one that is installed."""
    if request.param == "installed":
        return Path(sys.executable).parent / "ansible-playbook"
    sys.path.append(str(ROOT / "tests" / "judges"))
    from places import JUDGES, environment

    return environment("runner", JUDGES / "requirements-runner.txt") / "ansible-playbook"


def test_a_text_of_somebody_elses_runs_nothing(playbook, tmp_path):
    hostile = '{{ lookup("pipe", "touch %s") }}' % (tmp_path / "ran")
    (tmp_path / "text").write_text(hostile + "\n")
    (tmp_path / "included.yml").write_text(yaml.safe_dump(INCLUDED))
    (tmp_path / "play.yml").write_text(
        yaml.safe_dump(
            [{"name": "Play", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": TASKS}]
        )
    )
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
    }
    words = [str(playbook), "-i", "localhost,", "play.yml", "-e", f"ansible_python_interpreter={sys.executable}"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2 and "Topic {{ lookup" in done.stdout and done.stdout.count("{{ lookup") > 8, (
        done.stdout + done.stderr
    )
    assert not (tmp_path / "ran").exists(), done.stdout
