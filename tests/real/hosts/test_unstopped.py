# SPDX-License-Identifier: GPL-3.0-or-later
"""An application that could not be stopped is left out of the start by whatever run makes the move's last steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.real.hosts.moved import AWAY, THERE, of_role, stage_tasks
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real
OWN = {"ledger_region": "eu", "ledger_stage": "failover", "ledger_about": "na to eu", "ledger_subject": "na"}
LEFT = {"ledger_left": "na", "ledger_left_answers": True}
FACTS = {
    "preflight_silent": {"machines": {}, "clusters": {}},
    "__failover_catches_up": False,
    "__failover_left": {},
    "__failover_taken": [],
    "__failover_source_ledger": {"skipped": True},
}


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    """Of two applications that work in na one cannot be stopped."""
    made = Told(tmp_path, ("na", "eu"), [THERE])
    made.starts_in("na", "stuck", "well")
    refuses = tmp_path / "refuses.yml"
    refuses.write_text(yaml.safe_dump([{"name": "stop", "ansible.builtin.fail": {"msg": "it does not end"}}]))
    made.hosts["na"]["kafka_dr_applications"][0]["stop_tasks"] = str(refuses)
    for application in made.hosts["na"]["kafka_dr_applications"]:
        application["principals"] = ["shop"]
    made.stage("na", "0", "failover", "eu to na")
    made.move("0", "na", tell=["eu"])
    made.entry("na", "0", "failover", "stage", "done", "eu to na")
    yield made
    made.down()


def run(regions: Told, named: bool, *tasks: dict[str, Any]) -> str:
    """A run that begins the stage, or goes on with it once its target is named."""
    begin = [
        {**of_role("ledger", file), "vars": {**OWN, **LEFT}} for file in ("read.yml", "elsewhere.yml", "begin.yml")
    ]
    know = {"name": "Know", "ansible.builtin.set_fact": {**FACTS, "__failover_named": named}}
    return regions.play([know, *begin, *tasks], failover_planned=False, **AWAY)


def test_one_that_goes_on_once_the_target_is_named_knows_it(regions):
    activate = of_role("failover", "activate.yml", public=True)
    said = run(regions, False, of_role("failover", "fence.yml"), activate)
    assert "NOT STOPPED, although its machine answers" in said and "application stuck" in said, said[-3000:]
    assert regions.known("eu")["active_region"] == "eu"

    (move,) = [task for task in stage_tasks() if task["name"] == "Move the applications"]
    said = run(regions, True, activate, move)
    assert "start well here" in said and "start stuck here" not in said, said[-3000:]
    assert "application stuck (it could not be stopped: it does not end)" in said, said[-3000:]
