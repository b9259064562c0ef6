# SPDX-License-Identifier: GPL-3.0-or-later
"""The ends of a planned move keep the ids that the source's topics had at rest; an unplanned one asks no source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.slow
ROLES = Path(__file__).resolve().parents[2] / "roles"
COPIED = {"target": {"orders": {"0": 7}}, "source": {"orders": {"0": 7}}}
AT_REST = {"topics": {"orders": {"id": "new", "partitions": 1}, "values": {"id": "v", "partitions": 1}}}
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
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(kept.read_text())


@pytest.mark.parametrize(
    ("planned", "drained", "ids"), [(True, AT_REST, {"orders": "new", "values": "v"}), (False, SKIPPED, {})]
)
def test_the_ids_of_topics_are_kept_with_the_ends(tmp_path, planned, drained, ids):
    found = ends(tmp_path, failover_planned=planned, __failover_drained=drained)
    assert found == {**COPIED, "planned": planned, "topic_ids": ids}


def test_a_move_that_is_made_again_and_again_keeps_when_the_first_one_stopped_the_mirror(tmp_path):
    """Whatever a mirror has written to the source came after that."""
    first, at = {**COPIED, "lost": {"total": 3}}, "2026-01-01T01:00:00Z"
    given = {"failover_planned": False, "__failover_drained": SKIPPED}
    second = ends(tmp_path, **given, __failover_ends_before={"at": at, "found": first})
    assert (second["stopped_at"], second["lost"]) == (at, {"total": None})
    third = ends(tmp_path, **given, __failover_ends_before={"at": "2026-01-01T03:00:00Z", "found": second})
    assert third == second


def test_a_run_that_goes_on_keeps_the_ids_of_the_one_that_was_cut_off(tmp_path):
    """A topic that was made again between the two has another id by now."""
    before = {**COPIED, "planned": True, "topic_ids": {"orders": "old"}}
    found = ends(
        tmp_path, failover_planned=True, __failover_drained=AT_REST, __failover_done={"ends": {"found": before}}
    )
    assert found == before
