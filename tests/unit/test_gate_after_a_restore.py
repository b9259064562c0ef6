# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a restore is given up, its runbook leads to a failover to the backup; the gate knows the state that the restore
left.
"""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import about

TASKS = Path(__file__).resolve().parents[2] / "roles" / "failover" / "tasks" / "preflight.yml"


def holds(**known):
    """Whether no gate finds the applications elsewhere, by the role's own expressions."""
    values = next(
        task["vars"] for task in yaml.safe_load(TASKS.read_text()) if "preflight_gates" in task.get("vars", {})
    )
    given = {
        "failover_source": "na",
        "failover_target": "eu",
        "__failover_again": False,
        "ledger_known": {"begun": {}, **known},
    }

    def so(text):
        text = text.replace("streamsafe.kafka_dr.stage_about", "stage_about")
        environment = jinja2.Environment()
        environment.filters["stage_about"] = about
        return environment.compile_expression(text.strip().removeprefix("{{").removesuffix("}}"))(**given)

    given["__failover_given_up"] = so(values["__failover_given_up"])
    given["__failover_elsewhere"] = so(values["__failover_elsewhere"])
    return so(next(one["holds"] for one in values["preflight_gates"] if one["name"] == "active_region"))


@pytest.mark.parametrize(
    ("known", "so"),
    [
        ({"active_region": "none", "begun": {"recreate_from_backup": {"about": "na from eu"}}}, True),
        ({"active_region": "none", "begun": {"recreate_from_backup": {"about": "asia from eu"}}}, False),
        ({"active_region": "none"}, False),
        ({"active_region": "eu", "begun": {"recreate_from_backup": {"about": "na from eu"}}}, False),
        ({"active_region": "na"}, True),
        ({"active_region": ""}, True),
    ],
)
def test_a_failover_out_of_a_restore(known, so):
    assert holds(**known) is so
