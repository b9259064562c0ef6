# SPDX-License-Identifier: GPL-3.0-or-later
"""When an unplanned move reports what is gone from its target, and a restore refuses to go on within a topic."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.restore import replaced
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.whole import shorter

ROLES = Path(__file__).resolve().parents[2] / "roles"


def with_records(topics):
    return [
        name for name, topic in topics.items() if any(part["end"] > part["start"] for part in topic["offsets"].values())
    ]


def judged(path, name, **given):
    """What a task of a role decides of these values, by its own expressions."""
    (task,) = [task for task in yaml.safe_load((ROLES / path).read_text()) if task["name"] == name]
    environment = jinja2.Environment()
    environment.filters.update(bool=bool, copies_shorter=shorter, restore_replaced=replaced, with_records=with_records)
    environment.filters["mirror_copies"] = lambda _mirror: ".*"

    def so(text):
        return environment.compile_expression(
            text.replace("streamsafe.kafka_dr.", "").strip().removeprefix("{{").removesuffix("}}").strip()
        )(**given)

    given.update({variable: so(text) for variable, text in task["vars"].items()})
    return so(task["ansible.builtin.assert"]["that"] if "ansible.builtin.assert" in task else task["when"])


def test_a_topic_that_the_mirror_leaves_out_by_now_is_not_missed():
    held = {"orders": {"0": 7}, "orders.old": {"0": 5}}
    assert shorter({"orders": {"0": 7}}, held) == ["orders.old-0 is not there"]
    assert shorter({"orders": {"0": 7}}, held, "(?!orders[.]old$)orders.*") == []


@pytest.mark.parametrize(
    ("now", "planned", "active", "reported"),
    [
        ({"orders": {"0": 9}}, False, "na", False),
        ({"orders": {"0": 8}}, False, "na", True),
        ({}, False, "na", True),
        # A planned move refuses instead.
        ({}, True, "na", False),
        # Applications write, and delete, in the target by then.
        ({}, False, "eu", False),
    ],
)
def test_an_unplanned_move_reports_what_is_gone(now, planned, active, reported):
    given = {
        "mirror_copied": {"target": now},
        "failover_planned": planned,
        "failover_target": "eu",
        "ledger_known": {"active_region": active},
    }
    given["__failover_ends"] = {"target": {"orders": {"0": 9}}}
    found = judged(
        "failover/tasks/stop_mirror.yml", "stop_mirror | Report what is gone since the mirror stopped", **given
    )
    assert found is reported


BEGUN = {"bills": "b", "orders": "o"}


def held(**topics):
    return {name: {"id": tid, "offsets": {"0": {"start": 0, "end": end}}} for name, (tid, end) in topics.items()}


@pytest.mark.parametrize(
    ("topics", "anew", "goes_on"),
    [
        (held(bills=("b", 5), orders=("o", 5)), False, True),
        # One was deleted, or made again, beside one that has records.
        (held(bills=("b", 5)), False, False),
        (held(bills=("b", 5), orders=("other", 0)), False, False),
        # As the refusal advises.
        ({}, True, True),
        (held(bills=("other", 0)), True, True),
        # The mirror was still at work.
        (held(bills=("b", 5), orders=("o", 5)), True, False),
    ],
)
def test_a_restore_goes_on_only_with_the_topics_that_it_began_with(topics, anew, goes_on):
    found = judged(
        "recreate_from_backup/tasks/bring_back.yml",
        "bring_back | Refuse to go on in the midst of a topic",
        __recreate_from_backup_ready={"topics": topics},
        __recreate_from_backup_anew=anew,
        ledger_done={"bringing_back": {"found": {"topics": BEGUN}}},
    )
    assert found is goes_on
