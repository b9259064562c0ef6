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


# What Kubernetes answered becomes a variable of the region, and each role's check of the inventory names it.
LEARNT = [
    TASKS[0],
    {
        "name": "Set the region's client",
        "ansible.builtin.set_fact": {"kafka_dr_client": {"bootstrap.servers": "{{ read.stdout }}"}},
        "delegate_to": "region",
        "delegate_facts": True,
    },
    {
        "name": "Check the inventory",
        "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight"},
        "vars": {"preflight_about": ["region"], "preflight_complete": False},
    },
]


def played(playbook, place, tasks):
    """Output and exit code of a play of these tasks."""
    place.joinpath("play.yml").write_text(
        yaml.safe_dump(
            [{"name": "Play", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}]
        )
    )
    place.joinpath("hosts.yml").write_text(
        yaml.safe_dump({"all": {"hosts": {"localhost": {}, "region": {"kafka_dr_platform": "managed"}}}})
    )
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
    }
    words = [str(playbook), "-i", "hosts.yml", "play.yml", "-e", f"ansible_python_interpreter={sys.executable}"]
    return subprocess.run(words, cwd=place, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_what_a_region_answered_runs_nothing_where_the_inventory_is_checked(playbook, tmp_path):
    # Three braces: a space put between the first two would leave a template.
    (tmp_path / "text").write_text('{{{ lookup("pipe","touch ran") }}\n')
    done = played(playbook, tmp_path, LEARNT)
    assert done.returncode == 2 and "found the text '{ { { lookup" in done.stdout, done.stdout + done.stderr
    assert not (tmp_path / "ran").exists(), done.stdout


def test_a_text_of_somebody_elses_runs_nothing(playbook, tmp_path):
    hostile = '{{ lookup("pipe", "touch %s") }}' % (tmp_path / "ran")
    (tmp_path / "text").write_text(hostile + "\n")
    (tmp_path / "included.yml").write_text(yaml.safe_dump(INCLUDED))
    done = played(playbook, tmp_path, TASKS)
    assert done.returncode == 2 and "Topic {{ lookup" in done.stdout and done.stdout.count("{{ lookup") > 8, (
        done.stdout + done.stderr
    )
    assert not (tmp_path / "ran").exists(), done.stdout
