# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor asks about the groups whose positions the mirror carries, as the mirror itself is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import compile_filter
from tests.support.local_play import play_locally

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
MIRROR = {"name": "backup", "source": "na", "target": "eu"}
MIRRORS = {
    "a list": {"groups_exclude": ["audit-.*", "nightly"]},
    "a text": {"groups_exclude": "audit-.*, nightly"},
    "commas": {"groups": ["shop[,;]eu"]},
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """By mirror, a predicate on the groups that the doctor looks at, from what the role's own task comes to."""
    tasks = yaml.safe_load((ROOT / "roles" / "doctor" / "tasks" / "each.yml").read_text())
    (task,) = (task for task in tasks if "streamsafe.kafka_dr.mirror_doctor_info" in task)
    options = {key: task["streamsafe.kafka_dr.mirror_doctor_info"][key] for key in ("groups", "groups_exclude")}
    directory = tmp_path_factory.mktemp("doctor")
    tasks = [
        {
            "ansible.builtin.copy": {"dest": str(directory / name), "content": "{{ options | to_json }}"},
            "vars": {"__doctor_mirror": {**MIRROR, **more}, "options": options},
        }
        for name, more in MIRRORS.items()
    ]
    done = play_locally(directory, tasks)
    assert done.returncode == 0, done.stdout + done.stderr

    def of(name):
        told = json.loads((directory / name).read_text())
        exclude = told["groups_exclude"]
        # As the module makes a list of a text.
        return compile_filter(told["groups"], exclude.split(",") if isinstance(exclude, str) else exclude)

    return of


@pytest.mark.parametrize("name", ["a list", "a text"])
def test_groups_that_the_mirror_leaves_out_are_not_missed(asked, name):
    groups = ["audit-1", "nightly", "console-consumer-7", "connect-sink", "shop"]
    assert [group for group in groups if asked(name)(group)] == ["shop"]


def test_a_comma_in_a_pattern_is_part_of_it(asked):
    assert asked("commas")("shop,eu")
