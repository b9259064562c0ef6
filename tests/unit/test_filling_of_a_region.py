# SPDX-License-Identifier: GPL-3.0-or-later
"""While a failback fills a region, that region's own ledger says so, and once it is whole it says so no more; by the
role's own conditions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.returned import plan, returned

ROLE = Path(__file__).resolve().parents[2] / "roles" / "failback"
BEGUN = "Tell the region's own ledger that it is being filled"
DONE = "show | Tell the region's own ledger that the copy is whole"
NEW = {"id": "NEW", "offsets": {"0": {"start": 0, "end": 0}}}
HOLDS = {"id": "ID", "offsets": {"0": {"start": 0, "end": 7}}}
PROOF = {"topics": [{"topic": "orders", "verdict": "PROVEN", "partitions": {"0": {}}}]}


def tasks_of(file: str) -> list[dict[str, Any]]:
    return yaml.safe_load((ROLE / "tasks" / file).read_text())


def so(text: str, **known: Any) -> bool:
    """What an expression comes to, with the role's own variables."""
    given = yaml.safe_load((ROLE / "vars" / "main.yml").read_text())
    compiled = jinja2.Environment().compile_expression
    if "__failback_fills" in text:
        known["__failback_fills"] = compiled(given["__failback_fills"].strip("{} \n"))(**known)
    return bool(compiled(text)(**known))


def tells(file: str, name: str, **known: Any) -> bool:
    """Whether the task of this name is done."""
    return so(next(task["when"] for task in tasks_of(file) if task["name"] == name), **known)


def found(topics: dict[str, Any], proof: dict[str, Any] | None = None, there: tuple[str, ...] = ("orders",)) -> dict:
    """What a run has found, by the topics of the region and of the one that works."""
    state = returned("A", "A", topics, {"orders": "ID"}, {"orders": {"0": 7}})
    decided = plan(proof or {}, state["topics"])
    return {"__failback_plan": decided, "__failback_both": {"results": [{"topics": topics}, {"topics": [*there]}]}}


@pytest.mark.parametrize(
    ("known", "filled"),
    [
        # Empty, whether its topics were made anew or not; and without one topic that another one is kept beside.
        (found({}), True),
        (found({"orders": NEW}), True),
        (found({"orders": HOLDS}, PROOF, ("orders", "values")), True),
        (found({"orders": HOLDS}), True),
        (found({"orders": HOLDS}, PROOF), False),
        (found({}, there=()), False),
    ],
)
def test_the_ledger_is_told_of_whatever_is_copied_and_not_continued(known, filled):
    assert tells("filling.yml", f"filling | {BEGUN}", **known) is filled
    assert tells("show.yml", DONE, __failback_there={"filling": {}}, **known) is filled


def test_it_is_told_before_anything_is_deleted():
    names = [task["name"] for task in tasks_of("clear.yml")]
    assert names.index(f"clear | {BEGUN}") < names.index("clear | Remove the old mirror with its topics")


@pytest.mark.parametrize(
    ("cleared", "filling", "told"),
    [({"cleared": {}}, {}, True), ({"cleared": {}}, {"to": "na"}, False), ({}, {}, False)],
)
def test_a_run_that_goes_on_tells_what_was_deleted_by_hand_since(cleared, filling, told):
    """It deletes nothing itself any more; what is not there is copied."""
    assert tells("main.yml", BEGUN, ledger_done=cleared, __failback_there={"filling": filling}) is told


@pytest.mark.parametrize("filling", [{}, {"to": "na", "from": "eu", "stage": "failback"}])
def test_what_an_earlier_run_told_is_taken_back_at_the_end(filling):
    """Of topics that were deleted since, as the stage advises, nothing is left to be made again."""
    known = found({"orders": HOLDS}, PROOF)
    assert tells("show.yml", DONE, __failback_there={"filling": filling}, **known) is bool(filling)
