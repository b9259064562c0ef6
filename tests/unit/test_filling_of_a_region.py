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

ROLE = Path(__file__).resolve().parents[2] / "roles" / "failback"
BEGUN = "Tell the region's own ledger that it is being filled"
DONE = "Tell the region's own ledger that the copy is whole"


def tasks_of(file: str) -> list[dict[str, Any]]:
    return yaml.safe_load((ROLE / "tasks" / file).read_text())


def so(text: str, **known: Any) -> bool:
    """What an expression comes to."""
    return bool(jinja2.Environment().compile_expression(text)(**known))


def tells(file: str, name: str, **known: Any) -> bool:
    """Whether the task of this name is done."""
    return so(next(task["when"] for task in tasks_of(file) if task["name"] == name), **known)


@pytest.mark.parametrize("file", ["filling.yml", "show.yml"])
def test_the_ledger_is_told_always(file):
    """Also where each topic is continued: what the other region got since then is not here until it is copied."""
    (task,) = [task for task in tasks_of(file) if task["name"].endswith((BEGUN, DONE))]
    assert "when" not in task


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


def test_who_says_that_it_is_whole_owns_the_stage_still():
    """Another run may fill the region anew by now."""
    names = [task["name"] for task in tasks_of("show.yml")]
    assert (
        names.index("show | Check that this run was not followed by another one") == names.index(f"show | {DONE}") - 1
    )


@pytest.mark.parametrize(
    ("done", "cleared_now", "removed"),
    [({}, {"deleted": []}, False), ({"cleared": {}}, {}, True), ({"cleared": {}, "seeded": {}}, {}, False)],
    ids=["this run has cleared", "seeded by half, or with another report", "seeded"],
)
def test_what_a_run_that_was_cut_off_had_seeded_goes_first(done, cleared_now, removed):
    """It would be taken for what another mirror wrote, by each run that follows."""
    known = {"ledger_done": done, "ansible_check_mode": False}
    known["__failback_deleted"] = cleared_now
    assert tells("turn.yml", "turn | Remove what a run that was cut off had seeded", **known) is removed
