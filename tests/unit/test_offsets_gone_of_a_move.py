# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move that goes on after it was cut off looks whether the mirror that it turned round has its offsets, and
its topics. Otherwise it would copy everything to the source once more, or only what is new: it is not started, and the
stage says what leads on.
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


def holding(end: int, topic_id: str = "s") -> dict[str, Any]:
    return {"topics": {"orders": {"id": topic_id, "partitions": 1, "offsets": {"0": {"start": 0, "end": end}}}}}


def copied(through: int, partition: int = 0, topic: str = "orders") -> dict[str, Any]:
    return {"topic": topic, "partition": partition, "target_topic": topic, "mirrored_through": through}


def proven(topic: str, partitions: int = 1) -> dict[str, Any]:
    parts = {str(number): {"source": [0, 9], "target": [0, 9]} for number in range(partitions)}
    ids = {"source_topic_id": "s", "target_topic_id": "t"}
    return {"topic": topic, "target_topic": topic, **ids, "partitions": parts}


PROOF = {"complete": True, "topics": [proven("orders")]}

# What the stage knows by then.
GIVEN = {
    "failover_source": "na",
    "failover_target": "eu",
    "failover_planned": True,
    "kafka_dr_mirrors": [MIRROR],
    "ledger_begun": {"stage": "failover", "about": "na to eu", "subject": "na", "ledger": "eu"},
    "ledger_run": "r",
    "ledger_heads": {"eu": "h"},
    "proof_result": PROOF,
    "mirror_unreached": {},
    "applications_unreached": {},
    "applications_summary": "shop works there",
    "__failover_source": {"reachable": True, "error": ""},
    "__failover_catches_up": False,
    "__failover_seeded": {},
    "__failover_unseeded": [],
    "__failover_left": {},
}


def the_end() -> dict[str, str]:
    """The tasks of the stage that are played, by path."""
    tasks = yaml.safe_load((ROOT / "roles/failover/tasks/main.yml").read_text())
    last = [task for task in tasks if task.get("ansible.builtin.include_tasks") in PARTS]
    assert len(last) == len(PARTS)
    files = {"the_end.yml": last, "protect.yml": SEEN, "await_protected.yml": []}
    return {f"roles/failover/tasks/{name}": yaml.safe_dump(text) for name, text in files.items()}


class Move:
    """The end of a planned move: its code, what it prints, and what it asked.

    :param there: rows of the mirror's offsets; None where their topic is not.
    :param source, target: what the regions hold. :param steps: of the ledger. :param seeded: partitions, by the ledger.
    """

    def __init__(
        self,
        directory: Path,
        there: list[dict[str, Any]] | None,
        source: dict[str, Any] | None = None,
        target: dict[str, Any] | None = None,
        steps: tuple[str, ...] = (),
        seeded: int = 1,
        **more: Any,
    ) -> None:
        done = {"failover": {step: {"found": {"partitions": seeded}} for step in ("turned", *steps)}}
        known = {"head": {"hash": "h"}, "epoch": 3, "open": True, "done": done, "active_region": "eu", "last": {}}
        answers = {
            "mirror_offsets_info": [
                {"exists": {"source_offsets": there is not None, "witness": True}, "partitions": there or []}
            ],
            "cluster_info": [source or holding(9), target or holding(9, "t")],
            "ledger_entry": [{"changed": True, "known": known}],
        }
        world = StandIns(directory, answers, the_end())
        given = {**GIVEN, "ledger_known": known, "ledger_done": done["failover"], **more}
        self.code, self.output = world.play("failover", "the_end.yml", REGIONS, **given)
        self.started = "THE MIRROR IS STARTED" in self.output
        self.looks, self.read = world.asked("mirror_offsets_info"), world.asked("cluster_info")


def test_a_mirror_whose_offsets_are_gone_is_not_started_and_failback_leads_on(tmp_path):
    move = Move(tmp_path, there=None)
    assert move.code == 0 and not move.started, move.output
    assert f"{MESSAGE}Run failback." in move.output, move.output
    (look,), (read, other) = move.looks, move.read
    # Of the mirror that leads back, in the region that it writes to.
    assert (look["source_alias"], look["target_alias"]) == ("eu", "na")
    assert (look["target_client"], read["client"]) == (REGIONS["na"]["kafka_dr_client"],) * 2
    assert re.fullmatch(read["topics"], "orders") and not re.fullmatch(read["topics"], "bills")
    assert "offsets" in read["read"] and other["client"] == REGIONS["eu"]["kafka_dr_client"]


def test_a_mirror_with_its_offsets_and_its_topics_is_started(tmp_path):
    """Also where the mirror had copied more, and where the target's topic was deleted by its owner."""
    move = Move(tmp_path, there=[copied(9)], source=holding(20), target={"topics": {}})
    assert move.code == 0 and move.started and "NOT PROTECTED" not in move.output, move.output
    assert len(move.looks) == 1
    assert "backup-back copies it to na, nothing was copied again." in move.output


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ([copied(9), copied(4, 0, "bills")], "orders-1 is gone, and was 9 at least"),
        ([copied(9), copied(2, 1)], "orders-1 is 2, and was 9 at least"),
    ],
    ids=["gone", "set back"],
)
def test_seeds_of_which_a_part_is_there_are_none(tmp_path, there, words):
    """Rows of what the mirror has copied since make up for none."""
    both = {"0": {"start": 0, "end": 9}, "1": {"start": 0, "end": 9}}
    source = {"topics": {"orders": {"id": "s", "partitions": 2, "offsets": both}}}
    proof = {**PROOF, "topics": [proven("orders", 2)]}
    move = Move(tmp_path, there, source=source, seeded=2, proof_result=proof)
    assert move.code == 0 and not move.started, move.output
    assert f"NOT PROTECTED: the mirror's offset of {words}. Run failback." in move.output, move.output


def test_what_the_mirror_leaves_out_by_now_is_not_missed(tmp_path):
    """Its patterns mean the topic no more, so that nothing of it is read."""
    proof = {**PROOF, "topics": [proven("logs"), *PROOF["topics"]]}
    move = Move(tmp_path, there=[copied(9)], seeded=2, proof_result=proof)
    assert move.code == 0 and move.started and "NOT PROTECTED" not in move.output, move.output


def test_where_the_ledger_has_the_proof_no_more_nobody_knows_what_the_mirror_goes_on_from(tmp_path):
    """An unplanned move that goes on with a planned one forgets what was compared."""
    move = Move(tmp_path, there=[copied(9)], proof_result={}, failover_planned=False)
    assert move.code == 0 and not move.started, move.output
    words = "NOT PROTECTED: the ledger does not say any more what backup-back was seeded with. Run failback."
    assert words in move.output, move.output


@pytest.mark.parametrize(
    ("world", "words"),
    [
        ({"source": {"topics": {}}}, "orders is not there"),
        ({"source": holding(3)}, "orders-0 ends at 3, and was proven to 9"),
        ({"source": holding(9, "other")}, "orders is another topic than the one that was compared"),
        ({"target": holding(9, "other")}, "orders was deleted or made again in the region that works"),
    ],
    ids=["deleted", "cut", "made again", "made again in the target"],
)
def test_a_topic_that_is_no_more_what_was_proven_keeps_the_mirror_from_being_started(tmp_path, world, words):
    move = Move(tmp_path, there=[copied(9)], **world)
    assert move.code == 0 and not move.started, move.output
    assert f"NOT PROTECTED: {words}. Run failback." in move.output, move.output


def test_into_a_source_that_holds_nothing_nothing_is_copied_a_second_time(tmp_path):
    move = Move(tmp_path, there=None, source=holding(0), proof_result={})
    assert move.code == 0 and move.started and "NOT PROTECTED" not in move.output, move.output


def test_what_this_run_has_seeded_is_not_looked_at_again(tmp_path):
    move = Move(tmp_path, there=None, __failover_seeded={"partitions": 1})
    assert move.code == 0 and move.started and move.looks == [], move.output


def test_where_the_mirror_was_started_before_initial_setup_leads_on_and_no_mirror_is_said_to_go_on(tmp_path):
    """failback refuses such a region."""
    move = Move(tmp_path, there=None, steps=("protecting",))
    assert move.code == 0 and not move.started, move.output
    assert f"{MESSAGE}Run initial_setup from eu to na, which says what to remove there first." in move.output


def test_a_machine_that_does_not_answer_is_to_be_mended_first_and_the_mirror_may_go_on(tmp_path):
    silent = {"machines": {"na": "no answer"}, "clusters": {}}
    move = Move(tmp_path, there=None, steps=("protecting",), preflight_silent=silent)
    assert move.code == 0 and not move.started and move.looks == [], move.output
    words = (
        "NOT PROTECTED: na does not answer. Once that is mended, run initial_setup from eu to na, which starts its "
        "mirror again if that can go on."
    )
    assert words in move.output, move.output
