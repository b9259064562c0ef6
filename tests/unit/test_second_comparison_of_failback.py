# SPDX-License-Identifier: GPL-3.0-or-later
"""A failback ends over a difference only where it lasts: what was on its way is compared once more, and a run that is
not sure leaves the stage open. The role's own tasks, with a mirror, a proof's job and a ledger that answer from files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.stand_ins import REGIONS, StandIns, without_delays
from tests.unit.test_gates_of_stages import MIRROR

pytestmark = pytest.mark.slow
# Does what the proof's job does for the role: a summary, the next one each time.
JOB = """\
import json, pathlib, sys
words = dict(zip(sys.argv, sys.argv[1:]))
here = pathlib.Path(__file__).parent
jobs = here / "jobs"
with jobs.open("a") as file:
    bounds = pathlib.Path(words["--bounds"]).read_text() if "--bounds" in words else "{}"
    file.write(bounds.replace(chr(10), "") + chr(10))
proofs = json.loads((here / "proofs.json").read_text())
proof = proofs[min(len(jobs.read_text().splitlines()), len(proofs)) - 1]
if proof:
    pathlib.Path(words["--summary"]).write_text(json.dumps(proof))
pathlib.Path(words["--progress"]).write_text(json.dumps({"finished": True, "exit_code": 0}))
"""
LEDGER = {"head": {"hash": "h"}, "epoch": 3, "open": True, "done": {"failback": {}}, "ends": {}, "last": {}}


def proof(verdict: str, complete: bool = False, **counts: int) -> dict[str, Any]:
    part = {"source": [0, 9], "target": [0, 9], **counts}
    topic = {"topic": "orders", "target_topic": "orders", "verdict": verdict, "partitions": {"0": part}}
    more = {"totals": {}, "lost": {}, "report": "", "seconds": 1, "reasons": ["a reason"]}
    return {"verdict": verdict, "complete": complete, "topics": [topic], **more}


def mirrored(through: int) -> dict[str, Any]:
    row = {"topic": "orders", "partition": 0, "mirrored_through": through, "caught_up": through == 9}
    return {"partitions": [row], "exists": {"source_offsets": True}}


PROVEN, LOSS = proof("PROVEN", complete=True), proof("LOSS", missing_tail=2)
UNEQUAL, NOT_PROVABLE = proof("DIFFERENT"), proof("NOT_PROVABLE")
UNREAD = {"failed": True, "msg": "no answer"}


class Failback:
    """The end of a failback: its code, what it prints, and what it asked.

    :param proofs: what the job finds, one time after the other. :param mirror: how far the mirror came.
    """

    def __init__(self, directory: Path, proofs: list[dict[str, Any]], mirror: list[dict[str, Any]]) -> None:
        (directory / "job.py").write_text(JOB)
        (directory / "proofs.json").write_text(json.dumps(proofs))
        answers = {"mirror_offsets_info": mirror, "ledger_entry": [{"changed": True, "known": LEDGER}]}
        world = StandIns(directory, answers, without_delays("roles/failback/tasks/prove.yml"))
        begun = {"stage": "failback", "about": "na from eu", "subject": "na", "ledger": "eu"}
        given = {"failback_region": "na", "failback_from": "eu", "kafka_dr_mirrors": [MIRROR]}
        given |= {"ledger_known": LEDGER, "ledger_begun": begun, "ledger_run": "r", "ledger_heads": {"eu": "h"}}
        given |= {"proof_job": str(directory / "job.py"), "proof_workdir": str(directory / "work")}
        self.code, self.output = world.play("failback", "prove.yml", REGIONS, **given)
        jobs = directory / "jobs"
        self.bounds = [json.loads(line) for line in jobs.read_text().splitlines()] if jobs.exists() else []
        self.looks = world.asked("mirror_offsets_info")
        # Entries that end the stage so that the next run copies everything.
        entries = world.asked("ledger_entry")
        self.ended = [entry["found"] for entry in entries if entry["step"] == "stage"]
        self.proofs = [entry["state"] for entry in entries if entry["step"] == "proof"]


def test_a_whole_copy_is_compared_once(tmp_path):
    end = Failback(tmp_path, [PROVEN], [mirrored(9)])
    assert (end.code, end.ended, end.looks, end.bounds) == (0, [], [], [{}]), end.output


def test_what_was_on_its_way_does_not_end_a_failback(tmp_path):
    """The mirror comes there, and the same records are alike in the second comparison, which the ledger keeps."""
    end = Failback(tmp_path, [LOSS, PROVEN], [UNREAD, mirrored(8), mirrored(9)])
    assert (end.code, end.ended, end.proofs) == (0, [], ["different", "proven"]), end.output
    # Whoever writes on in the region that works does not keep the two apart for ever.
    assert end.bounds == [{}, {"source": {"orders": {"0": 9}}}]
    # The way back, with the source that tells whether a marker is all that is left.
    assert len(end.looks) == 3 and {(look["source_alias"], look["target_alias"]) for look in end.looks} == {
        ("eu", "na")
    }
    assert end.looks[0]["source_client"] == REGIONS["eu"]["kafka_dr_client"]


def test_a_difference_that_lasts_ends_the_stage_and_the_next_run_copies_anew(tmp_path):
    end = Failback(tmp_path, [LOSS, LOSS], [mirrored(9)])
    assert (end.code, end.ended, len(end.bounds)) == (2, [{"verdict": "LOSS"}], 2), end.output
    assert "na does not hold what eu held (LOSS)" in end.output
    assert "Find out who wrote or deleted there, and run this again: it stops the mirror" in end.output


@pytest.mark.parametrize(
    ("second", "words"),
    [(UNEQUAL, "Run this again: the mirror adds what is not there yet."), (NOT_PROVABLE, "It is not known whether na")],
    ids=["a partition that is not there yet", "not provable"],
)
def test_what_a_mirror_may_mend_or_nobody_knows_leaves_the_stage_open(tmp_path, second, words):
    end = Failback(tmp_path, [LOSS, second], [mirrored(9)])
    assert (end.code, end.ended, len(end.bounds)) == (2, [], 2) and words in end.output, end.output


@pytest.mark.parametrize(
    ("mirror", "words"),
    [(mirrored(8), "orders-0 at 8 of 9"), (UNREAD, "nobody knows how far it came")],
    ids=["behind", "not to be read"],
)
def test_a_mirror_that_does_not_come_there_is_no_difference(tmp_path, mirror, words):
    end = Failback(tmp_path, [LOSS], [mirror])
    assert (end.code, end.ended, len(end.bounds)) == (2, [], 1), end.output
    assert f"The mirror is behind ({words}): look at it with the playbook doctor, and run this again." in end.output


def test_where_nothing_could_be_compared_nothing_is_waited_for(tmp_path):
    end = Failback(tmp_path, [NOT_PROVABLE], [mirrored(9)])
    assert (end.code, end.ended, end.looks, len(end.bounds)) == (2, [], [], 1), end.output
    assert "It is not known whether na holds what eu held: a reason." in end.output
