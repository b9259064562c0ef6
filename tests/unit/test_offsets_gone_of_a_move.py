# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move that goes on after it was cut off looks whether the mirror that it turned round has its offsets. Where
they are gone, it would copy everything to the source once more: it is not started, and the stage says what leads on.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.stand_ins import REGIONS, ROOT, StandIns
from tests.unit.test_gates_of_stages import MIRROR

pytestmark = pytest.mark.slow
# The end of the stage, by its own tasks; of what starts the mirror and waits for it, only that it was begun is seen.
PARTS = ("goes_on.yml", "protect.yml", "await_protected.yml", "show.yml")
SEEN = [{"name": "Tell that it was begun", "ansible.builtin.debug": {"msg": "THE MIRROR IS STARTED"}}]
MESSAGE = (
    "NOT PROTECTED: the offsets of backup-back are gone from na, so that it would copy everything there once more. "
)


def holding(end: int) -> dict[str, Any]:
    return {"topics": {"orders": {"id": "t", "partitions": 1, "offsets": {"0": {"start": 0, "end": end}}}}}


class Move:
    """The end of a planned move: its code, what it prints, and what it asked.

    :param there: whether the mirror's offsets are. :param end: of the source's topic. :param steps: of the ledger.
    """

    def __init__(self, directory: Path, there: bool, end: int = 9, steps: tuple[str, ...] = (), **more: Any) -> None:
        done = {"failover": {step: {"found": {}} for step in ("turned", *steps)}}
        known = {"head": {"hash": "h"}, "epoch": 3, "open": True, "done": done, "active_region": "eu", "last": {}}
        answers = {
            "mirror_offsets_info": [{"exists": {"source_offsets": there, "witness": True}, "partitions": []}],
            "cluster_info": [holding(end)],
            "ledger_entry": [{"changed": True, "known": known}],
        }
        tasks = yaml.safe_load((ROOT / "roles/failover/tasks/main.yml").read_text())
        last = [task for task in tasks if task.get("ansible.builtin.include_tasks") in PARTS]
        assert len(last) == len(PARTS)
        files = {"the_end.yml": last, "protect.yml": SEEN, "await_protected.yml": []}
        world = StandIns(
            directory, answers, {f"roles/failover/tasks/{name}": yaml.safe_dump(text) for name, text in files.items()}
        )
        begun = {"stage": "failover", "about": "na to eu", "subject": "na", "ledger": "eu"}
        given = {"failover_source": "na", "failover_target": "eu", "failover_planned": True}
        given |= {"kafka_dr_mirrors": [MIRROR], "__failover_source": {"reachable": True, "error": ""}}
        given |= {"ledger_known": known, "ledger_done": done["failover"], "ledger_begun": begun, "ledger_run": "r"}
        given |= {
            "ledger_heads": {"eu": "h"},
            "__failover_catches_up": False,
            "__failover_seeded": {},
            "__failover_left": {},
        }
        given |= {"mirror_unreached": {}, "applications_unreached": {}, "applications_summary": "shop works there"}
        self.code, self.output = world.play("failover", "the_end.yml", REGIONS, **{**given, **more})
        self.started = "THE MIRROR IS STARTED" in self.output
        self.looks, self.read = world.asked("mirror_offsets_info"), world.asked("cluster_info")


def test_a_mirror_whose_offsets_are_gone_is_not_started_and_failback_leads_on(tmp_path):
    move = Move(tmp_path, there=False)
    assert move.code == 0 and not move.started, move.output
    assert f"{MESSAGE}Run failback." in move.output, move.output
    (look,), (read,) = move.looks, move.read
    # Of the mirror that leads back, in the region that it writes to.
    assert (look["source_alias"], look["target_alias"]) == ("eu", "na")
    assert (look["target_client"], read["client"]) == (REGIONS["na"]["kafka_dr_client"],) * 2
    assert re.fullmatch(read["topics"], "orders") and not re.fullmatch(read["topics"], "bills")
    assert "offsets" in read["read"]


def test_offsets_that_are_there_are_all_that_is_asked(tmp_path):
    move = Move(tmp_path, there=True)
    assert move.code == 0 and move.started and "NOT PROTECTED" not in move.output, move.output
    assert (len(move.looks), move.read) == (1, [])
    assert "backup-back copies it to na, nothing was copied again." in move.output


def test_into_a_source_that_holds_nothing_nothing_is_copied_a_second_time(tmp_path):
    move = Move(tmp_path, there=False, end=0)
    assert move.code == 0 and move.started and "NOT PROTECTED" not in move.output, move.output


def test_what_this_run_has_seeded_is_not_looked_at_again(tmp_path):
    move = Move(tmp_path, there=False, __failover_seeded={"partitions": 1})
    assert move.code == 0 and move.started and move.looks == [], move.output


def test_where_the_mirror_was_started_before_initial_setup_leads_on_and_no_mirror_is_said_to_go_on(tmp_path):
    """failback refuses such a region."""
    move = Move(tmp_path, there=False, steps=("protecting",))
    assert move.code == 0 and not move.started, move.output
    assert f"{MESSAGE}Run initial_setup from eu to na, which names the topics to delete there first." in move.output


def test_a_machine_that_does_not_answer_is_to_be_mended_first_and_the_mirror_goes_on(tmp_path):
    silent = {"machines": {"na": "no answer"}, "clusters": {}}
    move = Move(tmp_path, there=False, steps=("protecting",), preflight_silent=silent)
    assert move.code == 0 and not move.started and move.looks == [], move.output
    words = (
        "NOT PROTECTED: na does not answer. Once that is mended, run initial_setup from eu to na: its mirror goes on."
    )
    assert words in move.output, move.output
