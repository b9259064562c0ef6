# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledger tells of a stage."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.junit import junit
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.page import render
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.stage import report_of
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES

from .reports import CUT, MOVE, NOW, RUN, entries, entry


def test_a_run_that_went_on_from_one_that_was_cut_off_is_told_as_one():
    told = report_of(entries(), "failover")
    assert (told["verdict"], told["runs"], told["seconds"], told["overrides"]) == (
        "done",
        [CUT, RUN],
        38,
        ["mirror_alive"],
    )
    assert [one["name"] for one in told["steps"]] == [
        "begun",
        "ends",
        "begun",
        "positions",
        "active_region",
        "proof",
        "ended",
    ]
    assert [one["seconds"] for one in told["steps"]] == [0, 7, 10, 4, 2, 14, 1]
    assert (
        told["lost"]["total"] == 66
        and told["positions"]["reprocess_at_most"] == 3
        and told["proofs"][0]["verdict"] == "PROVEN"
    )


def planned(*later):
    """A planned move whose last entries but the end are these."""
    proof = {"verdict": "PROVEN", "source": "north_america", "target": "europe", "report": "/r"}
    return [
        entry("stage", "started", 20, about=MOVE, found={"planned": True}),
        entry("ends", "done", 21, found={"lost": {"total": 0, "topics": {}}}),
        entry("proof", "proven", 22, found=proof),
        *later,
        entry("stage", "done", 41, about=MOVE, found={"planned": True}),
    ]


def failures(told):
    return [case.get("name") for case in ElementTree.fromstring(junit(told)).iter("testcase") if len(case)]


def test_what_a_move_was_accepted_to_lack_is_told_above_all():
    rows = [{"topic": "orders", "partition": 0, "begin": 7, "records": 3}]
    late = {"accepted": True, "total": 3, "exact": True, "late": rows, "what": "orders-0 has 3 from offset 7"}
    told = report_of(planned(entry("late_records", "done", 30, found=late)))
    assert told["lost"] == {"total": 3, "topics": {"orders": 3}} and failures(told) == ["left_behind"]
    page = render(told)
    assert "DIFFERENT" in page and "orders-0 has 3 from offset 7" in page
    unknown = report_of(planned(entry("late_records", "done", 30, found={**late, "exact": False})))
    assert unknown["lost"]["total"] is None and "unknown" in render(unknown)
    gone = report_of(planned(entry("gone", "done", 30, found={"topics": [f"orders-{at} is cut" for at in range(9)]})))
    assert failures(gone) == ["left_behind"] and gone["lost"]["total"] is None
    assert "orders-4 is cut and 4 more" in render(gone)
    whole = report_of(planned(entry("late_records", "done", 30, found={"accepted": False, "total": 0})))
    assert failures(whole) == [] and whole["left_behind"] == [] and "DIFFERENT" not in render(whole)


def test_the_end_of_a_stage_is_believed_before_what_its_steps_say():
    known = planned()
    known[-1]["found"] = {"planned": False, "verdict": "LOSS", "lost": {"total": None}}
    told = report_of(known)
    assert told["lost"] == {"total": None}
    assert "DIFFERENT" in render(told) and "The move ended with the verdict LOSS." in render(told)


@pytest.mark.parametrize(("verdict", "tone"), [("LOSS", "failure"), ("NOT_PROVABLE", "error"), ("PROVEN", None)])
def test_a_run_that_catches_up_says_how_the_move_ended(verdict, tone):
    known = [
        entry("stage", "started", 1, about=MOVE),
        entry("stage", "done", 2, about=MOVE, found={"verdict": verdict}),
    ]
    told = report_of(known)
    cases = ElementTree.fromstring(junit(told)).iter("testcase")
    assert [case[0].tag for case in cases if len(case)] == ([tone] if tone else [])
    assert (f"The move ended with the verdict {verdict}." in render(told)) == bool(tone)


def test_what_a_planned_run_left_behind_is_no_figure_of_the_unplanned_one_that_goes_on():
    rows = [{"topic": "orders", "partition": 0, "begin": 7, "records": 3}]
    known = planned(
        entry("late_records", "done", 30, found={"accepted": True, "total": 3, "exact": True, "late": rows})
    )
    known[-1]["found"] = {"planned": False, "lost": {"total": None}}
    known.insert(-1, entry("stage", "started", 35, about=MOVE, found={"planned": False}))
    assert report_of(known)["lost"] == {"total": None}


@pytest.mark.parametrize("cut", [True, False])
def test_the_page_of_a_run_at_work_gives_no_figure_of_the_planned_one_that_it_goes_on_with(cut):
    first = [entry("stage", "started", 1, run=CUT, about=MOVE, found={"planned": True})]
    first.append(entry("ends", "done", 2, run=CUT, found={"planned": True, "lost": {"total": 0}}))
    then = entry("stage", "started", 3, about=MOVE, found={"planned": False})
    told = report_of([*first, then] if cut else first)
    assert told["lost"]["total"] == (None if cut else 0) and ("unknown" in render(told)) == cut


def test_no_count_of_late_records_stands_beside_a_loss_that_was_shown():
    rows = [{"topic": "orders", "partition": 0, "begin": 7, "records": 3}]
    late = entry("late_records", "done", 30, found={"accepted": True, "total": 3, "exact": True, "late": rows})
    loss = {"source": "north_america", "target": "europe", "verdict": "LOSS", "report": "/r"}
    for known in (
        planned(late, entry("proof", "different", 31, found=loss)),
        planned(entry("proof", "different", 31, found=loss)),
    ):
        for some in (known, known[:-1]):
            told = report_of(some)
            assert told["lost"]["total"] is None and "unknown" in render(told)


@pytest.mark.parametrize(
    ("seen", "late", "total"),
    [
        # A witness counts the marker of a transaction, and some of what came late.
        (1, {"accepted": False, "total": 0, "exact": True}, 0),
        (3, {"accepted": True, "total": 5, "exact": True, "late": [{"topic": "orders", "records": 5}]}, 5),
        (None, {"accepted": True, "total": 5, "exact": True, "late": [{"topic": "orders", "records": 5}]}, 5),
        # What came late may have expired since.
        (5, {"accepted": False, "total": 0, "exact": False}, 5),
    ],
)
def test_the_source_itself_is_believed_before_its_witness(seen, late, total):
    known = planned(entry("late_records", "done", 30, found=late))
    known[1]["found"] = {"planned": True, "lost": {"total": seen, "topics": {"orders": seen}}}
    for some in (known, known[:-1]):
        lost = report_of(some)["lost"]
        assert (lost["total"], lost["topics"]) == (total, {"orders": 5} if total else {})
    assert report_of([*known[:-1], {**known[-1], "found": {"lost": {"total": 7}}}])["lost"]["total"] == (
        total if late["accepted"] else 7
    ), "the end of the stage knows more"


def test_what_a_planned_run_saw_of_the_source_counts_no_more_after_an_unplanned_one():
    """Planned and cut off, unplanned and cut off, planned to the end: nobody knows whether the source was used between."""
    proof = entry("proof", "proven", 23, found={"source": "north_america", "target": "europe", "verdict": "PROVEN"})
    known = planned(entry("late_records", "done", 24, found={"accepted": False, "total": 0, "exact": True}), proof)
    known[-1]["found"] = {"planned": True, "lost": {"total": None}}
    unplanned = entry("stage", "started", 30, about=MOVE, found={"planned": False})
    again = entry("stage", "started", 35, about=MOVE, found={"planned": True})
    assert report_of(known[:-1])["lost"]["total"] == 0
    told = report_of([*known[:-1], unplanned, again, known[-1]])
    assert told["lost"]["total"] is None and "it was complete" not in render(told)
    assert "unknown" in render(told)
    missed = {"lost": {"total": 500, "topics": {}}}
    working = report_of([*known[:-1], unplanned, entry("ends", "done", 31, found=missed), again])
    assert working["lost"]["total"] == 500


def test_a_run_that_catches_up_after_a_proven_move_has_no_figure_to_doubt():
    ended = {"planned": True, "verdict": "PROVEN", "lost": {"total": None}}
    known = [entry("stage", "started", 1, about=MOVE, found={"planned": True})]
    assert "RPO" not in render(report_of([*known, entry("stage", "done", 2, about=MOVE, found=ended)]))


def test_a_planned_move_that_is_proven_needs_no_witness():
    known = planned()
    known[1]["found"] = {"lost": {"total": None}}
    assert "RPO" not in render(report_of(known))


def test_a_proof_whose_job_died_overrules_none():
    sides = {"source": "north_america", "target": "europe", "verdict": "NOT_PROVABLE"}
    died = report_of(planned(entry("proof", "not_provable", 30, found={**sides, "report": ""})))
    assert failures(died) == [] and "could not tell" not in render(died)
    assert failures(report_of(planned(entry("proof", "not_provable", 30, found={**sides, "report": "/r"}))))


def test_of_two_proofs_of_one_copy_the_later_one_counts():
    sides = {"source": "north_america", "target": "europe", "report": "/r"}
    loss = entry("proof", "different", 10, found={**sides, "verdict": "LOSS"})
    mended = planned()
    mended.insert(1, loss)
    told = report_of(mended)
    assert failures(told) == [] and "A proof shows a difference" not in render(told)
    overruled = report_of(planned(loss))
    assert failures(overruled) == [f"proof {loss['at']}"] and "A proof shows a difference" in render(overruled)
    beside = report_of(planned(entry("proof", "different", 30, found={**sides, "source": "/m", "verdict": "LOSS"})))
    assert len(failures(beside)) == 1, "it compares other sides"


def test_one_that_is_not_ended_says_so():
    told = report_of(entries()[:6])
    assert (told["verdict"], told["ended"], told["stage"]) == ("unfinished", "", "failover")


def test_an_ended_run_before_is_another_story():
    told = report_of([*entries(), *entries()[3:4]], "failover")
    assert told["runs"] == [CUT] and len(told["steps"]) == 1


def test_an_earlier_run_can_be_asked_for():
    assert report_of(entries(), run="setup")["stage"] == "initial_setup"


@pytest.mark.parametrize("asked", [{"stage": "resume"}, {"run": "x"}])
def test_an_unknown_run_is_refused_with_those_that_there_are(asked):
    with pytest.raises(UsageError, match="failover 20261121T182310Z-4711, initial_setup setup"):
        report_of(entries(), **asked)
    with pytest.raises(UsageError, match="no stage that was begun"):
        report_of([], **asked)


@pytest.mark.parametrize("stage", STAGES)
def test_command_of_each_stage(stage):
    first, word, second = STAGES[stage]
    told = report_of(
        [
            entry(
                "stage",
                "started",
                0,
                stage=stage,
                about=f"north_america {word} europe",
                found={"overridden": ["unproven"]},
            )
        ]
    )
    assert told["command"] == (
        f"ansible-playbook -i inventory streamsafe.kafka_dr.{stage} -e {stage}_{first}=north_america -e {stage}_{second}=europe -e {stage}_accept_unproven=true"
    )


def test_gates_that_were_opened_by_names_are_in_the_command():
    overridden = ["elsewhere (asia, south america)", "split_brain (europe)"]
    told = report_of([entry("stage", "started", 0, about="na to europe", found={"overridden": overridden})])
    assert told["command"].endswith(
        """-e '{"failover_accept_elsewhere": ["asia", "south america"]}' -e failover_accept_split_brain=europe"""
    )


def test_the_epoch_of_the_move_is_told_and_what_the_run_told_others_is_no_move():
    told = {"told": {"region": "asia", "hash": "a" * 64}}
    missed = entry("active_region", "active", 22, about="asia", epoch=1, found=told)
    made = [dict(one, epoch=2) if one["state"] == "active" else one for one in entries()]
    report = report_of([*made[:6], missed, *made[6:]], "failover")
    assert report["active"] == {"region": "europe", "epoch": 2} and "europe, epoch 2" in render(report)
    assert [one["name"] for one in report["steps"]].count("active_region") == 1
    assert report_of(made[:6])["active"] == {}


def test_a_time_that_the_ledger_has_as_a_text_is_told_too():
    """As stages under ansible-core 2.18 wrote it."""
    told = entries()
    next(one for one in told if one["step"] == "ends")["found"]["witnessed_at"] = str(NOW)
    assert "last seen" in render(report_of(told, "failover"))


@pytest.mark.parametrize("known", ["ended", "none"])
def test_a_stage_that_failed_before_it_began_is_not_told_by_the_run_before(known):
    """A controller's job failed; the ledger's last run of the stage ended well, so that it is another one."""
    told = report_of(entries() if known == "ended" else [], "failover", failed=True)
    assert (told["verdict"], told["stage"], told["steps"], told["run"]) == ("never_began", "failover", [], "")
    page = render(told)
    assert "NEVER BEGAN" in page and "DONE" not in page and "nothing was changed" in page
    assert ("ended 20" in page) == (known == "ended")
    case = ElementTree.fromstring(junit(told))[0]
    assert case.get("failures") == "1"


def test_a_stage_that_failed_after_it_began_is_told():
    told = report_of(entries()[:6], "failover", failed=True)
    assert told["verdict"] == "unfinished" and told["steps"]
    page = render(told)
    # The run that was cut off may be of an earlier job.
    assert "begun by kdr-stages at 2026-11-21T18:23:20Z" in page and "If the job that failed started later" in page
    assert "started later" not in render(report_of(entries()[:6], "failover"))
