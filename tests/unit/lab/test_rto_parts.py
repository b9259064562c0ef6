# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of an RTO add up to it, and follow the steps of the stage."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kafka_dr_lab import without_watch
from kafka_dr_lab.checks import proof_seconds
from kafka_dr_lab.rto_parts import BEGINS, PARTS, rto_parts

ROOT = Path(__file__).resolve().parents[3]


def steps(*times):
    """A stage of steps ``(name, began, seconds)``."""
    return [{"name": "Failover", "steps": [{"name": name, "began": at, "seconds": took} for name, at, took in times]}]


STAGE = (
    ("Check that the move is safe", 102.0, 5.0),
    (BEGINS["mirror_stop"], 108.0, 20.0),
    (BEGINS["positions"], 128.5, 4.0),
    (BEGINS["activation"], 133.0, 1.0),
    ("Name the target as the active region", 134.0, 2.0),
    (BEGINS["programs"], 136.0, 6.0),
    ("Wait until applications work in the target", 142.0, 3.0),
)


@pytest.mark.parametrize(("first_at", "last"), [(144.5, (6.0, 2.5)), (140.0, (4.0, 0.0))])
def test_they_add_up(first_at, last):
    found = rto_parts(steps(*STAGE), 100.0, first_at)
    assert tuple(found) == PARTS
    assert list(found.values()) == [8.0, 20.5, 4.5, 3.0, *last]
    assert sum(found.values()) == pytest.approx(first_at - 100.0)


def test_other_stages_are_not_divided():
    assert rto_parts(steps(*STAGE[:3]), 100.0, 150.0) is None
    assert rto_parts(steps(*STAGE), 110.0, 150.0) is None, "it had begun before the loss"


def test_the_stage_has_these_steps_in_this_order():
    names = [task["name"] for task in yaml.safe_load((ROOT / "roles/failover/tasks/main.yml").read_text())]
    places = [names.index(name) for name in BEGINS.values()]
    assert places == sorted(places)


def test_the_proof_after_a_loss_is_timed_by_its_step_of_that_stage():
    name = "Prove what was copied before the loss"
    before, after = ({"name": "failover", "steps": [{"name": name, "began": at, "seconds": 4.5}]} for at in (10, 30))
    other = {"name": "failover", "steps": [{"name": "Move the applications", "began": 31, "seconds": 9}]}
    assert proof_seconds([before, after, other], 20) == 4.5
    assert proof_seconds([before, other], 20) is None


def test_the_proof_without_a_watch_is_timed_by_the_step_of_the_role_proof():
    task = yaml.safe_load((ROOT / "roles/proof/tasks/main.yml").read_text())[0]
    stages = [{"name": "verify_restore", "steps": [{"name": task["name"], "began": 30, "seconds": 12.5}]}]
    assert proof_seconds(stages, 20, without_watch.STEP) == 12.5
    assert proof_seconds(stages, 20) is None, "another step"
