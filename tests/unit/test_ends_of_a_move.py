# SPDX-License-Identifier: GPL-3.0-or-later
"""The ends of a planned move keep the ids and ends of the topics at rest; an unplanned one asks no source."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow
ROLES = Path(__file__).resolve().parents[2] / "roles"
COPIED = {"target": {"orders": {"0": 7}}, "source": {"orders": {"0": 7}}}
AT_REST = {
    "topics": {
        "orders": {"id": "new", "partitions": 1, "offsets": {"0": {"start": 0, "end": 9, "stable": 8}}},
        "values": {"id": "v", "partitions": 1},
    }
}
SKIPPED = {"skipped": True, "changed": False}


KNOWN = {"mirror_copied": COPIED, "__failover_done": {}, "__failover_ends_before": {}}


def ends(directory: Path, **given: Any) -> dict[str, Any]:
    (task,) = [
        task
        for task in yaml.safe_load((ROLES / "failover" / "tasks" / "stop_mirror.yml").read_text())
        if task["name"] == "stop_mirror | Keep the ends"
    ]
    kept = directory / "ends.json"
    copy = {"content": "{{ __failover_ends | ansible.builtin.to_json }}", "dest": str(kept), "mode": "0600"}
    play = [{"hosts": "localhost", "gather_facts": False, "tasks": [task, {"ansible.builtin.copy": copy}]}]
    (directory / "play.yml").write_text(yaml.safe_dump(play))
    (directory / "given.json").write_text(json.dumps({**KNOWN, **given}))
    done = subprocess.run(
        [
            Path(sys.executable).parent / "ansible-playbook",
            directory / "play.yml",
            "-e",
            f"@{directory / 'given.json'}",
        ],
        check=False,
        cwd=directory,
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path())},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(kept.read_text())


@pytest.mark.parametrize(
    ("planned", "drained", "ids", "at_rest"),
    [(True, AT_REST, {"orders": "new", "values": "v"}, {"orders": {"0": 8}, "values": {}}), (False, SKIPPED, {}, {})],
)
def test_the_ids_and_ends_of_topics_at_rest_are_kept_with_the_ends(tmp_path, planned, drained, ids, at_rest):
    found = ends(tmp_path, failover_planned=planned, __failover_drained=drained)
    assert found == {**COPIED, "planned": planned, "topic_ids": ids, "at_rest": at_rest}


def test_a_move_that_is_made_again_and_again_keeps_when_the_first_one_stopped_the_mirror(tmp_path):
    """Whatever a mirror has written to the source came after that."""
    first, at = {**COPIED, "lost": {"total": 3}}, "2026-01-01T01:00:00Z"
    given = {"failover_planned": False, "__failover_drained": SKIPPED}
    second = ends(tmp_path, **given, __failover_ends_before={"at": at, "offset": 7, "found": first})
    assert (second["stopped_at"], second["stopped_offset"], second["lost"]) == (at, 7, {"total": None})
    later = {"at": "2026-01-01T03:00:00Z", "offset": 20}
    third = ends(tmp_path, **given, __failover_ends_before={**later, "found": second})
    assert third == second


def test_a_run_that_goes_on_keeps_the_ids_of_the_one_that_was_cut_off(tmp_path):
    """A topic that was made again between the two has another id by now."""
    before = {**COPIED, "planned": True, "topic_ids": {"orders": "old"}}
    found = ends(
        tmp_path, failover_planned=True, __failover_drained=AT_REST, __failover_done={"ends": {"found": before}}
    )
    assert found == before


LOST = {"total": 3, "topics": {"orders": 3}, "unknown": []}
UNKNOWN = {"total": None, "topics": {}, "unknown": []}
LOOKED = "2026-01-01T12:00:00Z"
USED = {"lost": UNKNOWN, "looked_at": LOOKED, "used_since": "2026-01-05T00:00:00Z"}


def reported(directory: Path, role: str, file: str, ends: dict[str, Any], **more: Any) -> str:
    """What the stage says of these ends."""
    given = {f"__{role}_ends": ends, "failover_source": "na", "failover_target": "eu", **more}
    given |= {"recreate_from_backup_region": "na", "recreate_from_backup_from": "eu"}
    told = [
        task
        for task in yaml.safe_load((ROLES / role / "tasks" / file).read_text())
        if f"__{role}_ends" in task.get("ansible.builtin.debug", {}).get("msg", "")
    ]
    play = [{"hosts": "localhost", "gather_facts": False, "vars": given, "tasks": told}]
    (directory / "play.yml").write_text(yaml.safe_dump(play))
    done = subprocess.run(
        [Path(sys.executable).parent / "ansible-playbook", directory / "play.yml"],
        check=False,
        cwd=directory,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("role", "file"), [("failover", "stop_mirror.yml"), ("recreate_from_backup", "stop_backup.yml")]
)
def test_a_loss_is_told_with_the_time_of_the_last_look(tmp_path, role, file):
    more = {"failover_planned": False}
    said = reported(tmp_path, role, file, {"lost": LOST, "looked_at": LOOKED}, **more)
    assert "3 records that the position witness saw in na were not copied" in said and f"({LOOKED})" in said
    said = reported(tmp_path, role, file, USED, **more)
    assert "All records" not in said and LOOKED in said
    assert "NOT KNOWN how much was lost: na was named the active region at 2026-01-05T00:00:00Z" in said


def test_a_planned_move_from_a_source_without_a_look_since_is_no_unknown_loss(tmp_path):
    said = reported(tmp_path, "failover", "stop_mirror.yml", USED, failover_planned=True)
    assert "NOT KNOWN" not in said and "All records" not in said
