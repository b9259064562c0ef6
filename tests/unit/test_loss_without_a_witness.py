# SPDX-License-Identifier: GPL-3.0-or-later
"""Where no position witness has told the source's ends, nobody knows what was lost, and an unplanned move says so."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.local_play import play_locally
from tests.support.role_files import ROLES, tasks

pytestmark = pytest.mark.slow
UNTOLD = "NOT KNOWN how much was lost: no position witness of mirror backup has told where na ended"
AT = 1767225600.0
NONE = {"exists": False, "at": None, "ends": None, "ends_at": None}
SILENT = {"exists": True, "at": AT, "ends": None, "ends_at": None}
SEEN = {"exists": True, "at": AT, "ends": {"orders": {"0": 9}}, "ends_at": AT}
BEFORE = {"at": "2026-01-01T01:00:00Z", "offset": 7, "found": {"target": {}, "source": {}}}


def reported(directory, witness: dict[str, Any], planned: bool = False, **more: Any) -> list[str]:
    """What the stage tells of a loss once its mirror is stopped, from what ``mirror_offsets_info`` says on.

    :param witness: as that module returns it.
    """
    names = ("stop | Keep the ends", "stop_mirror | Keep the ends")
    keep = [task for path in ("mirror/tasks/stop.yml", "failover/tasks/stop_mirror.yml") for task in of(path)]
    keep = [task for task in keep if task["name"] in names or task["name"].startswith("stop_mirror | Report ")]
    row = {"topic": "orders", "target_topic": "orders", "partition": 0, "mirrored_through": 7}
    given = {"failover_source": "na", "failover_target": "eu", "failover_planned": planned, "ledger_done": {}}
    given |= {"failover_mirror": {"name": "backup", "source": "na", "target": "eu", "topics": ["orders"]}}
    given |= {"__mirror_copied": {"partitions": [row], "conflicts": [], "witness": witness, "noted_at": None}}
    given |= {"mirror_described": "{{ failover_mirror }}", "credentials_revoked": {"removed": []}}
    given |= {"__failover_done": {}, "__failover_ends_before": {}, "ledger_known": {"active_region": ""}}
    done = play_locally(directory, keep, **{**given, **more})
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    return [line.removeprefix('"msg": ').strip('"') for line in lines if line.startswith('"msg": ')]


def of(path: str) -> list[dict[str, Any]]:
    return list(tasks(yaml.safe_load((ROLES / path).read_text())))


@pytest.mark.parametrize("witness", [NONE, SILENT], ids=["no witness", "one that saw no ends"])
def test_a_loss_that_no_witness_tells_is_unknown(tmp_path, witness):
    assert reported(tmp_path, witness) == [UNTOLD]


def test_a_loss_that_a_witness_tells_is_known(tmp_path):
    (line,) = reported(tmp_path, SEEN)
    assert line.startswith("2 records that the position witness saw in na were not copied to eu")


def test_a_planned_move_asks_the_source_itself(tmp_path):
    assert reported(tmp_path, NONE, planned=True) == []


@pytest.mark.parametrize(
    ("witness", "more", "words"),
    [
        (SEEN | {"made_again": ["orders"], "begun_again": []}, {}, "lost of orders: it was made again in na"),
        (
            SEEN,
            {"ledger_known": {"active_region": "na", "active_at": "2026-01-05T00:00:00Z"}},
            "na was named the active",
        ),
        (NONE, {"__failover_ends_before": BEFORE}, "an earlier move stopped the mirror at 2026-01-01T01:00:00Z"),
    ],
    ids=["made again", "used since", "stopped before"],
)
def test_another_reason_is_told_alone(tmp_path, witness, more, words):
    """A witness that told something is not blamed, nor is one that an earlier move made useless."""
    (line,) = reported(tmp_path, witness, **more)
    assert line.startswith("NOT KNOWN how much was lost") and words in line and "no position witness" not in line
