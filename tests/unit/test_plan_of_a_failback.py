# SPDX-License-Identifier: GPL-3.0-or-later
"""A failback that was cut off after it had seeded the mirror goes on with what it was seeded with."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.stand_ins import REGIONS, ROOT, StandIns
from tests.unit.test_offsets_gone_of_a_move import proven

pytestmark = pytest.mark.slow
TELL = {"name": "Tell", "ansible.builtin.debug": {"msg": "KEPT {{ __failback_plan.kept | join('+') }} {{ again }}."}}
TELL["vars"] = {"again": "AGAIN {{ __failback_plan.again | join('+') }}"}


def plan(directory: Any, seeded: dict[str, Any] | None, there: tuple[str, ...]) -> str:
    """What the stage prints of its plan.

    :param seeded: what the step has found. :param there: topics of the region that is back.
    """
    tasks = yaml.safe_load((ROOT / "roles/failback/tasks/main.yml").read_text())
    keep = [task for task in tasks if task["name"] == "Keep what was decided"]
    assert len(keep) == 1
    world = StandIns(directory, {}, {"roles/failback/tasks/plan.yml": yaml.safe_dump([*keep, TELL])})
    compared = {
        "kept": ["bills", "orders"],
        "again": ["cards"],
        "proof": {"topics": [proven("bills"), proven("orders")]},
    }
    done = {"compared": {"found": compared}, "clearing": {}, **({"seeded": {"found": seeded}} if seeded else {})}
    given = {
        "ledger_done": done,
        "__failback_both": {"results": [{"topics": {name: {"id": "s"} for name in there}}]},
        "__failback_forgotten": False,
    }
    code, output = world.play("failback", "plan.yml", REGIONS, **given)
    assert code == 0, output
    return output.partition("KEPT ")[2].partition(".")[0]


@pytest.mark.parametrize(
    ("seeded", "there", "told"),
    [
        (None, ("bills", "orders"), "bills+orders AGAIN cards"),
        (None, ("orders",), "orders AGAIN bills+cards"),
        # It was deleted before the seeds, and copied since: the mirror did not continue it.
        ({"kept": ["orders"]}, ("bills", "orders"), "orders AGAIN bills+cards"),
        # It was deleted after the seeds, which is seen where the seeds are looked at.
        ({"kept": ["bills", "orders"]}, ("orders",), "bills+orders AGAIN cards"),
        # An older version did not say.
        ({}, ("orders",), "bills+orders AGAIN cards"),
    ],
    ids=["compared", "deleted", "copied", "seeded", "older"],
)
def test_a_topic_that_the_mirror_was_not_seeded_with_is_not_one_that_it_continues(tmp_path, seeded, there, told):
    done = seeded if seeded is None else {"partitions": 1, **seeded}
    assert plan(tmp_path, done, there) == told
