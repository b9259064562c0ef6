# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the time of an unplanned failover goes, from the times of its steps."""

from __future__ import annotations

from typing import Any

# The step with which each part begins; what comes before the first of them are gates and the ledger.
BEGINS = {
    "mirror_stop": "Stop the mirror for good",
    "positions": "Commit the groups' positions in the target",
    "activation": "Verify that the lost source has not come back",
    "programs": "Move the applications",
}
PARTS = ("gates", *BEGINS, "first_record")


def rto_parts(stages: list[dict[str, Any]], lost_at: float, first_at: float) -> dict[str, float] | None:
    """Seconds of each of :data:`PARTS`, which add up to the RTO; None where no stage has these steps after the loss.

    :param stages: as :meth:`.playbook.Playbooks.steps`. :param lost_at: seconds since the epoch.
    :param first_at: when the first new record was processed.
    """
    for stage in stages:
        began = {step["name"]: step for step in stage["steps"] if step["began"] >= lost_at}
        if all(name in began for name in BEGINS.values()):
            moved = began[BEGINS["programs"]]
            marks = [lost_at, *(began[name]["began"] for name in BEGINS.values()), moved["began"] + moved["seconds"]]
            # Applications may work before the step that starts them ends.
            marks = [min(mark, first_at) for mark in marks] + [first_at]
            return {part: round(marks[at + 1] - marks[at], 2) for at, part in enumerate(PARTS)}
    return None
